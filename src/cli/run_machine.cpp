#include "cli/run_machine.h"

#include <cstdlib>

#include "machine/quick_machine.h"

namespace homenode::cli {

int read_kernel_file(os::Os& os, const std::string& path, std::string& content) {
  const char* const root = std::getenv("HWLOC_FSROOT");
  return os.read_file(root == nullptr ? path : root + path, content);
}

Result<machine::Machine> read_quick_machine(os::Os& os) {
  return machine::load_quick([&](const std::string& path, std::string& content) {
    return read_kernel_file(os, path, content);
  });
}

}  // namespace homenode::cli
