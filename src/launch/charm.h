// Charm++'s arguments for placement, before the program as its own launcher takes them, or behind
// it where its programs take them: +setcpuaffinity +pemap L +maffinity +nodemap L +mempol P. Pure;
// serves the verb `run`.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/result.h"
#include "launch/threads.h"

namespace homenode::launch {

/// `setcpuaffinity` and `maffinity` are Charm++'s switches, the rest its lists.
struct CharmRequest {
  bool setcpuaffinity = false;
  std::string pemap = {};  ///< +pemap or +coremap.
  bool maffinity = false;
  std::string nodemap = {};  ///< +nodemap or +memnodemap, one node a PE.
  std::string mempol = {};   ///< bind, preferred or interleave.
};

/// How many arguments one of Charm++'s takes with its value; 0 for another one.
std::size_t charm_length(const std::string& argument);

/// Takes the arguments that begin with '+' and their values off the front of `program`, and a "--"
/// after them. Errors: bad_usage for an unknown one, one without its value, one given twice.
Result<CharmRequest> take_charm_arguments(std::vector<std::string>& program);

/// Those among a program's own arguments; +pemap alone is enough there, as in Charm++. Errors: as
/// take_charm_arguments().
Result<CharmRequest> find_charm_arguments(const std::vector<std::string>& program);

/// The same as options of `run`. Charm++ forks the further PEs of a machine from the first one, or
/// makes them threads in an SMP build (where its communication thread, the last one, takes an entry
/// too); so both are counted, but not without +setcpuaffinity: a helper that a program forks would
/// take the entry of its next thread. +mempol interleave is over all nodes of the map, for every
/// PE. Errors: bad_usage where an argument lacks the one that it needs (+pemap and +maffinity need
/// +setcpuaffinity, +nodemap and +mempol need +maffinity).
Result<ThreadRequest> from_charm(const CharmRequest& charm);

}  // namespace homenode::launch
