#include "cli/run/facts.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "actuation/process.h"
#include "base/id_list.h"
#include "base/json_numbers.h"

namespace homenode::cli {
namespace {

using actuation::PolicyState;
using actuation::SegmentDump;
using actuation::SegmentRange;
using machine::NodeHardware;
using placement::PolicyKind;

/// The name of a policy, of MPOL_* with or without flags: "bind", "preferred-many".
std::string policy_name(int mode) {
  const auto kind = actuation::policy_kind_of(mode);
  return kind ? placement::to_string(*kind) : fmt::format("[{}]", actuation::kernel_number(mode));
}

/// As numactl writes it in text, which is one name in two words.
std::string mode_name(int mode) {
  const bool weighted = actuation::policy_kind_of(mode) == PolicyKind::weighted_interleave;
  return weighted ? "weighted interleave" : policy_name(mode);
}

/// The value of `preferred node:`.
std::string preferred_node(const PolicyState& state) {
  const std::string first =
      state.nodes.empty() ? "current" : fmt::format("{}", state.nodes.to_vector().front().value());
  const auto kind = actuation::policy_kind_of(state.mode);
  if (kind == PolicyKind::interleave) {
    return fmt::format("{} (interleave next)",
                       state.next_interleaved ? state.next_interleaved->value() : 0);
  }
  return kind == PolicyKind::preferred_many ? first + " (preferred-many)" : first;
}

template <class IdType>
std::string line(const char* name, const IdSet<IdType>& set) {
  std::string text = fmt::format("{}: ", name);
  for (IdType id : set.to_vector()) text += fmt::format("{} ", id.value());
  return text + "\n";
}

/// "bind : 0 1 ", as numactl ends its lines.
std::string range_text(const SegmentRange& range) {
  if (range.node) return fmt::format("{}", range.node->value());
  std::string text = mode_name(range.mode) + " : ";
  for (NodeId node : range.nodes.to_vector()) text += fmt::format("{} ", node.value());
  return text;
}

bool has_policy(const SegmentRange& range) {
  return range.node || actuation::policy_kind_of(range.mode) != PolicyKind::default_policy;
}

/// " 0 1 2 3", or " 0-3, 8 (5)".
std::string cpu_text(const CpuSet& cpus, bool compress) {
  std::string text;
  if (!compress) {
    for (CpuId cpu : cpus.to_vector()) text += fmt::format(" {}", cpu.value());
    return text;
  }
  for (char c : to_list(cpus)) text += c == ',' ? std::string(", ") : std::string(1, c);
  return (text.empty() ? "" : " " + text) + fmt::format(" ({})", cpus.size());
}

std::string distance_text(const std::vector<NodeHardware>& nodes) {
  for (const NodeHardware& node : nodes) {
    if (node.distances.size() != nodes.size()) return "No distance information available.\n";
  }
  std::string text = "node distances:\nnode  ";
  for (const NodeHardware& node : nodes) text += fmt::format("{:4} ", node.node.id.value());
  text += "\n";
  for (const NodeHardware& node : nodes) {
    text += fmt::format("{:4}: ", node.node.id.value());
    for (unsigned distance : node.distances) text += fmt::format("{:4} ", distance);
    text += "\n";
  }
  return text;
}

}  // namespace

std::string show_text(const PolicyState& state) {
  std::string text =
      fmt::format("policy: {}\npreferred node: {}\n", mode_name(state.mode), preferred_node(state));
  if (actuation::policy_kind_of(state.mode) == PolicyKind::interleave) {
    text += line("interleavemask", state.nodes);
    text += fmt::format("interleavenode: {}\n",
                        state.next_interleaved ? state.next_interleaved->value() : 0);
  }
  text += line("physcpubind", state.cpus);
  text += line("cpubind", state.cpu_nodes);
  text += line("nodebind", state.cpu_nodes);
  text += line("membind", state.memory_nodes);
  text += line("preferred", state.nodes);
  return text;
}

std::string show_json(const PolicyState& state) {
  nlohmann::ordered_json json{{"schema", "homenode.run.show/2"},
                              {"policy", policy_name(state.mode)},
                              {"balancing", actuation::has_balancing(state.mode)},
                              {"nodes", numbers(state.nodes)},
                              {"cpus", numbers(state.cpus)},
                              {"cpu_nodes", numbers(state.cpu_nodes)},
                              {"memory_nodes", numbers(state.memory_nodes)}};
  json["next_interleaved"] = state.next_interleaved
                                 ? nlohmann::ordered_json(state.next_interleaved->value())
                                 : nlohmann::ordered_json(nullptr);
  return json.dump(2) + "\n";
}

std::string hardware_text(const std::vector<NodeHardware>& nodes, bool compress) {
  NodeSet ids;
  for (const NodeHardware& node : nodes) ids.insert(node.node.id);
  std::string text = fmt::format("available: {} nodes ({})\n", nodes.size(), to_list(ids));
  for (const NodeHardware& node : nodes) {
    const unsigned id = node.node.id.value();
    text += fmt::format("node {} cpus:{}\n", id, cpu_text(node.node.cpus, compress));
    text += fmt::format("node {} size: {} MB\n", id, node.node.memory.value >> 20);
    text += fmt::format("node {} free: {} MB\n", id, node.free.value >> 20);
  }
  return text + distance_text(nodes);
}

std::string hardware_json(const std::vector<NodeHardware>& nodes) {
  nlohmann::ordered_json json{{"schema", "homenode.run.hardware/2"}};
  json["nodes"] = nlohmann::ordered_json::array();
  for (const NodeHardware& node : nodes) {
    json["nodes"].push_back({{"id", node.node.id.value()},
                             {"cpus", numbers(node.node.cpus)},
                             {"memory_bytes", node.node.memory.value},
                             {"free_bytes", node.free.value},
                             {"distances", node.distances}});
  }
  return json.dump(2) + "\n";
}

std::string segment_text(const std::vector<SegmentDump>& dumps) {
  std::string text;
  for (const SegmentDump& dump : dumps) {
    for (const SegmentRange& range : dump.ranges) {
      if (!has_policy(range)) continue;
      text += fmt::format("{:016x}-{:016x}: {}\n", range.first, range.end, range_text(range));
    }
  }
  return text;
}

std::string segment_json(const actuation::SegmentRequest& request,
                         const std::vector<SegmentDump>& dumps) {
  nlohmann::ordered_json json{{"schema", "homenode.run.dump/2"},
                              {"kind", request.is_file ? "file" : "segment"},
                              {"name", request.path},
                              {"dumps", nlohmann::ordered_json::array()}};
  for (const SegmentDump& dump : dumps) {
    nlohmann::ordered_json ranges = nlohmann::ordered_json::array();
    for (const SegmentRange& range : dump.ranges) {
      nlohmann::ordered_json entry{{"first_byte", range.first},
                                   {"end_byte", range.end},
                                   {"node", nullptr},
                                   {"policy", nullptr},
                                   {"nodes", nullptr}};
      if (range.node) {
        entry["node"] = range.node->value();
      } else {
        entry["policy"] = policy_name(range.mode);
        entry["nodes"] = numbers(range.nodes);
      }
      ranges.push_back(std::move(entry));
    }
    json["dumps"].push_back({{"of", dump.of_nodes ? "nodes" : "policies"}, {"ranges", ranges}});
  }
  return json.dump(2) + "\n";
}

}  // namespace homenode::cli
