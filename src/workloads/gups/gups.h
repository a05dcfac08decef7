// HPCC's RandomAccess (GUPS): random words of a table are combined with the random number that
// chose them. Every thread uses the whole table, so no placement makes it local.
#pragma once

#include <memory>

#include "workloads/program/description.h"
#include "workloads/program/program.h"

namespace homenode::workloads::gups {

struct GupsShape {
  unsigned log2_words = 20;  ///< Of the table, in words of 8 bytes. pre: at most 60.
  std::uint64_t updates_per_word = 4;
};

/// Its rate is in 1e6 updates a second. Updates are not atomic: two threads may lose one, and the
/// specification allows 1 % of the words to be wrong for that, which the check repeats.
std::unique_ptr<Program> make_gups(const GupsShape& shape);

/// What `bench gups` says of itself.
Description describe();

/// Of `bench gups`.
inline constexpr unsigned most_updates_per_word = 1024;

}  // namespace homenode::workloads::gups
