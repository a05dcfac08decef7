// What each thread asks of each node's memory under a layout: lines, and the time that it would
// wait for them if nobody else used the machine. Pure; the models' common first step.
#pragma once

#include <vector>

#include "model/layout.h"

namespace homenode::model {

struct ThreadDemand {
  NodeId node;
  double computing_s = 0;
  std::vector<Lines> lines;  ///< By memory node, in the order of Rates::memory_nodes.
  /// Likewise: what it reads x latency / lines in flight; 0: no latencies. Nobody waits for writes.
  std::vector<double> waiting_s;
  double overlapped_s = 0;  ///< Of all of that, what a prefetcher waits while the thread computes.
  /// Lines in flight, averaged over all lines; 1 without any.
  double lines_in_flight = 1;

  /// What the thread takes by itself.
  [[nodiscard]] double alone_s() const;
  /// Lines of an object on the node at this position.
  void add(const Rates& rates, const Object& object, std::size_t memory, const Lines& some);
};

/// The lines of one thread and object, by memory node.
[[nodiscard]] std::vector<Lines> lines_by_node(const Object& object,
                                               const std::vector<NodeShares>& homes,
                                               std::size_t thread, std::size_t nodes);

/// One entry for each thread. pre: the layout is of this program and machine.
[[nodiscard]] std::vector<ThreadDemand> demands_of(const Rates& rates, const Program& program,
                                                   const Layout& layout);

/// [node of the thread][node of the memory]; nodes without threads have rows of zeros.
using Traffic = Matrix<NodeId, NodeId, Lines>;
[[nodiscard]] Traffic traffic_of(const Rates& rates, const std::vector<ThreadDemand>& demands);

}  // namespace homenode::model
