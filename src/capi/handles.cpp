#include "capi/handles.h"

#include <atomic>
#include <mutex>

#include "machine/load.h"
#include "os/linux.h"

namespace homenode::capi {
namespace {

constinit std::atomic<os::Os*> instead = nullptr;

}  // namespace

os::Os& kernel() {
  if (os::Os* const other = instead.load(); other != nullptr) return *other;
  static os::Os& os = *new os::Linux;
  return os;
}

void use_kernel(os::Os* os) {
  instead.store(os);
}

Result<const machine::Machine*> live_machine() {
  static std::mutex& lock = *new std::mutex;
  static const machine::Machine* live = nullptr;
  const std::lock_guard guard(lock);
  if (live == nullptr) {
    os::Linux os;
    auto loaded = machine::load_live(
        [&](const std::string& path, std::string& content) { return os.read_file(path, content); });
    if (!loaded) return loaded.as_unexpected();
    live = new machine::Machine(*std::move(loaded));
  }
  return live;
}

}  // namespace homenode::capi
