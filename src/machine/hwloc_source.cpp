#include "machine/hwloc_source.h"

#include <sys/stat.h>

#include <cerrno>
#include <cstdlib>
#include <mutex>

#include <fmt/format.h>

namespace homenode::machine {
namespace {

/// hwloc complains on stderr about strange systems and files; only the command line may print. It
/// offers no call for that, only this variable, which it reads once.
void silence_hwloc() {
  static std::once_flag once;
  std::call_once(once, [] { setenv("HWLOC_HIDE_ERRORS", "2", 0); });
}

Result<Topology> new_topology() {
  silence_hwloc();
  hwloc_topology_t raw = nullptr;
  if (hwloc_topology_init(&raw) != 0) {
    return failed("cannot start hwloc", "free some memory and try again", errno);
  }
  Topology topology(raw);
  hwloc_topology_set_flags(raw, HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED);
  hwloc_topology_set_io_types_filter(raw, HWLOC_TYPE_FILTER_KEEP_IMPORTANT);
  hwloc_topology_set_icache_types_filter(raw, HWLOC_TYPE_FILTER_KEEP_ALL);
  return topology;
}

/// Discovery that is of no use here: x86 moves the calling thread over every CPU to ask what Linux has
/// told already (and describes the wrong machine under HWLOC_FSROOT); the others start GPU runtimes.
void leave_out_slow_discovery(hwloc_topology_t topology) {
  for (const char* component : {"x86", "opencl", "cuda", "nvml", "rsmi", "levelzero", "gl"}) {
    hwloc_topology_set_components(topology, HWLOC_TOPOLOGY_COMPONENTS_FLAG_BLACKLIST, component);
  }
}

}  // namespace

Result<Topology> open_live() {
  auto topology = new_topology();
  if (!topology) return topology;
  leave_out_slow_discovery(topology->get());
  if (hwloc_topology_load(topology->get()) != 0) {
    return failed("cannot read this machine's topology", "check that /sys is mounted", errno);
  }
  return topology;
}

Result<Topology> open_xml(const std::string& path) {
  struct stat status {};
  if (stat(path.c_str(), &status) != 0) {
    return failed(fmt::format("cannot read the machine file '{}'", path), "check the path", errno);
  }
  if (!S_ISREG(status.st_mode)) {
    return failed(fmt::format("cannot read the machine file '{}': it is not a regular file", path),
                  "name an hwloc XML file");
  }
  auto topology = new_topology();
  if (!topology) return topology;
  errno = 0;
  if (hwloc_topology_set_xml(topology->get(), path.c_str()) != 0 ||
      hwloc_topology_load(topology->get()) != 0) {
    const int reason = errno == EACCES ? EACCES : 0;
    return failed(fmt::format("'{}' is not a machine file that hwloc {} can read", path,
                              HWLOC_VERSION),
                  fmt::format("make one with 'lstopo {}' or 'homenode topology --xml={}'",
                              "machine.xml", "machine.xml"),
                  reason);
  }
  return topology;
}

Result<Topology> open_synthetic(const std::string& description) {
  auto topology = new_topology();
  if (!topology) return topology;
  if (hwloc_topology_set_synthetic(topology->get(), description.c_str()) != 0 ||
      hwloc_topology_load(topology->get()) != 0) {
    return bad_usage(fmt::format("hwloc cannot read the synthetic machine '{}'", description),
                     "write levels such as 'pack:2 [numa] core:2 pu:1'");
  }
  return topology;
}

}  // namespace homenode::machine
