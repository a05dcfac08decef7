// The figures that a request means on a machine, in the order in which they are measured. Pure.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "machine/machine.h"
#include "measure/request.h"

namespace homenode::measure {

/// Who asks, and whose memory is asked.
struct Pair {
  NodeId from;
  NodeId to;
  friend auto operator<=>(const Pair&, const Pair&) = default;
};

struct LatencyItem {
  Pair pair;
  bool write = false;
  friend bool operator==(const LatencyItem&, const LatencyItem&) = default;
};

enum class Scope { one_cpu, all_cpus };
struct BandwidthItem {
  Kernel kernel = Kernel::read;
  Scope scope = Scope::all_cpus;
  Pair pair;
  friend bool operator==(const BandwidthItem&, const BandwidthItem&) = default;
};

/// All nodes at once: each on its own memory, or everybody over all memory in turn.
enum class Together { local, interleaved };
struct TogetherItem {
  Kernel kernel = Kernel::read;
  Together kind = Together::local;
  friend bool operator==(const TogetherItem&, const TogetherItem&) = default;
};

/// Who reads lines, and in whose cache they are modified.
struct CorePair {
  CpuId reader;
  CpuId owner;
  friend bool operator==(const CorePair&, const CorePair&) = default;
};

/// A GPU by its index in the driver's list, and whose memory it asks.
struct GpuItem {
  std::size_t gpu = 0;
  NodeId to;
  friend bool operator==(const GpuItem&, const GpuItem&) = default;
};
/// Copies to it and from it, and the latency of its loads.
inline constexpr std::size_t figures_of_gpu_item = 3;

struct Plan {
  Request request;
  std::vector<NodeId> sources;       ///< Nodes with CPUs that may be used, increasing.
  std::vector<NodeId> targets;       ///< Nodes with memory that may be used, increasing.
  std::map<NodeId, CpuSet> cpus_of;  ///< The allowed CPUs of each source.
  std::vector<LatencyItem> latency;
  std::vector<BandwidthItem> bandwidth;
  std::vector<TogetherItem> together;
  std::vector<Pair> loaded;
  std::vector<GpuItem> gpus;    ///< None before plan_gpus().
  std::vector<CorePair> cores;  ///< Both orders of each two CPUs of the sources.
  /// Rounds that an injecting CPU idles after each small page, from the least load to the most.
  std::vector<std::size_t> idle_rounds;
  unsigned runs = 0;
  double budget_s = 0.0;           ///< Everything together, preparations included.
  std::vector<std::string> notes;  ///< What is left out and why, a sentence each.

  /// How many figures there are to measure; the points of a load curve count one by one.
  [[nodiscard]] std::size_t figures() const;
  /// The kernel whose bandwidths the weights come from. pre: bandwidth is not empty.
  [[nodiscard]] Kernel weights_kernel() const;
};

/// Errors: bad_usage for nodes that do not exist or may not be used, with the reason;
/// not_supported when no CPU and memory remain.
Result<Plan> make_plan(const machine::Machine& machine, const Request& request);

/// Adds every target for each of so many GPUs, where the request wants them.
void plan_gpus(std::size_t count, Plan& plan);

}  // namespace homenode::measure
