// homenode bench stress: who starts where and uses what, decided before anything is allocated.
// Pure.
#pragma once

#include <vector>

#include "machine/machine.h"
#include "trial/memory.h"
#include "trial/stress/options.h"

namespace homenode::trial {

struct StressPlan {
  StressOptions options;
  std::vector<NodeId> nodes;     ///< Those with allowed CPUs; the team counts them from 0.
  workloads::stress::Team team;  ///< Threads node by node.
  std::vector<std::vector<unsigned>> blocks_of_thread;
  std::vector<CpuId> cpu_of_thread;  ///< Where each starts.
  CpuSet all_cpus;                   ///< What the threads are released to.
  NodeSet membind;                   ///< Of the mode of that name.
  std::size_t page_bytes = 4096;
  std::size_t alignment = 4096;    ///< Of each block: a page, or a huge page.
  std::size_t block_bytes = 4096;  ///< A multiple of the alignment.

  [[nodiscard]] std::size_t bytes() const { return block_bytes * team.threads(); }
  [[nodiscard]] NodeId start_node(unsigned thread) const {
    return nodes[team.node_of_thread()[thread]];
  }
};

/// Errors: bad_usage for what check() names, more threads than CPUs, unknown nodes in --map, an odd
/// stride, more memory than there is; not_supported when no CPU is allowed.
Result<StressPlan> plan_stress(const machine::Machine& machine, const StressOptions& options,
                               const MemoryFacts& facts);

}  // namespace homenode::trial
