// The matrices between the nodes of a machine: distances, latencies and bandwidths, each with the
// word for who says so. Part of the Machine.
#pragma once

#include <array>
#include <string_view>

#include "base/ids.h"
#include "base/matrix.h"

namespace homenode::machine {

/// Where a figure comes from.
enum class Provenance { firmware, measured, declared };

/// "firmware", "measured", "declared": as JSON and files write it.
[[nodiscard]] std::string_view provenance_name(Provenance provenance);
/// Whose name it is; `declared` for anything that is none.
[[nodiscard]] Provenance provenance_of(std::string_view name);

/// Relative distances (SLIT, 10 = local), [from node][to node]. The rows are the columns; a node
/// for which the source declares none is absent (ask has()).
struct Distances {
  Matrix<NodeId, NodeId> values;
  Provenance provenance = Provenance::firmware;
  friend bool operator==(const Distances&, const Distances&) = default;
};

/// What the values of a pair of nodes are. `latency` and `bandwidth` stand for both directions
/// where no read or write form is there.
enum class MatrixKind {
  latency,
  read_latency,
  write_latency,
  bandwidth,
  read_bandwidth,
  write_bandwidth
};

inline constexpr std::array all_matrix_kinds = {
    MatrixKind::latency,   MatrixKind::read_latency,   MatrixKind::write_latency,
    MatrixKind::bandwidth, MatrixKind::read_bandwidth, MatrixKind::write_bandwidth};

/// "latency", "read_bandwidth", …: as JSON writes it.
[[nodiscard]] std::string_view kind_name(MatrixKind kind);
/// hwloc's name of the memory attribute: "Latency", "ReadBandwidth", …
[[nodiscard]] std::string_view attribute_name(MatrixKind kind);
[[nodiscard]] bool is_latency(MatrixKind kind);
/// "ns" of idle load-to-use latency, or "MiB/s" of all CPUs of a node together.
[[nodiscard]] std::string_view unit_name(MatrixKind kind);

/// One matrix: rows are the nodes with CPUs, columns those with memory, both in increasing order;
/// NaN where nobody says.
struct PairValues {
  MatrixKind kind = MatrixKind::latency;
  Matrix<NodeId, NodeId> values;
  Provenance provenance = Provenance::declared;
  /// Two unknown values are the same.
  friend bool operator==(const PairValues& a, const PairValues& b);
};

}  // namespace homenode::machine
