#include <cassert>

#include "placement/distributions/distribution.h"

namespace homenode::placement {

bool is_prime(std::uint64_t number) {
  if (number < 2) return false;
  for (std::uint64_t divisor = 2; divisor <= number / divisor; ++divisor) {
    if (number % divisor == 0) return false;
  }
  return true;
}

std::uint64_t prime_above(std::uint64_t number) {
  do {
    ++number;
  } while (!is_prime(number));
  return number;
}

PageMap prime(std::size_t pages, std::span<const NodeId> nodes, PrimeDeal deal) {
  const std::uint64_t count = nodes.size();
  assert(count > 0 && deal.pages_per_block > 0 && deal.prime >= count);
  PageMap map;
  map.reserve(pages);
  for (std::size_t page = 0; page < pages; ++page) {
    const std::uint64_t number = page / deal.pages_per_block;
    const std::uint64_t round = number / deal.prime;
    const std::uint64_t virtual_node = number % deal.prime;
    // The remainder of the product first, so that no large prime can make it wrap around.
    const std::uint64_t node =
        virtual_node < count
            ? virtual_node
            : (round % count * ((deal.prime - count) % count) + virtual_node - count) % count;
    map.push_back(nodes[node]);
  }
  return map;
}

}  // namespace homenode::placement
