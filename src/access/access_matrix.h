// Access matrices: who uses what. Counts [thread][node] or [node][node], reads and writes apart,
// with provenance. Pure; the second stage, read by model, study and report.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/ids.h"
#include "base/matrix.h"

namespace homenode::access {

/// A thread by rank in creation order.
using ThreadRank = Id<struct ThreadRankTag>;

enum class Provenance {
  exact,     ///< Every access was counted (lab).
  sampled,   ///< Estimated from samples.
  computed,  ///< From the program's declared pattern and an audit of its pages.
};

/// The provenance's name in JSON and reports: exact, sampled, computed.
[[nodiscard]] std::string to_string(Provenance provenance);

/// Reads and writes, apart.
struct Counts {
  std::uint64_t reads = 0;
  std::uint64_t writes = 0;
  [[nodiscard]] std::uint64_t total() const { return reads + writes; }
  Counts& operator+=(const Counts& other) {
    reads += other.reads;
    writes += other.writes;
    return *this;
  }
  friend bool operator==(const Counts&, const Counts&) = default;
};

using ThreadMatrix = Matrix<ThreadRank, NodeId, Counts>;
using NodeMatrix = Matrix<NodeId, NodeId, Counts>;

/// Folds threads onto the nodes they ran on; a node of `nodes` without threads has a row of zeros.
/// pre: node_of_thread has an entry per row, in row order; every thread's node and every column
/// of by_thread is among `nodes`.
NodeMatrix fold(const ThreadMatrix& by_thread, const std::vector<NodeId>& node_of_thread,
                const std::vector<NodeId>& nodes);

/// All accesses of the matrix together.
Counts total(const NodeMatrix& matrix);

/// Share of accesses that stay on their node: trace over total; 0 for an empty matrix.
double local_share(const NodeMatrix& matrix);

/// Largest column over total: 1 = all accesses go to one node, 1/N = flat; 0 for an empty matrix.
double column_concentration(const NodeMatrix& matrix);

}  // namespace homenode::access
