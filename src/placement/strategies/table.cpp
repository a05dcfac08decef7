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
    Strategy{"first-touch", "everything where the main thread is", first_touch},
    Strategy{"parallel-init", "each part of an array with the thread that uses it", parallel_init},
    Strategy{"round-robin", "every page in turn over all nodes", round_robin},
    Strategy{"memory-bind", "each array on the nodes of the threads that use it", memory_bind},
};

}  // namespace

Result<void> check_program(const machine::Machine& machine, const Program& program) {
  if (program.threads == 0) {
    return bad_usage("a program without threads cannot be placed", "name at least one");
  }
  std::set<std::string_view> names;
  for (const NamedArray& array : program.arrays) {
    if (array.name.empty() || !names.insert(array.name).second) {
      return bad_usage(
          fmt::format("the name '{}' does not tell an array from the others", array.name),
          "give each array a name of its own");
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
    return not_supported("this process may use no CPU or no memory that the machine shows",
                         "look at its cpuset (Cpus_allowed_list and Mems_allowed_list in "
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
