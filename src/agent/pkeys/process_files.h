// What the kernel's files say of this process: its threads, what they wait in, which signals they
// block, its mappings. Read by the sampler's thread alone, whose open files are its own. Serves the
// sampler by protection keys.
#pragma once

#include <cstddef>
#include <cstdint>

#include "agent/pkeys/threads.h"

namespace homenode::agent::pkeys {

inline constexpr std::size_t max_tasks = 2 * max_threads;
struct TaskList {
  std::uint32_t tids[max_tasks] = {};
  std::size_t count = 0;
};
/// False where there are too many or /proc cannot be read.
bool read_tasks(TaskList& list);

/// What a thread does in the kernel.
struct ThreadCall {
  enum class State {
    running,  ///< Somewhere, or it cannot be read.
    outside,  ///< It waits, and in no system call: a page fault.
    waiting,  ///< It waits in `number`.
  };
  State state = State::running;
  std::uint64_t number = 0;
  std::uint64_t arguments[6] = {};
  std::uint64_t instruction = 0;
};
ThreadCall read_call(Thread& thread);

/// Whether it blocks a signal of the sampler, or that cannot be read.
bool blocks_signals(Thread& thread);

struct Mapping {
  std::uintptr_t first = 0;
  std::uintptr_t end = 0;
  bool writable_private = false;  ///< rw-p, and no file.
  bool is_stack = false;          ///< Of the first thread.
  bool is_ring = false;           ///< Of io_uring, which uses memory at any time.
};
/// Calls take(mapping) for each line of /proc/self/maps until it says false. False where that
/// cannot be read to the end.
template <class Take>
bool read_mappings(Take take);

/// One part of the file after the other.
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
  bool fill();
  int next_character();

  static constexpr std::size_t room = 4096;
  char text_[room];
  std::size_t at_ = 0;
  std::size_t size_ = 0;
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

}  // namespace homenode::agent::pkeys
