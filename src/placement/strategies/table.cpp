#include "placement/strategies/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <set>
#include <string>

#include "placement/strategies/nodes.h"

namespace homenode::placement {
namespace {

constexpr std::array table{
    Strategy{"first-touch", "everything on the main thread's node", first_touch},
    Strategy{"parallel-init", "each part of an array on the node of the thread that uses it",
             parallel_init},
    Strategy{"round-robin", "pages on all nodes in turn", round_robin},
    Strategy{"memory-bind", "each array on the nodes of the threads that use it", memory_bind},
};

}  // namespace

Result<void> check_program(const machine::Machine& machine, const Program& program) {
  if (program.threads == 0) {
    return bad_usage("the program has no threads to place", "give at least one");
  }
  std::set<std::string_view> names;
  for (const NamedArray& array : program.arrays) {
    if (array.name.empty() || !names.insert(array.name).second) {
      return bad_usage(fmt::format("the array name '{}' is empty or used twice", array.name),
                       "give each array its own name");
    }
    const auto stranger = std::find_if(array.users.begin(), array.users.end(),
                                       [&](std::size_t rank) { return rank >= program.threads; });
    if (stranger != array.users.end()) {
      return bad_usage(fmt::format("the array '{}' is used by thread {} of {}", array.name,
                                   *stranger, program.threads),
                       "count threads from 0");
    }
  }
  if (machine.allowed_cpus.empty() || usable_memory(machine).empty()) {
    return not_supported(
        "this process may use no CPU or no memory of the machine",
        "check its affinity and cpuset (Cpus_allowed_list and Mems_allowed_list in "
        "/proc/self/status)");
  }
  return {};
}

std::span<const Strategy> strategies() {
  return table;
}

Result<Strategy> find_strategy(std::string_view name) {
  std::string names;
  for (const Strategy& strategy : table) {
    if (strategy.name == name) return strategy;
    names += fmt::format("{}{}", names.empty() ? "" : ", ", strategy.name);
  }
  return bad_usage(fmt::format("there is no strategy '{}'", name), "choose one of: " + names);
}

Result<Placement> place_by_strategy(std::string_view name, const machine::Machine& machine,
                                    const Program& program) {
  const auto strategy = find_strategy(name);
  if (!strategy) return strategy.as_unexpected();
  if (const auto good = check_program(machine, program); !good) return good.as_unexpected();
  Placement placement = strategy->place(machine, program);
  assert(is_valid(placement));
  return placement;
}

}  // namespace homenode::placement
