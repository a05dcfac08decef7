// The machine as the lab's clock sees it: what an instruction, a cache, a trip to memory and a
// place in a queue cost. A value, read from the text file (schema "homenode.timing 1") that the
// lab's driver derives from a machine file.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/ids.h"
#include "base/result.h"

namespace homenode::lab {

/// One level of cache. Latencies are load-to-use; that of the first level is part of the CPI.
struct CacheTiming {
  std::uint64_t bytes = 0;
  unsigned ways = 0;
  std::uint64_t latency_ps = 0;
};

/// Reads and writes that pass per second, in MiB.
struct Bandwidths {
  std::uint64_t read_mibs = 0;
  std::uint64_t write_mibs = 0;
};

/// A directed link that several pairs of nodes share.
struct SharedLink {
  unsigned from = 0;
  unsigned to = 0;
  std::uint64_t mibs = 0;
};

/// From a node with CPUs to a node with memory. Nodes are positions in TimingModel::nodes.
struct PairTiming {
  bool known = false;            ///< The pair was declared.
  std::uint64_t latency_ps = 0;  ///< Of a load that misses every cache of an idle machine.
  /// What all CPUs of the first node get from the memory of the second; zero: the controller's.
  Bandwidths bandwidths;
  std::vector<unsigned> route;  ///< Nodes on the way, both ends included; empty: no shared links.
};

struct TimingModel {
  std::uint64_t frequency_mhz = 0;
  std::uint64_t cpi_milli = 0;  ///< Thousandths of a cycle per instruction, nothing missing.
  std::uint64_t window = 0;     ///< Instructions that may wait behind an unfinished load.
  unsigned misses = 0;          ///< Demand misses in flight per vCPU.
  unsigned prefetches = 0;      ///< Lines in flight per vCPU for sequential streams.
  unsigned line_bytes = 64;
  CacheTiming l1;
  std::optional<CacheTiming> l2;
  std::optional<CacheTiming> l3;
  std::vector<std::vector<unsigned>> l3_groups;  ///< vCPUs that share one instance.
  std::uint64_t cache_to_cache_ps = 0;
  std::uint64_t pause_ps = 0;           ///< Of a `pause`, beside its instruction.
  std::uint64_t wake_up_ps = 0;         ///< From waking a thread up to the switch to it.
  std::vector<NodeId> nodes;            ///< Increasing; all positions below refer to this.
  std::vector<unsigned> vcpu_nodes;     ///< The node of each vCPU.
  std::vector<Bandwidths> controllers;  ///< Of each node; zero where a node has no memory.
  std::vector<PairTiming> pairs;        ///< [from * nodes + to]
  std::vector<SharedLink> links;
  std::uint64_t epoch_ps = 0;  ///< How far vCPUs may run apart.

  [[nodiscard]] const PairTiming& pair(unsigned from, unsigned to) const {
    return pairs[from * nodes.size() + to];
  }
  /// Time of one instruction that waits for nothing.
  [[nodiscard]] std::uint64_t instruction_fs() const {
    return cpi_milli * 1'000'000 / frequency_mhz;
  }
  /// Time that one line occupies something that passes so much per second.
  [[nodiscard]] std::uint64_t line_ps(std::uint64_t mibs) const {
    return line_bytes * 1'000'000'000'000 / (mibs << 20U);
  }
  /// The position of a node in `nodes`, or nothing.
  [[nodiscard]] std::optional<unsigned> position(NodeId id) const;
};

/// Reads a timing file's text. Errors: bad_usage, naming the line and what is wrong with it, or
/// what is missing.
[[nodiscard]] Result<TimingModel> parse_timing(std::string_view text);

}  // namespace homenode::lab
