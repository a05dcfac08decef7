#include "lab/timing/timeline.h"

#include <algorithm>

namespace homenode::lab {
namespace {

constexpr std::uint64_t shortest_cut_ps = 10'000'000;
constexpr std::uint64_t cuts_of_the_past = 1000;

bool joins(const Interval& last, const Interval& next) {
  if (last.thread != next.thread || last.activity != next.activity || last.to_ps != next.from_ps) {
    return false;
  }
  if (next.activity != Activity::user) return next.activity < Activity::sleeping;
  return last.to_ps - last.from_ps < std::max(shortest_cut_ps, last.from_ps / cuts_of_the_past);
}

}  // namespace

Timeline::Timeline(unsigned vcpus, std::size_t limit) : limit_(limit) {
  for (unsigned i = 0; i < vcpus; ++i) tracks_.emplace_back(*this);
}

void Timeline::clear() {
  for (Track& track : tracks_) track.intervals_.clear();
  kept_ = 0;
  dropped_ = 0;
}

void Timeline::Track::add(const Interval& interval) {
  if (interval.to_ps <= interval.from_ps) return;
  if (!intervals_.empty() && joins(intervals_.back(), interval)) {
    intervals_.back().to_ps = interval.to_ps;
    intervals_.back().stall_ps += interval.stall_ps;
    return;
  }
  if (whole_.kept_.load(std::memory_order_relaxed) >= whole_.limit_) {
    whole_.dropped_.fetch_add(1, std::memory_order_relaxed);
    return;
  }
  whole_.kept_.fetch_add(1, std::memory_order_relaxed);
  intervals_.push_back(interval);
}

}  // namespace homenode::lab
