// What kind of program is to be started: whether the agent, which is preloaded, can get into it.
// Serves the verb `run`.
#pragma once

#include <string>

#include "base/result.h"

namespace homenode::cli {

/// The file that `name` starts, by PATH as the start itself does, and for a script its interpreter;
/// empty when there is none.
std::string find_program_file(const std::string& name);

/// Looks at the file that `name` starts, by PATH as the start itself does, and for a script at its
/// interpreter. Errors: not_supported for a statically linked program and for one with the setuid
/// or setgid bit or file capabilities, into none of which the dynamic linker preloads anything.
/// A program that cannot be found or read is no error here: starting it will tell.
Result<void> check_agent_can_enter(const std::string& name);

}  // namespace homenode::cli
