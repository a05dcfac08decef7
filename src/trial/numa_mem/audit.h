// homenode bench numa-mem: where its pages are, at the end of a run and while it works.
#pragma once

#include <sys/types.h>

#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/id_set.h"
#include "os/os.h"
#include "trial/numa_mem/plan.h"
#include "trial/numa_mem/shared.h"
#include "workloads/numa_mem/words.h"

namespace homenode::trial {

/// Where the pages of a memory were after the run.
struct NumaMemAudit {
  std::string name;
  std::size_t bytes = 0;
  std::map<NodeId, std::size_t> pages_on_node;
  std::map<std::string, std::size_t> reasons;  ///< Of pages on no node.
  std::string refusal;                         ///< Why nothing is known, else empty.
};

void to_json(nlohmann::json& json, const NumaMemAudit& audit);
void from_json(const nlohmann::json& json, NumaMemAudit& audit);

/// Of memory of the calling process, several ranges together.
NumaMemAudit audit_words(os::Os& os, const std::string& name,
                         std::span<const workloads::numa_mem::Words> ranges);

/// A process at one moment.
struct ProcessLook {
  NodeSet thread_nodes;  ///< Where its threads were after their last loop; empty: not known.
  std::map<NodeId, std::size_t> pages;  ///< Of those that were looked at; no shared memory.
};

struct NumaMemLook {
  double seconds = 0.0;  ///< Since the threads began, on the host's clock.
  std::vector<ProcessLook> processes;

  /// As perf has it: the threads of each process are on one node. Pages do not count.
  [[nodiscard]] bool converged() const;
};

/// Since when all looks up to the last were converged; nothing where the last was not. Pure.
std::optional<double> converged_since(std::span<const NumaMemLook> looks);

/// Asks the kernel for up to 1024 pages of each process.
NumaMemLook take_look(os::Os& os, const NumaMemPlan& plan, const LiveTasks& live,
                      std::span<const pid_t> processes);

}  // namespace homenode::trial
