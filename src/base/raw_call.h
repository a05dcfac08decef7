// System calls straight to the kernel, for what lives in other people's programs: libc's own names
// may come back to us, may allocate, and set errno, which the program around us looks at. Serves
// the malloc and the agent. Calls give what the kernel gives: 0 or more, or -errno.
#pragma once

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>

namespace homenode {

/// PR_SET_VMA of prctl(2), which linux/prctl.h has since Linux 5.17; PR_SET_VMA_ANON_NAME is its 0.
constexpr int set_vma = 0x53564d41;

template <class... Arguments>
long raw_call(long number, Arguments... arguments) {
  const int kept = errno;
  const long result = syscall(number, arguments...);
  const long given = result < 0 ? -errno : result;
  errno = kept;
  return given;
}

/// Zeroed private memory at `hint`, or where there is room; null when there is none. `flags` beside
/// those of private anonymous memory.
inline void* raw_map(std::uintptr_t hint, std::size_t bytes, int flags) {
  const long result = raw_call(SYS_mmap, hint, bytes, PROT_READ | PROT_WRITE,
                               MAP_PRIVATE | MAP_ANONYMOUS | flags, -1, 0L);
  constexpr long last_error = 4095;
  if (result < 0 && result >= -last_error) return nullptr;
  return reinterpret_cast<void*>(result);  // NOLINT(performance-no-int-to-ptr)
}

inline long raw_unmap(void* address, std::size_t bytes) {
  return raw_call(SYS_munmap, address, bytes);
}

/// Calls take(bytes, count) for each part of a file until it says false; 0, or -errno.
template <class Take>
long raw_read(const char* path, char* buffer, std::size_t room, Take take) {
  const long file = raw_call(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return file;
  long size = 0;
  while ((size = raw_call(SYS_read, file, buffer, room)) > 0) {
    if (!take(buffer, static_cast<std::size_t>(size))) break;
  }
  raw_call(SYS_close, file);
  return size < 0 ? size : 0;
}

/// Writes all of it, if it can.
inline void raw_write(int file, const char* text, std::size_t bytes) {
  while (bytes > 0) {
    const long done = raw_call(SYS_write, file, text, bytes);
    if (done <= 0 && done != -EINTR) return;
    if (done > 0) {
      text += done;
      bytes -= static_cast<std::size_t>(done);
    }
  }
}

}  // namespace homenode
