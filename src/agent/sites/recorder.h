// What the hooks of libhomenode-sites.so call: it records large memory and who asked for it, in the
// sample file. Does nothing in a program without one, and nothing for a call within its own.
#pragma once

#include <cstddef>
#include <cstdint>

#include "agent/sites/table.h"

namespace homenode::agent {

/// Smaller allocations are the heap's: neither their stacks nor their addresses are recorded.
inline constexpr std::size_t least_bytes_recorded = 4096;

/// Allocations from this size on matter now: 0 before the first call, which then finds out; more
/// than anything where nothing is recorded.
extern std::size_t least_bytes;  // NOLINT(bugprone-dynamic-static-initializers): constinit.

/// True once the file is open.
bool is_recording();

/// What a hook of libc's allocations knows.
struct Request {
  Function function;
  std::uintptr_t caller;  ///< The return address of the hook.
};

/// Memory that was given; null is none.
void record_allocated(const Request& request, const void* memory, std::size_t bytes);
/// Memory that is about to be freed, of a size that matters; `time_ns` is before it is.
void record_freed(const void* memory, std::uint64_t time_ns);
void record_mapped(const Request& request, const void* memory, std::size_t bytes);
/// Of memory that the program calls `name`, and that goes on to be what it is.
void record_name(const char* name, std::uintptr_t address, std::size_t bytes);
/// Of a range that is gone since `time_ns`.
void record_unmapped(const void* memory, std::size_t bytes, std::uint64_t time_ns);

}  // namespace homenode::agent
