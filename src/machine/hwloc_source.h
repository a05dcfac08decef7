// An hwloc topology that is loaded from what a person names. Internal to the machine room: no
// other room sees hwloc.
#pragma once

#include <hwloc.h>

#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"

namespace homenode::machine {

/// What a person writes before a synthetic description, in place of a file's path.
inline constexpr std::string_view synthetic_prefix = "synthetic:";

struct TopologyDeleter {
  void operator()(hwloc_topology_t topology) const { hwloc_topology_destroy(topology); }
};
/// Owns one hwloc topology.
using Topology = std::unique_ptr<hwloc_topology, TopologyDeleter>;

/// The running system with all its CPUs and nodes, allowed or not. Errors: failed.
Result<Topology> open_live();
/// The same without what stands between devices and nodes: PCI devices and bridges, whose
/// configuration hwloc reads register by register, a millisecond a device in a virtual machine. The
/// devices themselves are there, at their nodes.
Result<Topology> open_live_without_pci();
/// Errors: failed, naming the file, when it is missing, unreadable or not hwloc's XML.
Result<Topology> open_xml(const std::string& path);
/// A topology from hwloc's XML that hwloc itself has written.
Result<Topology> open_xml_text(const std::string& xml);
/// Errors: bad_usage when the description makes no sense to hwloc.
Result<Topology> open_synthetic(const std::string& description);

}  // namespace homenode::machine
