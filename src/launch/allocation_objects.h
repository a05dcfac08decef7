// The files that a program is made of when it runs: itself and its shared libraries. Serves the
// names of --place.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "launch/elf.h"
#include "launch/threads.h"
#include "os/os.h"

namespace homenode::launch {

struct ProgramObject {
  std::string path;
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  ElfFile elf;
};

/// The program that `name` starts, by PATH and for a script its interpreter, and then the shared
/// libraries in their order, by the dynamic linker's own list: it alone knows all of its search
/// path. A link counts as the file that it leads to. Nothing of the program is run. Errors: failed
/// when it cannot be found or read.
Result<std::vector<ProgramObject>> read_program_objects(os::Os& os, const std::string& name);

/// Looks up the names of --place in the program, if there are any, and fills in their pieces. Gives
/// 0, or -errno where the program is absent: it cannot be started under such a plan. Errors: those
/// of read_program_objects() and find_named_pieces(); not_supported for a program that the agent
/// cannot get into; as check_wire_fits().
Result<int> find_names(os::Os& os, ThreadPlan& plan, const std::vector<std::string>& program);

/// The paths in what the dynamic linker prints with --list. Pure.
std::vector<std::string> paths_in_list(const std::string& list);

}  // namespace homenode::launch
