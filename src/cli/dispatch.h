// The table of verbs, and from a command line to one: built in, or `homenode-VERB` beside the
// command or on PATH, or inside the lab when --machine is given.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cli/verb.h"

namespace homenode::cli {

/// Every built-in verb, in the order of the help.
std::vector<std::unique_ptr<Verb>> built_in_verbs();

/// Runs the command line (without argv[0]) and returns the exit code.
int dispatch(Context& context, std::vector<std::string> arguments);

}  // namespace homenode::cli
