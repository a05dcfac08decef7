// The chase probe: every thread follows a random cycle of dependent loads through its own part of
// the memory, so that a step takes as long as the memory takes to answer.
#pragma once

#include <cstdint>
#include <memory>

#include "workloads/program/description.h"
#include "workloads/program/program.h"

namespace homenode::workloads::chase {

struct ChaseShape {
  std::size_t lines = 0;  ///< Of 64 bytes, over all threads; at least one for each.
  unsigned passes = 1;    ///< Times round the cycle.
  std::uint64_t seed = 1;
};

/// Its rate is in 1e6 loads a second, of all threads together: with one thread, 1000 divided by it
/// is the latency in ns. The check is that every cycle closes after as many steps as it has lines,
/// and that these steps came by every line.
std::unique_ptr<Program> make_chase(const ChaseShape& shape);

/// What `bench chase` says of itself.
Description describe();

/// Of `bench chase`.
inline constexpr unsigned most_passes = 1U << 20U;

}  // namespace homenode::workloads::chase
