// kNeighbor, the ring of Charm++'s benchmarks: every element sends a message to each of its k
// neighbours on either side and goes on when all have come back, the same message being its own
// acknowledgment. What everybody receives is known in closed form.
#pragma once

#include <cstdint>
#include <memory>

#include "workloads/message/program.h"
#include "workloads/program/description.h"

namespace homenode::workloads::message {

struct KNeighborShape {
  Layout layout;
  unsigned elements = 7;
  unsigned reach = 3;  ///< k.
  unsigned iterations = 100;
  unsigned steps = 100;              ///< Of sending to all and waiting for all, in each iteration.
  std::size_t message_bytes = 1024;  ///< Payload, a multiple of 8.
  /// The payload is written by its sender and read by its receiver; else, as published, neither.
  bool touch = true;
};

/// A message's first word, and that of a payload that is not touched; words count up from it.
std::uint64_t stamp_of(const KNeighborShape& shape, std::uint64_t step, std::uint64_t sender,
                       std::uint64_t link);
/// The element that a link leads to: 2 * reach of them, near ones first, right before left.
std::uint64_t neighbour_of(const KNeighborShape& shape, std::uint64_t element, std::uint64_t link);
/// The sum of all that an element receives, modulo 2^64.
std::uint64_t expected_sum(const KNeighborShape& shape, std::uint64_t element);

/// Its rate is in 1e6 messages a second, each there and back counting as two. Figures: the mean of
/// the 100 fastest iterations, as the published program prints, and the median, in µs a step.
std::unique_ptr<MessageProgram> make_kneighbor(const KNeighborShape& shape);

/// What `bench kneighbor` says of itself.
Description describe_kneighbor();

/// Of `bench kneighbor`.
inline constexpr unsigned most_elements = 1U << 16U;
inline constexpr unsigned most_rounds = 1'000'000;
inline constexpr std::size_t most_message_bytes = std::size_t{1} << 30U;

}  // namespace homenode::workloads::message
