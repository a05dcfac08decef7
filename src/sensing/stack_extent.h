// Where a thread's stack ends in a mapping that it shares with other memory. Pure.
//
// The kernel makes one mapping of a stack and of private memory that lies right above it, such as
// an array that the program mapped just before it started the thread. glibc maps a stack as a block
// of a default size with an inaccessible guard at its lower end, so the guard says where it begins.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "sensing/memory_maps.h"

namespace homenode::sensing {

/// The size of stacks that a thread gets when its program asks for none: the soft limit in the text
/// of /proc/PID/limits, or glibc's 2 MiB without one. Nothing where the text does not say.
std::optional<std::uint64_t> usual_stack_bytes(std::string_view limits);

/// The end of the stack at the lower end of `mapping`, if that is before the mapping's. Nothing
/// where there is no guard below, or where `pointer` shows that the stack is larger than `usual`.
std::optional<std::uint64_t> stack_end(const std::vector<MapsEntry>& entries,
                                       std::uint64_t mapping_first, std::uint64_t mapping_end,
                                       std::uint64_t pointer, std::uint64_t usual);

}  // namespace homenode::sensing
