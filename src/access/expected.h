// The perfect matrix of a pattern, with every element at home, and how far what happened is from it
// (Luo et al., PDCAT 2012: perfect and communication matrix, locality leakage). Pure; serves bench
// map and its reports.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "access/access_matrix.h"
#include "machine/machine.h"

namespace homenode::access {

/// Elements used in one pass, [using node][node that holds]. Not whole numbers where a thread's
/// elements are spread over nodes.
using ElementMatrix = Matrix<NodeId, NodeId>;

/// Elements of one owner that a thread uses in one pass.
struct UsedElements {
  std::optional<std::size_t> owner;  ///< The rank whose elements they are; absent: everybody's.
  std::size_t count = 0;
};

/// Who uses whose elements, by thread rank. The three vectors have one entry for each thread.
struct ElementUse {
  std::vector<NodeId> node_of_thread;
  std::vector<NodeId> home_of_thread;  ///< The memory that is nearest to the thread's node.
  std::vector<std::vector<UsedElements>> used_by_thread;
};

/// The perfect matrix: what a thread owns lies in its home; what is everybody's is spread evenly
/// over the homes of all threads.
/// pre: the threads' nodes and homes are among `nodes`; each owner is a rank.
ElementMatrix expected_elements(const ElementUse& use, const std::vector<NodeId>& nodes);

/// The matrix's cells over their sum; all 0 for an empty matrix.
ElementMatrix shares_of(const ElementMatrix& matrix);
ElementMatrix shares_of(const NodeMatrix& matrix);

/// Share of the elements that lie on the node that uses them; 0 for an empty matrix.
double local_share(const ElementMatrix& matrix);

/// The penalty factor: the mean of distance / 10 over all accesses, 1 where all are local.
/// PF(M) = sum M_ij d_ij / (10 sum M_ij). Nothing where the machine does not declare a distance
/// that is needed, or where the matrix is empty.
std::optional<double> penalty_factor(const machine::Machine& machine, const ElementMatrix& matrix);

/// PF of what was observed and of what could be; the leakage is their difference.
struct Penalty {
  double observed = 1.0;
  double expected = 1.0;
  [[nodiscard]] double leakage() const { return observed - expected; }
};

/// Nothing where either of the two penalty factors is unknown.
std::optional<Penalty> penalty_of(const machine::Machine& machine, const NodeMatrix& observed,
                                  const ElementMatrix& expected);

}  // namespace homenode::access
