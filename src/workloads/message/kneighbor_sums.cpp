// kNeighbor in closed form. All arithmetic is modulo 2^64.
#include "workloads/message/kneighbor.h"

namespace homenode::workloads::message {
namespace {

/// 0 + 1 + ... + (count - 1).
std::uint64_t sum_below(std::uint64_t count) {
  return count % 2 == 0 ? count / 2 * (count - 1) : (count - 1) / 2 * count;
}

}  // namespace

std::uint64_t stamp_of(const KNeighborShape& shape, std::uint64_t step, std::uint64_t sender,
                       std::uint64_t link) {
  return (step * shape.elements + sender) * 2 * shape.reach + link;
}

std::uint64_t neighbour_of(const KNeighborShape& shape, std::uint64_t element, std::uint64_t link) {
  const std::uint64_t distance = (link / 2 + 1) % shape.elements;
  const std::uint64_t steps = link % 2 == 0 ? distance : shape.elements - distance;
  return (element + steps) % shape.elements;
}

std::uint64_t expected_sum(const KNeighborShape& shape, std::uint64_t element) {
  const std::uint64_t links = 2 * std::uint64_t{shape.reach};
  const std::uint64_t steps = std::uint64_t{shape.iterations} * shape.steps;
  // Over all steps, the stamps of the messages that come in: on each link from the element for
  // which this one is the neighbour on that link, which is its own neighbour on the link beside.
  std::uint64_t stamps = sum_below(steps) * shape.elements * links * links;
  for (std::uint64_t link = 0; link < links; ++link) {
    stamps += steps * (neighbour_of(shape, element, link ^ 1U) * links + link);
  }
  if (!shape.touch) return stamps;
  const std::uint64_t words = shape.message_bytes / 8;
  return words * stamps + steps * links * sum_below(words);
}

}  // namespace homenode::workloads::message
