// A survey as JSON. Pure.
#pragma once

#include <nlohmann/json.hpp>

#include "sensing/job.h"
#include "sensing/survey.h"

namespace homenode::cli {

/// Schema homenode.where/2. All mappings and all threads.
nlohmann::ordered_json where_json(const sensing::Survey& survey);

/// Schema homenode.where.job/1.
nlohmann::ordered_json job_json(const std::vector<sensing::JobRank>& ranks);

}  // namespace homenode::cli
