// The verbs of the small command (main.cpp): those whose start is part of what people measure.
#pragma once

#include <memory>
#include <vector>

#include "cli/verb.h"

namespace homenode::cli {

/// A verb may stand here when it reaches hwloc through Context::full_machine alone: the small
/// command is not linked with it, and a test fails if it is.
std::vector<std::unique_ptr<Verb>> quick_verbs();

}  // namespace homenode::cli
