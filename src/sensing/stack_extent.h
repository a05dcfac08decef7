// Which part of a mapping is a thread's stack, where it shares the mapping with other memory. Pure.
//
// The kernel makes one mapping of a stack and of private memory that lies right beside it, such as
// an array that the program mapped just before it started the thread, or of a block in which the
// program gave the thread a stack of its own. On x86-64 glibc keeps a thread's
// control block at the top of its stack. Below the stacks that it maps itself is an inaccessible
// guard.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <vector>

#include "sensing/memory_maps.h"
#include "sensing/survey.h"

namespace homenode::sensing {

/// The size of stacks that a thread gets when its program asks for none: the soft limit in the text
/// of /proc/PID/limits, or glibc's 2 MiB without one. Nothing where the text does not say.
std::optional<std::uint64_t> usual_stack_bytes(std::string_view limits);

/// Addresses, from the first to the one after the last.
struct Extent {
  std::uint64_t first = 0;
  std::uint64_t end = 0;
  bool operator==(const Extent&) const = default;
};

struct ThreadStack {
  std::uint64_t pointer = 0;
  std::uint64_t usual_bytes = 0;               ///< 0: not known.
  std::optional<std::uint64_t> control_block;  ///< Above the pointer.
};

/// The pages of `mapping` that are the stack, where they are not all. It ends with the control
/// block; without one, its usual size above its guard. It begins at the guard, else its usual size
/// below its end. Nothing where this is not known, or where `pointer` contradicts it.
std::optional<Extent> stack_extent(const std::vector<MapsEntry>& entries, Extent mapping,
                                   const ThreadStack& stack);

/// A mapping with a stack as two or three: the memory below, the stack, the memory above. Huge
/// pages and swapped ones count with the memory above, or else below, which has nearly all of both.
/// pre: `whole` has an end, `stack` is in it, and the counts are of its pages.
std::vector<Mapping> divided(const Mapping& whole, Extent stack,
                             const std::map<NodeId, std::uint64_t>& in_stack,
                             const std::map<NodeId, std::uint64_t>& below);

}  // namespace homenode::sensing
