// parallel-init: each thread initialises the part that it uses, so that it gets it near.
#include "placement/strategies/nodes.h"

namespace homenode::placement {
namespace {

/// The middle of a page decides whose it is where two parts meet in it.
std::size_t user_of_page(std::size_t page, std::size_t pages, std::size_t users) {
  return (2 * page + 1) * users / (2 * pages);
}

}  // namespace

Placement parallel_init(const machine::Machine& machine, const Program& program) {
  Placement placement;
  placement.threads = compact(machine, program.threads);
  placement.process_memory = Policy{};
  const std::vector<NodeId> homes = thread_homes(machine, program);
  for (const NamedArray& array : program.arrays) {
    const std::vector<std::size_t> users = users_of(array, program.threads);
    PageMap map;
    map.reserve(array.pages);
    for (std::size_t page = 0; page < array.pages; ++page) {
      map.push_back(homes[users[user_of_page(page, array.pages, users.size())]]);
    }
    placement.regions.push_back({array.name, std::move(map)});
  }
  return placement;
}

}  // namespace homenode::placement
