// A machine's parts in a few words each, for the text of `topology` and of `measure`.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "machine/machine.h"

namespace homenode::cli {

/// "16 GiB", "1.25 MiB": three significant digits in the largest fitting binary unit.
std::string size_words(Bytes bytes);

/// "1 node", "4 nodes".
std::string count_words(std::size_t count, const std::string& noun);

/// "8 nodes, 4 packages, 32 CPUs, 128 GiB".
std::string machine_words(const machine::Machine& machine);

/// "16 GiB", or "no memory".
std::string memory_words(const machine::Node& node);

/// "CPUs 0-3", "CPU 5", or "no CPUs".
std::string cpu_words(const CpuSet& cpus);

/// "nodes 0-1", "node 2". pre: nodes is not empty.
std::string node_words(const NodeSet& nodes);

/// The caches that these CPUs use: "L1 32 KiB per CPU, L3 16 MiB per 4 CPUs"; empty without any.
std::string cache_words(const machine::Machine& machine, const CpuSet& cpus);

/// The cache words that hold for every node with CPUs, when they are the same for all.
std::optional<std::string> common_cache_words(const machine::Machine& machine);

/// "eth0 (network), sda (block)" of the devices local to exactly these nodes; empty without any.
std::string device_words(const machine::Machine& machine, const NodeSet& nodes);

/// Sets of several nodes that share devices, and the empty set for devices of unknown place.
std::vector<NodeSet> shared_device_places(const machine::Machine& machine);

/// What affinity and cpuset take away from this process; empty when it takes nothing.
std::string limit_words(const machine::Machine& machine);

/// "fastest first: nodes 0-1 (tier 4), node 2 (tier 22)"; empty where all memory is in one tier.
std::string tier_words(const machine::Machine& machine);

/// Who says so: "from the firmware", "declared by the file", "measured".
std::string provenance_words(machine::Provenance provenance);

}  // namespace homenode::cli
