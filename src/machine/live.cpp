#include "machine/live.h"

#include "machine/load.h"
#include "os/linux.h"

namespace homenode::machine {

Result<machine::Machine> read_live_machine() {
  os::Linux os;
  return machine::load_live(
      [&](const std::string& path, std::string& content) { return os.read_file(path, content); });
}

}  // namespace homenode::machine
