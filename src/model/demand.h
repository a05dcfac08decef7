// What each thread asks of each node's memory under a layout: lines, and the time that it would
// wait for them if nobody else used the machine. Pure; the models' common first step.
#pragma once

#include <vector>

#include "model/layout.h"

namespace homenode::model {

struct ThreadDemand {
  NodeId node;
  double computing_s = 0;
  std::vector<Lines> lines;       ///< By memory node, in the order of Rates::memory_nodes.
  std::vector<double> waiting_s;  ///< Likewise: lines x latency / lines in flight; 0: no latencies.
  /// Lines in flight, averaged over all lines; 1 without any.
  double lines_in_flight = 1;

  /// What the thread takes by itself.
  [[nodiscard]] double alone_s() const;
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
