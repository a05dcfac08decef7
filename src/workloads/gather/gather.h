// The gather and scatter probe: repetitions of an index pattern over a large array, shared out in
// equal parts to the threads.
#pragma once

#include <memory>

#include "workloads/gather/pattern.h"
#include "workloads/program/description.h"
#include "workloads/program/program.h"

namespace homenode::workloads::gather {

/// Its rate is in 1e6 bytes a second: 8 for each index and repetition. A gather is checked by the
/// sum of what it read, which is known in closed form; a scatter by which words it has written.
/// pre: pattern.reach() has a value.
std::unique_ptr<Program> make_gather(const IndexPattern& pattern, unsigned passes);

/// The sum of all indices that a pattern reads, modulo 2^64.
std::uint64_t sum_of_indices(const IndexPattern& pattern);

/// What `bench gather` says of itself.
Description describe();

/// Of `bench gather`.
inline constexpr unsigned most_passes = 1U << 20U;

}  // namespace homenode::workloads::gather
