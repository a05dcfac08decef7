// A measurement for programs: homenode's JSON, which the pictures are drawn from, and hwloc's XML,
// which lstopo and the lab read.
#pragma once

#include <string>

#include "base/result.h"
#include "measure/report.h"

namespace homenode::cli {

/// One object, schema homenode.measure/2, ending in a newline. What was not measured is null. Each
/// figure is the median of its runs; in the lab they are modelled, which `provenance` and
/// `modelled` say.
///
/// - `matrices`: the medians between nodes, a row for each node that asks: latencies in ns, NUMA
///   factors, bandwidths of all CPUs of a node in MiB/s as STREAM counts them;
/// - `latency`, `bandwidth`, `together`, `loaded`: every figure with its spread over the runs and
///   whether it is noisy; bandwidths counted and as they cross the bus;
/// - `core_to_core`: the medians between CPUs in ns, a row for each that reads, a column for each
///   whose cache has modified the lines;
/// - `gpus`: copies between each node's memory and each GPU in MiB/s, and the latency of its loads;
/// - `weights`: the best ones for weighted interleave and what they reach;
/// - `machine`, `memory`: the nodes and packages measured, and how their memory was placed;
/// - `notes`: sentences that a reader has to know.
std::string measure_json(const measure::Report& report);

/// A line for each figure: medians, and how the runs spread. Of figures between CPUs, from and to
/// are CPUs, else nodes or a GPU's name. `kernel` is of bandwidths, counted as STREAM counts them.
std::string measure_csv(const measure::Report& report);

/// The live machine with what was measured as memory attributes of its nodes, in ns and MiB/s, and
/// an info `Source.Measure` that says how it was measured; with `CacheToCacheNs`, which the lab
/// reads, where core to core was measured, and for each GPU an info `Gpu.ADDRESS`, which `run
/// --near` reads. Errors: failed, when hwloc refuses.
Result<std::string> measure_xml(const measure::Report& report);

}  // namespace homenode::cli
