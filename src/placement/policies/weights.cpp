#include "placement/policies/weights.h"

#include <algorithm>
#include <cmath>

namespace homenode::placement {
namespace {

/// Node n takes time weight/bandwidth for its pages of one round; all of them together, the longest
/// of these.
double efficiency_of(const std::map<NodeId, unsigned>& weights,
                     const std::map<NodeId, double>& bandwidths, double total_bandwidth) {
  double pages = 0;
  double longest = 0;
  for (const auto& [node, weight] : weights) {
    pages += weight;
    longest = std::max(longest, weight / bandwidths.at(node));
  }
  return longest == 0 ? 0.0 : pages / longest / total_bandwidth;
}

}  // namespace

Weights best_weights(const std::map<NodeId, double>& bandwidth_of_node) {
  std::map<NodeId, double> bandwidths;
  double total = 0;
  double largest = 0;
  Weights plain;
  for (const auto& [node, bandwidth] : bandwidth_of_node) {
    if (!(bandwidth > 0) || !std::isfinite(bandwidth)) continue;
    bandwidths[node] = bandwidth;
    plain.of_node[node] = 1;
    total += bandwidth;
    largest = std::max(largest, bandwidth);
  }
  plain.efficiency = efficiency_of(plain.of_node, bandwidths, total);
  plain.plain_efficiency = plain.efficiency;
  Weights best = plain;
  // The node with the most bandwidth gets `scale`, the others their share of it.
  for (unsigned scale = 1; scale <= largest_kernel_weight; ++scale) {
    Weights tried;
    for (const auto& [node, bandwidth] : bandwidths) {
      tried.of_node[node] =
          std::max(1U, static_cast<unsigned>(std::lround(bandwidth / largest * scale)));
    }
    tried.efficiency = efficiency_of(tried.of_node, bandwidths, total);
    tried.plain_efficiency = plain.efficiency;
    if (tried.efficiency > best.efficiency) best = tried;
    if (best.efficiency >= 1 - accepted_loss) break;
  }
  return best;
}

}  // namespace homenode::placement
