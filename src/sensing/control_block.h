// Finds the control block of a thread of another process. Serves the survey: with glibc on x86-64
// it is the upper end of the thread's stack, whatever the stack's size and wherever it lies.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string_view>

#include "sensing/stack_extent.h"
#include "sensing/system_files.h"

namespace homenode::sensing {

/// The address of the thread's control block among the bytes of memory at `address`, a multiple of
/// 64: its first and its third word point to it. Pure.
std::optional<std::uint64_t> control_block_in(std::string_view bytes, std::uint64_t address);

/// The first control block above a stack pointer, before the end of the stack's mapping. Reads
/// /proc/PID/pagemap and /proc/PID/mem, at most 256 pages, and none that is not present: to read it
/// would make it so. Nothing where that is refused, as it is to a stranger.
std::optional<std::uint64_t> find_control_block(const SystemFiles& files, pid_t pid, Extent above);

}  // namespace homenode::sensing
