#include "cli/run/hardware.h"

#include <fmt/format.h>

#include <cerrno>
#include <nlohmann/json.hpp>

#include "base/id_list.h"
#include "machine/kernel_files.h"

namespace homenode::cli {
namespace {

/// " 0 1 2 3", or " 0-3, 8 (5)".
std::string cpu_words(const CpuSet& cpus, bool compress) {
  std::string text;
  if (!compress) {
    for (CpuId cpu : cpus.to_vector()) text += fmt::format(" {}", cpu.value());
    return text;
  }
  for (char c : to_list(cpus)) text += c == ',' ? std::string(", ") : std::string(1, c);
  return (text.empty() ? "" : " " + text) + fmt::format(" ({})", cpus.size());
}

std::string distance_text(const std::vector<HardwareNode>& nodes) {
  for (const HardwareNode& node : nodes) {
    if (node.distances.size() != nodes.size()) return "No distance information available.\n";
  }
  std::string text = "node distances:\nnode  ";
  for (const HardwareNode& node : nodes) text += fmt::format("{:4} ", node.node.id.value());
  text += "\n";
  for (const HardwareNode& node : nodes) {
    text += fmt::format("{:4}: ", node.node.id.value());
    for (unsigned distance : node.distances) text += fmt::format("{:4} ", distance);
    text += "\n";
  }
  return text;
}

}  // namespace

Result<std::vector<HardwareNode>> read_hardware(os::Os& os, const machine::Machine& machine) {
  std::vector<HardwareNode> nodes;
  for (const machine::Node& node : machine.nodes) {
    HardwareNode found{node, {}, {}};
    std::string text;
    int result = machine::read_kernel_file(os, machine::node_file(node.id, "meminfo"), text);
    // A kernel without NUMA has no such folder and one node.
    if (result == -ENOENT && machine.nodes.size() == 1)
      result = machine::read_kernel_file(os, machine::meminfo_file, text);
    if (result < 0) {
      return failed(fmt::format("cannot read the memory of node {}", node.id.value()),
                    "check that /sys is mounted", -result);
    }
    found.free = machine::memory_amount(text, "MemFree:").value_or(Bytes{});
    found.distances = machine::read_node_distances(os, node.id);
    nodes.push_back(std::move(found));
  }
  return nodes;
}

std::string hardware_text(const std::vector<HardwareNode>& nodes, bool compress) {
  NodeSet ids;
  for (const HardwareNode& node : nodes) ids.insert(node.node.id);
  std::string text = fmt::format("available: {} nodes ({})\n", nodes.size(), to_list(ids));
  for (const HardwareNode& node : nodes) {
    const unsigned id = node.node.id.value();
    text += fmt::format("node {} cpus:{}\n", id, cpu_words(node.node.cpus, compress));
    text += fmt::format("node {} size: {} MB\n", id, node.node.memory.value >> 20);
    text += fmt::format("node {} free: {} MB\n", id, node.free.value >> 20);
  }
  return text + distance_text(nodes);
}

std::string hardware_json(const std::vector<HardwareNode>& nodes) {
  nlohmann::ordered_json json{{"schema", "homenode.run.hardware/1"}};
  json["nodes"] = nlohmann::ordered_json::array();
  for (const HardwareNode& node : nodes) {
    nlohmann::ordered_json cpus = nlohmann::ordered_json::array();
    for (CpuId cpu : node.node.cpus.to_vector()) cpus.push_back(cpu.value());
    json["nodes"].push_back({{"node", node.node.id.value()},
                             {"cpus", std::move(cpus)},
                             {"bytes", node.node.memory.value},
                             {"free_bytes", node.free.value},
                             {"distances", node.distances}});
  }
  return json.dump(2) + "\n";
}

}  // namespace homenode::cli
