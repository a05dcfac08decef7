// The counts of one finished region of interest, and the line of JSON (schema "homenode.counts/2")
// in which the plugin hands them to the lab's driver.
#pragma once

#include <map>
#include <span>
#include <string>

#include "lab/plugin/vcpu_account.h"
#include "lab/timing/timekeeper.h"

namespace homenode::lab {

/// The ranks that threads announced.
using Ranks = std::map<ThreadKey, std::uint64_t>;

/// What is known of the region besides the vCPUs' accounts.
struct RegionSummary {
  unsigned number = 1;  ///< Counted from 1 since the machine was started.
  Scope scope = Scope::process;
  bool ended_by_marker = true;
  bool registers = true;  ///< Whether this QEMU lets the plugin read registers.
  CacheShape cache;
  std::span<const NodeId> nodes;
};

/// One line, ending with a newline; `time` is null where none was modelled.
/// pre: each account has as many node counters as there are nodes.
[[nodiscard]] std::string counts_line(const RegionSummary& summary,
                                      std::span<const VcpuAccount> vcpus, const Ranks& ranks,
                                      const Timekeeper* time);

}  // namespace homenode::lab
