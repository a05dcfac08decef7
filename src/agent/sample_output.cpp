#include "agent/sample_output.h"

#include <sys/uio.h>

#include <csignal>
#include <cstring>

#include "base/raw_call.h"

namespace homenode::agent {
namespace {

/// Above those that programs count from 0 or keep for their own purposes.
constexpr int least_descriptor = 500;

/// The kernel ends a program that writes beyond its limit on the size of files: SIGXFSZ. While this
/// lives, the calling thread gets -EFBIG and no signal.
class WithoutFileSizeSignal {
 public:
  WithoutFileSizeSignal() {
    raw_call(SYS_rt_sigprocmask, SIG_BLOCK, &file_size, &kept_, sizeof kept_);
  }
  WithoutFileSizeSignal(const WithoutFileSizeSignal&) = delete;
  WithoutFileSizeSignal& operator=(const WithoutFileSizeSignal&) = delete;
  ~WithoutFileSizeSignal() {
    if (sent_ && (kept_ & file_size) == 0) {
      const timespec at_once{0, 0};
      raw_call(SYS_rt_sigtimedwait, &file_size, nullptr, &at_once, sizeof file_size);
    }
    raw_call(SYS_rt_sigprocmask, SIG_SETMASK, &kept_, nullptr, sizeof kept_);
  }
  void note(long result) { sent_ = sent_ || result == -EFBIG; }

 private:
  static constexpr std::uint64_t file_size = std::uint64_t{1} << (SIGXFSZ - 1);
  std::uint64_t kept_ = 0;
  bool sent_ = false;
};

/// How much was written, in one call, so that blocks of several processes do not mix: less than all
/// of it, or nothing, where the file takes no more.
std::size_t write_parts(int file, const iovec* parts, std::size_t count) {
  WithoutFileSizeSignal guard;
  long result = 0;
  do {
    result = raw_call(SYS_writev, file, parts, count);
  } while (result == -EINTR);
  guard.note(result);
  return result < 0 ? 0 : static_cast<std::size_t>(result);
}

/// Takes a block that is not whole off the end again, unless another has appended since: nobody
/// could find where what follows it begins.
void take_back(int file, std::size_t written) {
  const long end = raw_call(SYS_lseek, file, 0L, SEEK_CUR);
  if (end < 0 || size_of_open(file) != end) return;
  raw_call(SYS_ftruncate, file, end - static_cast<long>(written));
}

/// Where it is a sample file of this version.
bool has_our_header(const char* path) {
  SampleFileHeader found{};
  const SampleFileHeader ours;
  const long file = raw_call(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0) return false;
  const long bytes = raw_call(SYS_read, file, &found, sizeof found);
  raw_call(SYS_close, file);
  return bytes == sizeof found && std::memcmp(&found, &ours, sizeof ours) == 0;
}

}  // namespace

const char* find_sample_file(char* const* environment) {
  constexpr std::size_t length = sizeof sample_variable - 1;
  for (; environment != nullptr && *environment != nullptr; ++environment) {
    if (std::strncmp(*environment, sample_variable, length) != 0) continue;
    const char* const value = *environment + length;
    if (*value == '=' && value[1] != '\0') return value + 1;
  }
  return nullptr;
}

int SampleOutput::open(const char* path) {
  const std::size_t length = std::strlen(path);
  if (length >= sizeof path_) return -ENAMETOOLONG;
  std::memcpy(path_, path, length + 1);
  int result = identify_file(path_, identity_);
  if (result == 0) result = open_again();
  if (result >= 0 && !has_our_header(path_)) result = -EINVAL;
  if (result < 0) path_[0] = '\0';
  return result < 0 ? result : 0;
}

void SampleOutput::reopen() {
  const int file = __atomic_exchange_n(&file_, -1, __ATOMIC_ACQ_REL);
  FileIdentity now;
  if (file >= 0 && identify_open(file, now) == 0 && now == identity_) raw_call(SYS_close, file);
}

int SampleOutput::open_again() {
  // A pipe or device in its place must not stop the program; neither is the file that we know.
  const int flags = O_WRONLY | O_APPEND | O_CLOEXEC | O_NONBLOCK | O_NOCTTY;
  long file = raw_call(SYS_openat, AT_FDCWD, path_, flags);
  if (file < 0) return static_cast<int>(file);
  const long higher = raw_call(SYS_fcntl, file, F_DUPFD_CLOEXEC, least_descriptor);
  if (higher >= 0) {
    raw_call(SYS_close, file);
    file = higher;
  }
  FileIdentity now;
  if (identify_open(static_cast<int>(file), now) < 0 || !(now == identity_)) {
    raw_call(SYS_close, file);
    return -ENOENT;
  }
  int none = -1;
  if (!__atomic_compare_exchange_n(&file_, &none, static_cast<int>(file), false, __ATOMIC_ACQ_REL,
                                   __ATOMIC_ACQUIRE)) {
    raw_call(SYS_close, file);  // Another thread was first.
    return none;
  }
  return static_cast<int>(file);
}

int SampleOutput::descriptor() {
  int file = __atomic_load_n(&file_, __ATOMIC_ACQUIRE);
  FileIdentity now;
  if (file >= 0 && identify_open(file, now) == 0 && now == identity_) return file;
  __atomic_compare_exchange_n(&file_, &file, -1, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
  return open_again();
}

bool SampleOutput::append(const char* kind, const BlockPart* parts, std::size_t count) {
  std::size_t size = 0;
  for (std::size_t i = 0; i < count; ++i) size += parts[i].size;
  SampleBlockHeader header{};
  std::memcpy(header.kind, kind, sizeof header.kind);
  header.bytes = static_cast<std::uint32_t>(size);
  iovec vector[max_parts + 1] = {{&header, sizeof header}};
  for (std::size_t i = 0; i < count; ++i) {
    vector[i + 1] = {const_cast<void*>(parts[i].bytes), parts[i].size};
  }
  const int file = is_open() && size <= UINT32_MAX && count <= max_parts ? descriptor() : -EBADF;
  const std::size_t whole = sizeof header + size;
  const std::size_t written = file < 0 ? 0 : write_parts(file, vector, count + 1);
  if (written == whole) return true;
  if (written > 0) take_back(file, written);
  __atomic_fetch_add(&lost_, 1, __ATOMIC_RELAXED);
  return false;
}

bool SampleOutput::append(const char* kind, const void* bytes, std::size_t size) {
  const BlockPart part{bytes, size};
  return append(kind, &part, 1);
}

std::size_t SampleOutput::lost_blocks() const {
  return __atomic_load_n(&lost_, __ATOMIC_RELAXED);
}

}  // namespace homenode::agent
