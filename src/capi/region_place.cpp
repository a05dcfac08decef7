#include "capi/region_place.h"

#include <fmt/format.h>

#include <string>
#include <variant>

#include "capi/guard.h"
#include "os/clock.h"
#include "placement/memory_rule.h"

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
  std::string message = fmt::format("{} of {} pages are not where the rule wants them",
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

}  // namespace

Result<int> place(hn_region& region, const char* rule, char** error) {
  if (rule == nullptr) {
    return bad_usage("the memory rule is NULL", "write one, such as cyclic or bind@0");
  }
  const auto parsed = placement::parse_memory_rule(rule, usable_nodes(kernel()));
  if (!parsed) return parsed.as_unexpected();
  const std::lock_guard guard(region.lock);
  const std::size_t pages = actuation::page_count(kernel(), region.pages);
  const auto how = placement::resolve(*parsed, pages);
  if (!how) return how.as_unexpected();
  const Stopwatch watch(region.statistics);
  ++region.statistics.placements;
  if (const auto* policy = std::get_if<placement::Policy>(&*how)) {
    return place_policy(region, *policy, error);
  }
  return place_map(region, std::get<placement::PageMap>(*how), error);
}

}  // namespace homenode::capi

using namespace homenode;  // NOLINT: the C interface stands outside the namespace.

extern "C" int hn_region_place(hn_region* region, const char* rule, char** error) {
  return capi::guarded(error, [&]() -> Result<int> {
    if (region == nullptr) return bad_usage("the region is NULL", "allocate or adopt one");
    return capi::place(*region, rule, error);
  });
}
