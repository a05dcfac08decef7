// The mappings of this process, which of them hold data of its own, and their huge pages. Read by
// the sampler's thread alone, whose open files are its own. Serves the sampler by protection keys.
#pragma once

#include <cstddef>
#include <cstdint>

namespace homenode::agent::pkeys {

struct Mapping {
  std::uintptr_t first = 0;
  std::uintptr_t end = 0;
  bool writable_private = false;  ///< rw-p, no file, and not that stack.
  bool is_stack = false;          ///< Of the first thread.
  bool is_ring = false;           ///< Of io_uring, which uses memory at any time.
};
/// Calls take(mapping) for each mapping, in order, until it says false. False where the kernel does
/// not tell them to the end.
template <class Take>
bool read_mappings(Take take);

/// One mapping after the other: by questions to /proc/self/maps (Linux 6.11), which the kernel
/// answers several times as fast as it writes the file's text; else from that text.
class MappingsReader {
 public:
  MappingsReader();
  MappingsReader(const MappingsReader&) = delete;
  MappingsReader& operator=(const MappingsReader&) = delete;
  ~MappingsReader();
  /// False at the end and where reading fails.
  bool next(Mapping& mapping);
  [[nodiscard]] bool failed() const { return failed_; }

 private:
  enum class Way { unknown, questions, text };

  bool ask(Mapping& mapping);
  bool next_line(Mapping& mapping);
  bool fill();
  int next_character();

  static constexpr std::size_t room = 4096;
  char text_[room];
  std::size_t at_ = 0;
  std::size_t size_ = 0;
  std::uintptr_t asked_ = 0;  ///< Up to where the kernel has answered.
  Way way_ = Way::unknown;
  long file_;
  bool failed_ = false;
};

template <class Take>
bool read_mappings(Take take) {
  MappingsReader reader;
  Mapping mapping;
  while (reader.next(mapping)) {
    if (!take(mapping)) return true;
  }
  return !reader.failed();
}

/// Whether a page is part of a huge one. False where the kernel says that it is there and small
/// (Linux 6.7); where it does not know the question, true unless it makes no huge pages. pre: the 2
/// MiB around it are in one mapping.
bool may_be_huge(std::uintptr_t page);

}  // namespace homenode::agent::pkeys
