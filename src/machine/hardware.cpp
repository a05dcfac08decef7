#include "machine/hardware.h"

#include <fmt/format.h>

#include <cerrno>
#include <string>

#include "machine/kernel_files.h"

namespace homenode::machine {
Result<std::vector<NodeHardware>> read_hardware(os::Os& os, const Machine& machine) {
  std::vector<NodeHardware> nodes;
  for (const Node& node : machine.nodes) {
    NodeHardware found{node, {}, {}};
    std::string text;
    int result = read_kernel_file(os, node_file(node.id, "meminfo"), text);
    // A kernel without NUMA has no such folder and one node.
    if (result == -ENOENT && machine.nodes.size() == 1)
      result = read_kernel_file(os, meminfo_file, text);
    if (result < 0) {
      return failed(fmt::format("cannot read the memory of node {}", node.id.value()),
                    "check that /sys is mounted", -result);
    }
    found.free = memory_amount(text, "MemFree:").value_or(Bytes{});
    found.distances = read_node_distances(os, node.id);
    nodes.push_back(std::move(found));
  }
  return nodes;
}

}  // namespace homenode::machine
