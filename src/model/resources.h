// What threads share: every memory is a resource of what it gives at most, every pair of nodes one
// of its own, and every link one for each way. Pure; the models in which threads share count by it.
#pragma once

#include <cstddef>
#include <vector>

#include "model/fair_shares.h"
#include "model/prediction.h"

namespace homenode::model {

/// Numbers of resources: controllers first, by memory node; then paths, by CPU node and memory
/// node; then links, each way by itself. The rates outlive it.
class Resources {
 public:
  /// pre: the rates have bandwidths.
  explicit Resources(const Rates& rates) : rates_(rates) {}

  [[nodiscard]] std::size_t count() const;
  /// What lines between a node's CPUs and the memory at that position need, as long as they have
  /// everything to themselves.
  [[nodiscard]] std::vector<Need> needs(NodeId from, std::size_t memory, const Lines& lines,
                                        unsigned line_bytes) const;
  /// What people call a resource that holds a thread up for this share of its time.
  [[nodiscard]] Bottleneck bottleneck(std::size_t resource, double share) const;

 private:
  [[nodiscard]] std::size_t memories() const { return rates_.memory_nodes.size(); }
  [[nodiscard]] std::size_t path(NodeId from, std::size_t memory) const;
  /// Where the links begin.
  [[nodiscard]] std::size_t links() const { return memories() * (1 + rates_.cpu_nodes.size()); }
  [[nodiscard]] std::size_t link(const Step& step) const {
    return links() + 2 * step.link + (step.forward ? 0 : 1);
  }

  const Rates& rates_;
};

}  // namespace homenode::model
