// From a command line to a verb: built in, or `homenode-VERB` beside the command or on PATH, or
// inside the lab when --machine is given.
#pragma once

#include <string>
#include <vector>

#include "cli/verb.h"

namespace homenode::cli {

/// Runs the command line (without argv[0]) and returns the exit code.
int dispatch(Context& context, std::vector<std::string> arguments);

}  // namespace homenode::cli
