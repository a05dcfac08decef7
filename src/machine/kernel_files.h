// The machine as the verb `run` needs it, read at once through the os contract.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "machine/machine.h"
#include "os/os.h"

namespace homenode::machine {

/// machine::load_quick() over the kernel's files, below HWLOC_FSROOT where that is set, as
/// everywhere else. Errors: as there.
Result<machine::Machine> read_quick_machine(os::Os& os);

/// A file of /proc or /sys, below HWLOC_FSROOT where that is set. 0 or -errno.
int read_kernel_file(os::Os& os, const std::string& path, std::string& content);

/// The names in a folder of /proc or /sys, sorted, in the same place. 0 or -errno.
int list_kernel_folder(os::Os& os, const std::string& path, std::vector<std::string>& names);

}  // namespace homenode::machine
