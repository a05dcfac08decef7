#include "machine/kernel_files.h"

#include <cstdlib>

#include "machine/quick_machine.h"

namespace homenode::machine {
namespace {

std::string below_root(const std::string& path) {
  const char* const root = std::getenv("HWLOC_FSROOT");
  return root == nullptr ? path : root + path;
}

}  // namespace

int read_kernel_file(os::Os& os, const std::string& path, std::string& content) {
  return os.read_file(below_root(path), content);
}

int list_kernel_folder(os::Os& os, const std::string& path, std::vector<std::string>& names) {
  return os.list_folder(below_root(path), names);
}

Result<machine::Machine> read_quick_machine(os::Os& os) {
  return machine::load_quick([&](const std::string& path, std::string& content) {
    return read_kernel_file(os, path, content);
  });
}

}  // namespace homenode::machine
