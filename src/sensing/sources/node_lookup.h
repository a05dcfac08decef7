// The node of a CPU and of a physical address: what perf gives of an access, as nodes. Serves the
// sources of samples.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/sample.h"
#include "machine/machine.h"
#include "os/os.h"

namespace homenode::sensing {

/// Physical memory of one node, from its first address to behind its last.
struct NodeSpan {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  std::uint16_t node = 0;
};

/// The spans of all zones in /proc/zoneinfo, which says to the page where nodes begin; blocks of
/// memory in /sys are coarser and may hold the ends of two nodes. Pure; lines of another form are
/// skipped.
std::vector<NodeSpan> parse_zones(std::string_view zoneinfo, std::uint64_t page_bytes);

class NodeLookup {
 public:
  NodeLookup(const machine::Machine& machine, std::vector<NodeSpan> memory);
  /// With the spans of this system; what cannot be read leaves physical addresses without node.
  static NodeLookup of_system(os::Os& os, const machine::Machine& machine);

  /// unknown_sample_id where it is not known, or where the spans of two nodes overlap.
  [[nodiscard]] std::uint16_t of_cpu(std::uint64_t cpu) const;
  [[nodiscard]] std::uint16_t of_physical(std::uint64_t address) const;
  [[nodiscard]] const std::vector<unsigned>& cpus() const { return cpus_; }

 private:
  std::vector<std::uint16_t> node_of_cpu_;
  std::vector<unsigned> cpus_;  ///< All that are online, in order.
  std::vector<NodeSpan> memory_;
};

}  // namespace homenode::sensing
