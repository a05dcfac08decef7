#include "lab/timing/clock_slots.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

namespace homenode::lab {

Result<ClockSlots> ClockSlots::open(const std::string& path) {
  const char* const next = "start the lab through its driver, which makes this file";
  const int descriptor = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
  if (descriptor < 0) return failed("cannot open the clock " + path, next, errno);
  struct stat status = {};
  const bool sized = ::fstat(descriptor, &status) == 0 && status.st_size > 0;
  const auto bytes = static_cast<std::size_t>(status.st_size);
  void* const memory =
      sized ? ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0)
            : MAP_FAILED;
  const int error = errno;
  ::close(descriptor);
  if (memory == MAP_FAILED) return failed("cannot map the clock " + path, next, sized ? error : 0);
  return ClockSlots({static_cast<std::uint64_t*>(memory), bytes / sizeof(std::uint64_t)});
}

}  // namespace homenode::lab
