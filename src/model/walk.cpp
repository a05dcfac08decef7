#include "model/walk.h"

#include <algorithm>
#include <cmath>

namespace homenode::model {
namespace {

constexpr std::size_t most_stretches = 16;
constexpr std::size_t most_passes = 4;
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
    : object_(object),
      homes_(homes),
      traversal_(Traversal::seen(object, thread)),
      shares_(homes.front().size(), 0),
      lines_(lines) {
  if (!traversal_ && object.in_order >= in_order_from)
    traversal_ = Traversal::by_address(object, thread);
  if (!traversal_) {
    seed_ = mixed(thread);
    double all = 0;
    const std::size_t blocks = object.blocks();
    for (std::size_t block = 0; block < blocks; ++block) {
      const double used = asked(object.uses[thread * blocks + block]);
      all += used;
      for (std::size_t node = 0; node < shares_.size(); ++node) {
        shares_[node] += used * homes[block][node];
      }
    }
    for (double& share : shares_) share /= all;
    return;
  }
  const double passes = traversal_->passes();
  const double walked = lines * static_cast<double>(requests);
  if (walked >= traversal_->lines()) {
    // Whole passes, one after another: threads that begin together drift apart.
    whole_passes_ = std::round(walked / traversal_->lines());
    lines_ *= whole_passes_ * traversal_->lines() / walked;
    stretch_ = requests;
    return;
  }
  // How much more there is than the requests walk through.
  const double more = traversal_->lines() * passes / walked;
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

Walk::Step Walk::next() {
  const std::size_t request = at_++;
  if (!traversal_) return {node_of(shares_, chance(request)), false};
  const std::size_t number = request / stretch_;
  const auto in_pass = static_cast<double>(number % stretches_);
  const double begin =
      (in_pass + (stretches_ > 1 ? chance(number) : 0)) / static_cast<double>(stretches_);
  const double all = traversal_->lines();
  const auto place = traversal_->at(
      std::fmod(begin * all + static_cast<double>(request % stretch_) * lines_, all));
  const auto first = static_cast<double>(object_.first_page(place.block));
  const auto end = static_cast<double>(object_.end_page(place.block));
  // Of a block of several pages, pages that follow one another lie on different nodes, each on as
  // many as it has: multiples of the golden ratio are spread evenly.
  const double turn = std::floor(first + place.within * (end - first)) * golden_ratio;
  const bool moved = request > 0 && place.block != block_;
  block_ = place.block;
  return {node_of(homes_[place.block], turn - std::floor(turn)), moved};
}

}  // namespace homenode::model
