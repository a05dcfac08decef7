// homenode bench map: what a pattern would be with every element at home, and how far what happened
// is from that (Luo et al., PDCAT 2012: perfect and communication matrix, locality leakage). Pure.
#pragma once

#include <optional>
#include <vector>

#include "access/access_matrix.h"
#include "machine/machine.h"
#include "workloads/map/pattern.h"

namespace homenode::trial {

/// Elements used in one pass, [using node][node that holds]; no whole numbers where a thread's are
/// spread over nodes.
using ElementMatrix = Matrix<NodeId, NodeId>;

/// The perfect matrix: what a thread owns lies on its node, or on the memory nearest to that; what
/// everybody uses is spread evenly over the memory of the nodes that have threads.
/// pre: a node for each thread of the problem; these nodes and their memory are among `nodes`.
ElementMatrix expected_elements(const machine::Machine& machine,
                                const workloads::map::Problem& problem,
                                const std::vector<NodeId>& node_of_thread,
                                const std::vector<NodeId>& nodes);

/// The matrix's cells over their sum.
ElementMatrix shares_of(const ElementMatrix& matrix);
ElementMatrix shares_of(const access::NodeMatrix& matrix);

/// The penalty factor: the mean of distance / 10 over all accesses, 1 where all are local.
/// PF(M) = sum M_ij d_ij / (10 sum M_ij). Nothing where the machine does not tell a distance
/// that is needed, or where the matrix is empty.
std::optional<double> penalty_factor(const machine::Machine& machine, const ElementMatrix& matrix);

/// PF of what was observed and of what could be; the leakage is their difference.
struct Penalty {
  double observed = 1.0;
  double expected = 1.0;
  [[nodiscard]] double leakage() const { return observed - expected; }
};

}  // namespace homenode::trial
