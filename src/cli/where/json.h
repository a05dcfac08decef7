// A survey as JSON. Pure.
#pragma once

#include <nlohmann/json.hpp>

#include "sensing/survey.h"

namespace homenode::cli {

/// Schema homenode.where/2. All mappings and all threads.
nlohmann::ordered_json where_json(const sensing::Survey& survey);

}  // namespace homenode::cli
