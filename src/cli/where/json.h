// A survey as JSON. Pure.
#pragma once

#include <nlohmann/json.hpp>

#include "sensing/survey.h"

namespace homenode::cli {

/// Schema homenode.where/1. All mappings and all threads.
nlohmann::ordered_json where_json(const sensing::Survey& survey);

/// {"0": 4096, "64": 8192}
nlohmann::ordered_json json_of(const sensing::BytesOnNodes& bytes);

}  // namespace homenode::cli
