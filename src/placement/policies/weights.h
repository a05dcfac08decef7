// Weights for the kernel's weighted interleave: how many pages in a row each node gets, so that all
// nodes deliver their pages in the same time. Pure.
#pragma once

#include <map>

#include "base/ids.h"

namespace homenode::placement {

/// The largest weight that the kernel takes.
inline constexpr unsigned largest_kernel_weight = 255;
/// Smaller numbers are preferred while they lose no more than this part of the best throughput.
inline constexpr double accepted_loss = 0.02;

struct Weights {
  std::map<NodeId, unsigned> of_node;  ///< 1 … 255 for each node with a known bandwidth.
  /// The throughput that these weights allow over that of shares as exact as can be: the node that
  /// is last decides.
  double efficiency = 0.0;
  /// The same for equal weights, the kernel's plain interleave.
  double plain_efficiency = 0.0;
};

/// The smallest weights (by their sum) whose throughput is within accepted_loss of the best; the
/// best there are where none is. Nodes without a positive bandwidth are left out.
Weights best_weights(const std::map<NodeId, double>& bandwidth_of_node);

}  // namespace homenode::placement
