// Which processes a person means: a number, or a name as ps or pgrep shows it.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "sensing/system_files.h"

namespace homenode::sensing {

struct ProcessName {
  pid_t pid = 0;
  std::string name;          ///< The kernel's, at most 15 characters.
  std::string command_line;  ///< Its words joined by blanks; empty when it cannot be read.
};

/// Processes whose name is `name`, or whose first word of the command line has this last part; in
/// increasing order of number. Threads of the kernel, processes that have ended and those that
/// are hidden from this person are left out. Errors: failed when /proc cannot be listed, or a file
/// of a process that may be meant cannot be read.
Result<std::vector<ProcessName>> find_processes(const SystemFiles& files, const std::string& name);

}  // namespace homenode::sensing
