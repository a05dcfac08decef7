#include "capi/region_place.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <string>
#include <variant>

#include "actuation/next_touch.h"
#include "capi/array_rule.h"
#include "capi/guard.h"
#include "capi/usable_nodes.h"
#include "os/clock.h"
#include "placement/policies/memory_rule.h"

namespace homenode::capi {
namespace {

/// Adds the time from its making to its end to the region's account.
class Stopwatch {
 public:
  explicit Stopwatch(hn_statistics& statistics) : statistics_(statistics) {}
  Stopwatch(const Stopwatch&) = delete;
  Stopwatch& operator=(const Stopwatch&) = delete;
  ~Stopwatch() { statistics_.seconds += static_cast<double>(clock_.now_ps(0) - begin_) / 1e12; }

 private:
  hn_statistics& statistics_;
  os::SteadyClock clock_;
  std::uint64_t begin_ = clock_.now_ps(0);
};

/// Notes a receipt. Pages that are elsewhere are told with the first reason.
int note(hn_region& region, const actuation::Receipt& receipt, char** error) {
  region.statistics.pages_moved += receipt.moved;
  region.statistics.pages_as_planned = receipt.as_planned;
  region.statistics.pages_refused = receipt.refused;
  if (receipt.refused == 0) return HN_OK;
  std::string message = fmt::format("{} of {} pages are not where the rule places them",
                                    receipt.refused, receipt.pages);
  if (!receipt.refusals.empty()) message += ": " + receipt.refusals.front().message();
  return refuse(error, HN_INCOMPLETE, message);
}

Result<int> place_map(hn_region& region, const placement::PageMap& map, char** error) {
  // A policy of an earlier call would decide where absent pages go. Where it cannot be taken off,
  // place_pages moves what went astray.
  (void)actuation::set_region_policy(kernel(), region.pages, placement::Policy{});
  const auto receipt = actuation::place_pages(kernel(), region.pages, map);
  if (!receipt) return receipt.as_unexpected();
  return note(region, *receipt, error);
}

Result<int> place_policy(hn_region& region, const placement::Policy& policy, char** error) {
  const auto receipt = actuation::move_to_policy(kernel(), region.pages, policy);
  if (!receipt) return receipt.as_unexpected();
  return note(region, *receipt, error);
}

/// Ends next touch, if it is in force: what was touched has moved, the rest stays where it is.
/// pre: the region's lock is held, or nobody else has the region any more.
Result<void> disarm(hn_region& region) {
  if (region.armed.address == nullptr) return {};
  const auto counts = actuation::disarm_next_touch(region.armed);
  if (!counts) return counts.as_unexpected();
  region.armed = {};
  region.statistics.pages_moved += counts->pages_moved;
  return {};
}

/// The pages that hold nothing but the region: neighbours in its first and last page are touched
/// by others, among them system calls, which fail on armed memory.
actuation::Region own_pages(const hn_region& region) {
  if (region.memory) return region.pages;
  const std::size_t page_bytes = kernel().page_bytes();
  const auto begin = reinterpret_cast<std::uintptr_t>(region.address);
  const std::uintptr_t first = (begin + page_bytes - 1) / page_bytes * page_bytes;
  const std::uintptr_t end = (begin + region.bytes) / page_bytes * page_bytes;
  if (end <= first) return {};
  return {static_cast<char*>(region.address) + (first - begin), end - first};
}

Result<int> arm(hn_region& region, const placement::NextTouchRule& rule) {
  const std::lock_guard guard(region.lock);
  const Stopwatch watch(region.statistics);
  if (const auto disarmed = disarm(region); !disarmed) return disarmed.as_unexpected();
  ++region.statistics.placements;
  region.statistics.pages_as_planned = 0;  // There is no plan: the program decides.
  region.statistics.pages_refused = 0;
  const actuation::Region own = own_pages(region);
  if (own.bytes == 0) return HN_OK;
  const auto armed = actuation::arm_next_touch(kernel(), own, rule.unit_pages);
  if (!armed) return armed.as_unexpected();
  region.armed = own;
  return HN_OK;
}

/// The shape that the caller describes. Errors: bad_usage; what is wrong with the numbers
/// themselves is left to whoever cuts the array.
Result<placement::ArrayShape> shape_of(const hn_array* array) {
  constexpr int most = sizeof(hn_array::extents) / sizeof(size_t);
  if (array == nullptr || array->dimensions < 1 || array->dimensions > most) {
    return bad_usage("the array is NULL or does not have 1 to 4 dimensions",
                     "describe it, or place it without its shape");
  }
  if (array->order != HN_ORDER_C && array->order != HN_ORDER_FORTRAN) {
    return bad_usage(fmt::format("{} is not an array order", array->order),
                     "choose HN_ORDER_C or HN_ORDER_FORTRAN");
  }
  return placement::ArrayShape{
      {array->extents, array->extents + array->dimensions},
      array->element_bytes,
      array->order == HN_ORDER_C ? placement::ArrayOrder::c : placement::ArrayOrder::fortran};
}

}  // namespace

Result<int> place_by(hn_region& region,
                     const std::variant<placement::Policy, placement::PageMap>& how, char** error) {
  const std::lock_guard guard(region.lock);
  const Stopwatch watch(region.statistics);
  if (const auto disarmed = disarm(region); !disarmed) return disarmed.as_unexpected();
  ++region.statistics.placements;
  if (const auto* policy = std::get_if<placement::Policy>(&how)) {
    return place_policy(region, *policy, error);
  }
  return place_map(region, std::get<placement::PageMap>(how), error);
}

Result<int> place_array(hn_region& region, const hn_array* array, const char* rule, char** error) {
  if (rule == nullptr || !is_array_rule(rule)) return place(region, rule, error);
  const auto shape = shape_of(array);
  if (!shape) return shape.as_unexpected();
  os::Os& os = kernel();
  const auto usable = usable_nodes(os);
  if (!usable) return usable.as_unexpected();
  auto map = map_array(rule, *shape, *usable, os.page_bytes());
  if (!map) return map.as_unexpected();
  const std::size_t pages = actuation::page_count(os, region.pages);
  if (map->size() > actuation::page_count(os, {region.address, region.bytes})) {
    return bad_usage(
        fmt::format("the array has {} pages, but the region has {}", map->size(), pages),
        "describe an array that covers the region");
  }
  map->resize(pages, map->back());  // What lies behind the array goes with its end.
  return place_by(region, *std::move(map), error);
}

Result<int> place(hn_region& region, const char* rule, char** error) {
  if (rule == nullptr) {
    return bad_usage("the memory rule is NULL", "write one, such as cyclic or bind@0");
  }
  if (is_array_rule(rule)) {
    return bad_usage(fmt::format("'{}' divides an array, but this region has no shape", rule),
                     "pass the array's shape to hn_region_place_array()");
  }
  const auto parsed = read_rule(kernel(), rule);
  if (!parsed) return parsed.as_unexpected();
  if (const auto* next_touch = std::get_if<placement::NextTouchRule>(&parsed->how)) {
    return arm(region, *next_touch);
  }
  const auto how = placement::resolve(*parsed, actuation::page_count(kernel(), region.pages));
  if (!how) return how.as_unexpected();
  return place_by(region, *how, error);
}

hn_statistics statistics_of(const hn_region& region) {
  const std::lock_guard guard(region.lock);
  hn_statistics statistics = region.statistics;
  if (region.armed.address == nullptr) return statistics;
  if (const auto counts = actuation::next_touch_counts(region.armed)) {
    statistics.pages_moved += counts->pages_moved;
  }
  return statistics;
}

std::string to_json(const actuation::Audit& audit, std::size_t page_bytes,
                    std::optional<Bytes> huge) {
  using Json = nlohmann::ordered_json;
  Json nodes = Json::object();
  for (const auto& [node, pages] : audit.pages_on_node) nodes[std::to_string(node.value())] = pages;
  Json reasons = Json::object();
  for (const auto& [reason, pages] : audit.reasons) reasons[actuation::to_string(reason)] = pages;
  return Json{
      {"schema", "homenode.audit/1"},           {"page_bytes", page_bytes},
      {"pages", audit.node_of_page.size()},     {"pages_on_node", std::move(nodes)},
      {"pages_on_no_node", std::move(reasons)}, {"huge_bytes", huge ? Json(huge->value) : Json()}}
      .dump();
}

}  // namespace homenode::capi

using namespace homenode;  // NOLINT: the C interface stands outside the namespace.

hn_region::~hn_region() {
  // Before the memory goes: what is armed must not be unmapped.
  if (capi::guarded_value(false, [&] { return capi::disarm(*this).has_value(); })) return;
  if (memory) {
    memory.reset();
    actuation::forget_next_touch(armed);
  } else {
    actuation::abandon_next_touch(armed);  // Its owner goes on to use it.
  }
}

extern "C" int hn_region_place(hn_region* region, const char* rule, char** error) {
  return capi::guarded(error, [&]() -> Result<int> {
    if (region == nullptr) return bad_usage("the region is NULL", "allocate or adopt one");
    return capi::place(*region, rule, error);
  });
}

extern "C" int hn_region_place_array(hn_region* region, const hn_array* array, const char* rule,
                                     char** error) {
  return capi::guarded(error, [&]() -> Result<int> {
    if (region == nullptr) return bad_usage("the region is NULL", "allocate or adopt one");
    return capi::place_array(*region, array, rule, error);
  });
}
