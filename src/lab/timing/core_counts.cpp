// What a core counts of the answers to its misses.
#include <algorithm>

#include "lab/timing/core.h"

namespace homenode::lab {

unsigned Core::place_of(const LineAnswer& answer, unsigned node) const {
  switch (answer.source) {
    case Source::memory:
      return node;
    case Source::last_level:
      return place_of(StallIn::last_level);
    case Source::own_copy:  // Others' copies have to go.
    case Source::other_cache:
      break;
  }
  return place_of(StallIn::other_cache);
}

void Core::count(const LineAnswer& answer, const Touch& touch) {
  if (answer.source == Source::own_copy) return;
  ++counts_.l2_misses;
  if (answer.source == Source::last_level) ++counts_.l3_hits;
  if (answer.source == Source::other_cache) ++counts_.other_cache;
  report_miss(touch, answer.source);
}

void Core::report_miss(const Touch& touch, Source source) {
  if (miss_hook_ == nullptr) return;
  miss_hook_(miss_data_, {touch.address, touch.line, touch.node, touch.store, touch.shape,
                          touch.prefetched, source != Source::memory});
}

void Core::count_in_flight(std::uint64_t since_ps, std::uint64_t latency_ps) {
  counts_.latency_ps += latency_ps;
  const std::uint64_t until_ps = since_ps + latency_ps;
  if (until_ps <= in_flight_until_ps_) return;
  counts_.in_flight_ps += until_ps - std::max(since_ps, in_flight_until_ps_);
  in_flight_until_ps_ = until_ps;
}

}  // namespace homenode::lab
