#include "balancer/log.h"

#include <cerrno>
#include <string_view>

namespace homenode::balancer {

void Log::close() {
  if (descriptor_ >= 0) os_.close_file(descriptor_);
  descriptor_ = -1;
}

Result<void> Log::open() {
  if (path_.empty()) return {};
  const int result = os_.open_appended(path_, descriptor_);
  if (result == 0) return {};
  return failed("cannot write the log " + path_, "name another file with --log", -result);
}

Result<void> Log::add(const std::string& line) {
  if (descriptor_ < 0) return {};
  ssize_t written = 0;
  do {
    written = os_.append_file(descriptor_, line);
  } while (written == -EINTR);
  if (written == static_cast<ssize_t>(line.size())) return {};
  close();
  return failed("cannot write to the log " + path_ + ", so it ends here", "free space on its disk",
                written < 0 ? static_cast<int>(-written) : 0);
}

}  // namespace homenode::balancer
