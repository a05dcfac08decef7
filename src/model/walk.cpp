#include "model/walk.h"

#include <algorithm>
#include <cmath>

namespace homenode::model {
namespace {

constexpr std::size_t most_stretches = 16;
constexpr std::size_t most_passes = 4;
constexpr double lines_of_page = 64;
constexpr double golden_ratio = 1.6180339887498949;

/// Well mixed bits of a number (the finalizer of SplitMix64).
std::uint64_t mixed(std::uint64_t number) {
  number += 0x9e3779b97f4a7c15U;
  number = (number ^ number >> 30U) * 0xbf58476d1ce4e5b9U;
  number = (number ^ number >> 27U) * 0x94d049bb133111ebU;
  return number ^ number >> 31U;
}

/// The node that has this place, from 0 to 1, if they lie side by side.
std::size_t node_of(const NodeShares& shares, double place) {
  std::size_t last = 0;
  for (std::size_t node = 0; node < shares.size(); ++node) {
    if (shares[node] <= 0) continue;
    last = node;
    place -= shares[node];
    if (place < 0) break;
  }
  return last;
}

}  // namespace

Walk::Walk(const Object& object, const std::vector<NodeShares>& homes, std::size_t thread,
           std::size_t requests, double lines)
    : homes_(homes),
      shares_(homes.front().size(), 0),
      in_order_(object.in_order >= in_order_from),
      seed_(in_order_ ? 0 : mixed(thread)) {
  double all = 0;
  double pages = 0;
  const std::size_t blocks = object.blocks();
  for (std::size_t block = 0; block < blocks; ++block) {
    const Lines& uses = object.uses[thread * blocks + block];
    const double used = uses.reads > 0 ? uses.reads : uses.writes;
    if (used > 0) pages += static_cast<double>(object.end_page(block) - object.first_page(block));
    all += used;
    until_.push_back(all);
    for (std::size_t node = 0; node < shares_.size(); ++node) {
      shares_[node] += used * homes[block][node];
    }
  }
  for (double& share : shares_) share /= all;
  const double passes = std::max(1.0, all / (pages * lines_of_page));
  step_ = lines * passes;
  page_ = lines_of_page * passes;
  // How much more there is than the requests walk through.
  const double more = all * passes / (step_ * static_cast<double>(requests));
  const auto parts = static_cast<std::size_t>(
      std::clamp(more, 1.0, static_cast<double>(std::min(most_stretches, requests))));
  const std::size_t rounds =
      std::min({parts, most_passes, static_cast<std::size_t>(std::round(passes))});
  stretch_ = requests / parts;
  stretches_ = parts / rounds;
}

double Walk::chance(std::uint64_t number) const {
  return static_cast<double>(mixed(seed_ ^ mixed(number)) >> 11U) * 0x1p-53;
}

std::size_t Walk::next() {
  const std::size_t request = at_++;
  if (!in_order_) return node_of(shares_, chance(request));
  const std::size_t number = request / stretch_;
  const auto in_pass = static_cast<double>(number % stretches_);
  const double begin =
      (in_pass + (stretches_ > 1 ? chance(number) : 0)) / static_cast<double>(stretches_);
  const double all = until_.back();
  double place = begin * all + static_cast<double>(request % stretch_) * step_;
  while (place >= all) place -= all;
  const auto block = std::upper_bound(until_.begin(), until_.end(), place) - until_.begin();
  const NodeShares& shares = homes_[static_cast<std::size_t>(block)];
  // Of a block of several pages, pages that follow one another lie on different nodes, each on as
  // many as it has: multiples of the golden ratio are spread evenly.
  const auto page = static_cast<std::uint64_t>(place / page_);
  const double turn = static_cast<double>(page) * golden_ratio;
  return node_of(shares, turn - std::floor(turn));
}

}  // namespace homenode::model
