// What follows from the figures: matrices, NUMA factors, weights. Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "machine/devices/gpu_figures.h"
#include "measure/report.h"

namespace homenode::measure {

/// How many bytes cross the bus for each that STREAM counts.
[[nodiscard]] double moved_ratio(Kernel kernel, const KernelForm& form);

/// "measured", or "modelled in the lab on NAME".
[[nodiscard]] std::string provenance(const Report& report);

using PairMatrix = Matrix<NodeId, NodeId>;

/// Medians by pair, rows the sources and columns the targets of the plan; NaN where not measured.
PairMatrix latency_matrix(const Report& report, bool write);
PairMatrix bandwidth_matrix(const Report& report, Kernel kernel, Scope scope);

/// Medians by CPU: rows the readers, columns those that have modified the lines; NaN where not
/// measured.
Matrix<CpuId, CpuId> core_matrix(const Report& report);
/// Its means by node of reader and owner; NaN where there is no pair.
PairMatrix core_means(const Report& report);
/// The median over pairs of CPUs of one node; nothing where there are none.
std::optional<double> median_in_node(const Report& report);

/// Read latency over that of the row's own node; NaN where the node has no memory of its own.
PairMatrix numa_factors(const Report& report);

/// The machine's matrices for hwloc: rows all nodes with CPUs, columns all with memory, those that
/// were not measured NaN. Read and write latency; read and non-temporal write bandwidth of all CPUs
/// of a node; and `latency` and `bandwidth` as hwloc defines them, the mean of the two.
std::vector<machine::PairValues> pair_values(const Report& report);

/// For the machine as a whole (a node counts with the most that any node gets from it), then for
/// each source. Empty when no bandwidth was measured.
std::vector<InterleaveWeights> interleave_weights(const Report& report);

/// The medians of a GPU, by node; 0 for what was not measured.
std::vector<machine::GpuFigures> gpu_medians(const GpuFacts& gpu);

}  // namespace homenode::measure
