// What `run` would do, shown without doing it: text and JSON. Serves the verb `run`.
#pragma once

#include <string>

#include "launch/plan.h"

namespace homenode::cli {

std::string explain_text(const launch::RunPlan& plan);

/// Schema "homenode.run.explain/1".
std::string explain_json(const launch::RunPlan& plan);

}  // namespace homenode::cli
