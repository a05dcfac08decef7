// What `where` shows as JSON. Pure.
#pragma once

#include <nlohmann/json.hpp>

#include "sensing/file_cache.h"
#include "sensing/job.h"
#include "sensing/survey.h"
#include "sensing/system_view.h"

namespace homenode::cli {

/// Schema homenode.where/2. All mappings and all threads.
nlohmann::ordered_json where_json(const sensing::Survey& survey);

/// Schema homenode.where.system/1, of the `processes` largest.
nlohmann::ordered_json system_json(const sensing::SystemView& view, std::size_t processes);

/// Schema homenode.where.file/1.
nlohmann::ordered_json file_json(const sensing::FileCache& cache);

/// Schema homenode.where.job/1.
nlohmann::ordered_json job_json(const std::vector<sensing::JobRank>& ranks);

}  // namespace homenode::cli
