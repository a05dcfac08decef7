// A kernel for the allocator, in place of src/heap/system.cpp: memory is real, time and nodes are
// as the test says, and each call can be refused. Two nodes with memory, 0 and 1; all CPUs are of
// 0, except 8191, on which no thread ever runs.
#pragma once

#include <cstddef>
#include <cstdint>

namespace homenode::heap::fake {

/// The calls that a kernel can refuse.
enum class Call : unsigned {
  map,
  unmap,
  resize,
  move,
  discard,
  bind,
  name,
  allowed_nodes,
  get_cpu,
  read_file
};
inline constexpr unsigned call_count = 10;
const char* name_of(Call call);

struct Refusal {
  Call call = Call::map;
  unsigned first = 0;  ///< Counted from 1; 0 refuses nothing.
  unsigned last = 0;   ///< With `first`: a single one.
  int error = 0;       ///< An errno.
};
/// From now on. Calls are counted anew.
void refuse(const Refusal& refusal);
/// How many calls there were of it since then.
unsigned calls_of(Call call);

/// What the clock says; it stands still otherwise.
void set_milliseconds(std::uint64_t now);

/// Whether new memory is locked, as by mlockall().
void lock_new_memory(bool locked);
/// Bytes that huge pages were asked for.
std::size_t huge_page_bytes();

/// Address space that is mapped at multiples of 64 MiB, which is the arenas' and huge blocks'.
std::size_t mapped_bytes();
/// Ranges whose policy was refused in every form that was tried for it.
std::uint64_t ranges_without_policy();
/// Bytes that were given back while they stayed mapped.
std::size_t discarded_bytes();

}  // namespace homenode::heap::fake
