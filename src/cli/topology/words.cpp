#include "cli/topology/words.h"

#include <algorithm>
#include <array>
#include <map>

#include <fmt/format.h>

#include "base/id_list.h"

namespace homenode::cli {

using machine::Machine;
using machine::Node;

std::string size_words(Bytes bytes) {
  constexpr std::array units{"bytes", "KiB", "MiB", "GiB", "TiB", "PiB"};
  auto value = static_cast<double>(bytes.value);
  std::size_t unit = 0;
  while (value >= 1023.5 && unit + 1 < units.size()) {
    value /= 1024;
    ++unit;
  }
  return value >= 100 ? fmt::format("{:.0f} {}", value, units[unit])
                      : fmt::format("{:.3g} {}", value, units[unit]);
}

std::string count_words(std::size_t count, const std::string& noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

std::string machine_words(const Machine& machine) {
  Bytes memory;
  for (const Node& node : machine.nodes) memory.value += node.memory.value;
  std::string text = count_words(machine.nodes.size(), "node");
  if (!machine.packages.empty()) text += ", " + count_words(machine.packages.size(), "package");
  text += ", " + count_words(machine.cpus().size(), "CPU");
  return text + ", " + (memory.value == 0 ? "memory unknown" : size_words(memory));
}

std::string memory_words(const Node& node) {
  return node.memory.value == 0 ? "no memory" : size_words(node.memory);
}

std::string cpu_words(const CpuSet& cpus) {
  if (cpus.empty()) return "no CPUs";
  return fmt::format("{} {}", cpus.size() == 1 ? "CPU" : "CPUs", to_list(cpus));
}

std::string node_words(const NodeSet& nodes) {
  return fmt::format("{} {}", nodes.size() == 1 ? "node" : "nodes", to_list(nodes));
}

namespace {

/// How many CPUs share one of the caches of a size, at least and at most.
struct Sharing {
  std::size_t least = 0;
  std::size_t most = 0;
};

std::string sharing_words(const Sharing& sharing) {
  if (sharing.most == 1) return "per CPU";
  if (sharing.least == sharing.most) return fmt::format("per {} CPUs", sharing.most);
  return fmt::format("per {}-{} CPUs", sharing.least, sharing.most);
}

}  // namespace

std::string cache_words(const Machine& machine, const CpuSet& cpus) {
  std::map<unsigned, std::map<Bytes, Sharing>> levels;
  for (const machine::Cache& cache : machine.caches) {
    if ((cache.cpus & cpus).empty()) continue;
    const std::size_t count = cache.cpus.size();
    Sharing& sharing =
        levels[cache.level].try_emplace(cache.size, Sharing{count, count}).first->second;
    sharing.least = std::min(sharing.least, count);
    sharing.most = std::max(sharing.most, count);
  }
  std::string text;
  for (const auto& [level, sizes] : levels) {
    text += fmt::format("{}L{} ", text.empty() ? "" : ", ", level);
    std::string alternatives;
    for (const auto& [size, sharing] : sizes) {
      alternatives += fmt::format("{}{} {}", alternatives.empty() ? "" : " or ", size_words(size),
                                  sharing_words(sharing));
    }
    text += alternatives;
  }
  return text;
}

std::optional<std::string> common_cache_words(const Machine& machine) {
  std::optional<std::string> common;
  for (const Node& node : machine.nodes) {
    if (node.cpus.empty()) continue;
    std::string words = cache_words(machine, node.cpus);
    if (common && *common != words) return std::nullopt;
    common = std::move(words);
  }
  return common;
}

std::string device_words(const Machine& machine, const NodeSet& nodes) {
  std::string text;
  for (const machine::Device& device : machine.devices) {
    if (device.nodes != nodes) continue;
    text += fmt::format("{}{} ({})", text.empty() ? "" : ", ", device.name, device.kind);
  }
  return text;
}

std::vector<NodeSet> shared_device_places(const Machine& machine) {
  std::vector<NodeSet> places;
  for (const machine::Device& device : machine.devices) {
    const bool known = std::find(places.begin(), places.end(), device.nodes) != places.end();
    if (device.nodes.size() != 1 && !known) places.push_back(device.nodes);
  }
  return places;
}

std::string limit_words(const Machine& machine) {
  const auto part = [](const auto& allowed, const auto& all, std::string_view what) {
    const std::string list = allowed.empty() ? "none" : to_list(allowed);
    return fmt::format("{} {} ({} of {})", what, list, allowed.size(), all.size());
  };
  std::string text;
  const CpuSet cpus = machine.cpus();
  if (machine.allowed_cpus != cpus) text = part(machine.allowed_cpus, cpus, "CPUs");
  // Some cpusets leave out nodes without memory; nobody loses anything by that.
  const NodeSet memory = machine.nodes_with_memory();
  const NodeSet allowed_memory = machine.allowed_nodes & memory;
  if (allowed_memory != memory) {
    if (!text.empty()) text += " and ";
    text += part(allowed_memory, memory, "the memory of nodes");
  }
  return text;
}

std::string tier_words(const Machine& machine) {
  std::map<unsigned, NodeSet> tiers;
  for (const auto& [node, tier] : machine.memory_tiers) tiers[tier].insert(node);
  if (tiers.size() < 2) return "";
  std::string text;
  for (const auto& [tier, nodes] : tiers) {
    text += fmt::format("{}{} (tier {})", text.empty() ? "fastest first: " : ", ",
                        node_words(nodes), tier);
  }
  return text;
}

std::string provenance_words(machine::Provenance provenance) {
  switch (provenance) {
    case machine::Provenance::firmware:
      return "from the firmware";
    case machine::Provenance::measured:
      return "measured";
    case machine::Provenance::declared:
      break;
  }
  return "declared by the file";
}

}  // namespace homenode::cli
