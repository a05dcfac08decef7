// What a program is started with so that it records its allocations in a sample file
// (docs/sample-file.md): the library that does so, preloaded, and the file's name. The programs
// that it starts inherit both. Serves the verb `sample`.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "launch/agent.h"
#include "launch/start.h"
#include "os/os.h"

namespace homenode::launch {

/// Variables to set before the program is started, and what a person has to know.
struct SamplingEnvironment {
  std::vector<std::pair<std::string, std::string>> variables;
  Notes notes;
};

/// `file` is a sample file that has begun; `executable` the command's own file, beside which the
/// agent is looked for; `libraries` those of the agent that are preloaded, by default the one for
/// allocations, and come after what LD_PRELOAD names already, because that may stand between the
/// program and the allocator. A note where nothing can be preloaded into the program (static, or
/// with other rights): its memory is then told apart by mapping, and that of the programs that it
/// starts by allocation. Errors: failed where the agent is not installed or the system does not say
/// what kind of program it is.
Result<SamplingEnvironment> sampling_environment(os::Os& os, const std::string& program,
                                                 const std::string& file,
                                                 const std::string& executable,
                                                 const Lookup& lookup,
                                                 const std::vector<std::string>& libraries = {});

}  // namespace homenode::launch
