// The C interface's strategies: a whole program placed by name.
#include <fmt/format.h>

#include <cassert>

#include "capi/guard.h"
#include "capi/handles.h"
#include "capi/region_place.h"
#include "homenode/homenode.h"
#include "placement/strategies/table.h"
#include "placement/threads/map.h"

namespace homenode::capi {
namespace {

/// What the strategy is told: arrays by their number, because they have no other name here.
Result<placement::Program> program_of(size_t threads, const hn_user_array* arrays, size_t count) {
  if (arrays == nullptr && count > 0) {
    return bad_usage("the list of arrays is NULL", "describe them, or pass a count of 0");
  }
  placement::Program program{.threads = threads, .arrays = {}};
  for (std::size_t i = 0; i < count; ++i) {
    const hn_user_array& array = arrays[i];
    if (array.region == nullptr || (array.users == nullptr && array.user_count > 0)) {
      return bad_usage(fmt::format("array {} has no region or no list of users", i),
                       "give both; a count of 0 users means all threads");
    }
    placement::NamedArray named{fmt::format("{}", i), hn_region_pages(array.region), {}};
    if (array.user_count > 0) named.users.assign(array.users, array.users + array.user_count);
    program.arrays.push_back(std::move(named));
  }
  return program;
}

/// Places each array. Gives HN_INCOMPLETE with the words of the first that is, after all of them.
Result<int> place_all(const placement::Placement& placement, const hn_user_array* arrays,
                      char** error) {
  assert(is_valid(placement));
  int status = HN_OK;
  for (std::size_t i = 0; i < placement.regions.size(); ++i) {
    char** const words = status == HN_OK ? error : nullptr;
    const auto placed = place_by(*arrays[i].region, placement.regions[i].memory, words);
    if (!placed) {
      if (status != HN_OK && error != nullptr) hn_string_free(*error);
      return placed.as_unexpected();
    }
    if (status == HN_OK) status = *placed;
  }
  return status;
}

}  // namespace
}  // namespace homenode::capi

using namespace homenode;  // NOLINT: the C interface stands outside the namespace.

extern "C" int hn_strategy_apply(const char* name, const hn_machine* machine, size_t threads,
                                 const hn_user_array* arrays, size_t count, char** thread_map,
                                 char** error) {
  if (thread_map != nullptr) *thread_map = nullptr;
  return capi::guarded(error, [&]() -> Result<int> {
    if (name == nullptr) return bad_usage("the strategy is NULL", "name one, such as round-robin");
    const auto program = capi::program_of(threads, arrays, count);
    if (!program) return program.as_unexpected();
    const machine::Machine* chosen = machine != nullptr ? &machine->value : nullptr;
    if (chosen == nullptr) {
      const auto live = capi::live_machine();
      if (!live) return live.as_unexpected();
      chosen = *live;
    }
    const auto placement = placement::place_by_strategy(name, *chosen, *program);
    if (!placement) return placement.as_unexpected();
    const auto status = capi::place_all(*placement, arrays, error);
    if (!status) return status;
    if (thread_map != nullptr) {
      *thread_map = capi::copy_out(placement::to_string(*placement->threads));
      if (*thread_map == nullptr)
        return failed("there is no memory for the text", "free some memory");
    }
    return status;
  });
}
