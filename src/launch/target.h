// What kind of program is to be started: whether the agent, which is preloaded, can get into it.
// Serves the verb `run`.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "os/os.h"

namespace homenode::launch {

/// True for the refusals (-errno) that say that a program is not there or not for this person: what
/// starts it then meets the same.
bool is_absent(int result);

/// The file that `name` starts, by PATH as the start itself does, and for a script its interpreter;
/// empty when there is none. Errors: failed where the system does not say for now.
Result<std::string> find_program_file(os::Os& os, const std::string& name);

/// Looks at the file that `name` starts, by PATH as the start itself does, and for a script at its
/// interpreter. Gives what this person may not see of it, and what follows if it is so, a sentence
/// each. Errors: not_supported for a statically linked program and for one with the setuid or
/// setgid bit or file capabilities, into none of which the dynamic linker preloads anything; failed
/// where the system does not say for now. A program that is absent is no error here: starting it
/// will tell. `purpose` is what cannot be done then, up to the program's name.
Result<std::vector<std::string>> check_agent_can_enter(
    os::Os& os, const std::string& name,
    const std::string& purpose = "place the threads or allocations of");

}  // namespace homenode::launch
