#include "lab/timing/directory.h"

#include <sys/mman.h>

#include <cerrno>
#include <string>
#include <utility>

namespace homenode::lab {

Result<Directory> Directory::create(std::uint64_t lines) {
  // Zero pages until they are written; an all-zero entry is the state of a line that nobody holds.
  void* const memory = ::mmap(nullptr, lines * sizeof(Entry), PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) {
    return failed("cannot map a directory of " + std::to_string(lines) + " cache lines",
                  "give the lab's nodes less memory (--node-memory)", errno);
  }
  return Directory(static_cast<Entry*>(memory), lines);
}

Directory::Directory(Directory&& other) noexcept
    : entries_(std::exchange(other.entries_, nullptr)), lines_(std::exchange(other.lines_, 0)) {}

Directory::~Directory() {
  if (entries_ != nullptr) ::munmap(entries_, lines_ * sizeof(Entry));
}

void Directory::clear() {
  ::madvise(entries_, lines_ * sizeof(Entry), MADV_DONTNEED);
}

}  // namespace homenode::lab
