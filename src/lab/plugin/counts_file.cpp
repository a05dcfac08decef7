#include "lab/plugin/counts.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace homenode::lab {
namespace {

Unexpected cannot_write(const std::string& path, const char* next) {
  const int error = errno;
  return Unexpected(
      Error{ErrorCode::failed, error, "cannot write " + path + ": " + std::strerror(error), next});
}

}  // namespace

Result<CountsFile> CountsFile::open(const std::string& path) {
  const int descriptor = ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  if (descriptor < 0) return cannot_write(path, "choose another out=");
  return CountsFile(descriptor, path);
}

Result<void> CountsFile::append(const std::string& line) const {
  std::size_t done = 0;
  while (done < line.size()) {
    const ssize_t written = ::write(descriptor_, line.data() + done, line.size() - done);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) {
      return cannot_write(path_, "the counts of this region are lost: free space, then run again");
    }
    done += static_cast<std::size_t>(written);
  }
  return {};
}

}  // namespace homenode::lab
