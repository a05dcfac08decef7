#include "model/traversal.h"

#include <algorithm>
#include <cmath>

namespace homenode::model {
namespace {

constexpr double lines_of_page = 64;
/// A gap so many times as long as those before it: the thread has gone through the blocks of a leg
/// again and again before it came to the next one.
constexpr double much_longer = 4;
/// Lines of a visit, where caches that threads share answer most.
constexpr double smallest_visit = 0.01;
/// The share of all lines that may be elsewhere than the order explains.
constexpr double unexplained = 0.25;

/// Blocks that a thread goes through together.
struct Blocks {
  std::vector<std::size_t> numbers;
  double visit = 0;   ///< Lines of one block, before it goes on to the next.
  double rounds = 1;  ///< So many times through all of them.
  [[nodiscard]] double lines() const {
    return visit * rounds * static_cast<double>(numbers.size());
  }
};

/// Those that the thread uses, in the order in which it first came to them.
std::vector<std::size_t> in_order(const Object& object, std::size_t thread) {
  const std::size_t blocks = object.blocks();
  const std::size_t row = thread * blocks;
  std::vector<std::size_t> used;
  for (std::size_t block = 0; block < blocks; ++block) {
    if (asked(object.uses[row + block]) > 0) used.push_back(block);
  }
  std::stable_sort(used.begin(), used.end(), [&](std::size_t one, std::size_t other) {
    return object.used_before[row + one] < object.used_before[row + other];
  });
  return used;
}

double median(std::vector<double> numbers) {
  const auto middle = numbers.begin() + static_cast<std::ptrdiff_t>(numbers.size() / 2);
  std::nth_element(numbers.begin(), middle, numbers.end());
  return *middle;
}

/// Ends the last leg, whose first lines are so many before the next leg's; 0: there is none.
void close(std::vector<Blocks>& legs, std::vector<double>& gaps, double length) {
  Blocks& leg = legs.back();
  const Blocks* before = legs.size() > 1 ? &legs[legs.size() - 2] : nullptr;
  if (!gaps.empty())
    leg.visit = std::max(smallest_visit, median(gaps));
  else
    leg.visit = length > 0 ? length : (before == nullptr ? 1 : before->visit);
  const double once = leg.visit * static_cast<double>(leg.numbers.size());
  if (length > 0)
    leg.rounds = std::max(1.0, std::round(length / once));
  else if (before != nullptr)
    leg.rounds = before->rounds;
  gaps.clear();
}

/// The legs of a first pass, by the gaps between the places at which the thread came to blocks.
std::vector<Blocks> legs_of(const std::vector<std::size_t>& order, const double* used_before) {
  std::vector<Blocks> legs(1);
  std::vector<double> gaps;  // Of the leg so far, all but the last, which may be one to the next.
  double usual = 0;
  double begin = used_before[order.front()];
  for (std::size_t i = 0; i < order.size(); ++i) {
    legs.back().numbers.push_back(order[i]);
    if (i + 1 == order.size()) break;
    const double here = used_before[order[i + 1]];
    const double gap = here - used_before[order[i]];
    if (gaps.empty() || gap <= much_longer * usual) {
      gaps.push_back(gap);
      // The median of a long leg changes little.
      if (gaps.size() < 16 || gaps.size() % 64 == 0) usual = median(gaps);
      continue;
    }
    close(legs, gaps, here - begin);
    legs.emplace_back();
    begin = here;
    usual = 0;
  }
  close(legs, gaps, 0);
  return legs;
}

}  // namespace

std::optional<Traversal> Traversal::seen(const Object& object, std::size_t thread) {
  if (object.used_before.empty()) return {};
  const auto order = in_order(object, thread);
  if (order.empty()) return {};
  const std::size_t row = thread * object.blocks();
  const auto legs = legs_of(order, object.used_before.data() + row);
  double all = 0;
  double pass = 0;
  for (const std::size_t block : order) all += asked(object.uses[row + block]);
  for (const Blocks& leg : legs) pass += leg.lines();
  Traversal found;
  found.passes_ = std::max(1.0, all / pass);
  double elsewhere = 0;
  double end = 0;
  for (const Blocks& leg : legs) {
    Leg made;
    double round = 0;
    for (const std::size_t block : leg.numbers) {
      const double lines = asked(object.uses[row + block]) / found.passes_;
      elsewhere += std::abs(lines - leg.rounds * leg.visit) * found.passes_ / 2;
      round += lines / leg.rounds;
      made.stops.push_back({block, round});
    }
    made.begin = end;
    made.end = end += round * leg.rounds;
    found.legs_.push_back(std::move(made));
  }
  if (elsewhere > unexplained * all) return {};
  return found;
}

Traversal Traversal::by_address(const Object& object, std::size_t thread) {
  const std::size_t blocks = object.blocks();
  Traversal found;
  Leg leg;
  double all = 0;
  double pages = 0;
  for (std::size_t block = 0; block < blocks; ++block) {
    const double lines = asked(object.uses[thread * blocks + block]);
    if (lines <= 0) continue;
    pages += static_cast<double>(object.end_page(block) - object.first_page(block));
    all += lines;
    leg.stops.push_back({block, all});
  }
  found.passes_ = std::max(1.0, all / (pages * lines_of_page));
  for (Stop& stop : leg.stops) stop.until /= found.passes_;
  leg.end = leg.stops.back().until;
  found.legs_.push_back(std::move(leg));
  return found;
}

Traversal::Place Traversal::at(double line) const {
  const auto leg = std::upper_bound(legs_.begin(), legs_.end() - 1, line,
                                    [](double place, const Leg& one) { return place < one.end; });
  const double round = leg->stops.back().until;
  const double place = std::fmod(line - leg->begin, round);
  const auto stop = std::upper_bound(leg->stops.begin(), leg->stops.end() - 1, place,
                                     [](double at, const Stop& one) { return at < one.until; });
  const double begin = stop == leg->stops.begin() ? 0 : (stop - 1)->until;
  return {stop->block, std::clamp((place - begin) / (stop->until - begin), 0.0, 1.0)};
}

}  // namespace homenode::model
