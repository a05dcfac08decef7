// Who asks for memory: the return addresses of a call stack, by the tables that every function has
// for exceptions (.eh_frame), because programs have frame pointers as seldom as not. Serves
// libhomenode-sites.so.
#pragma once

#include <cstddef>
#include <cstdint>

namespace homenode::agent {

/// Return addresses, innermost first.
struct Stack {
  static constexpr std::size_t most_frames = 32;

  std::uint64_t frames[most_frames] = {};
  /// Where on the stack each of them stands; 0 for one that is not there.
  std::uint64_t slots[most_frames] = {};
  std::size_t count = 0;
};

/// Takes the calling thread's stack, from the return address `caller` on; that alone where the
/// tables lack. No lock, no allocation; reads what the tables point to and nothing else.
void take_stack(std::uintptr_t caller, Stack& stack);

/// What one call stack was last found to be. Taking it costs microseconds. That it is the same one
/// again costs nanoseconds to see: all return addresses stand where they stood. constinit.
class StackMemory {
 public:
  /// The site of the stack that has its innermost frame at `frame`; 0: not known.
  std::uint32_t recall(std::uintptr_t caller, std::uintptr_t frame, unsigned function);

  void remember(const Stack& stack, std::uintptr_t frame, unsigned function, std::uint32_t site);

  /// In a forked child, whose sites are numbered anew.
  void forget();

 private:
  struct Entry {
    std::uint8_t count = 0;
    std::uint16_t function = 0;
    std::uint32_t site = 0;
    std::uint64_t frame = 0;
    std::uint64_t generation = 0;
    std::uint64_t frames[Stack::most_frames] = {};
    std::uint32_t offsets[Stack::most_frames] = {};
  };

  /// Stacks that begin alike: all that come through a program's own malloc from one depth.
  struct Set {
    static constexpr std::size_t ways = 8;
    bool locked = false;
    std::uint8_t next = 0;
    Entry entries[ways] = {};
  };
  static constexpr std::size_t sets = 128;

  Set& set_of(std::uintptr_t caller, std::uintptr_t frame, unsigned function);
  [[nodiscard]] bool is_same(const Entry& entry, std::uintptr_t caller, std::uintptr_t frame,
                             unsigned function) const;

  Set sets_[sets] = {};
  std::uint64_t generation_ = 1;
};

}  // namespace homenode::agent
