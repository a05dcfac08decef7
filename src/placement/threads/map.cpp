#include "placement/threads/map.h"

#include <fmt/format.h>

#include <optional>

#include "base/id_list.h"
#include "placement/threads/expression.h"

namespace homenode::placement {
namespace {

/// Allowed CPUs node by node, then those that no node claims.
std::vector<CpuId> cpus_node_by_node(const machine::Machine& machine) {
  std::vector<CpuId> cpus;
  CpuSet rest = machine.allowed_cpus;
  for (const machine::Node& node : machine.nodes) {
    for (CpuId cpu : (node.cpus & machine.allowed_cpus).to_vector()) cpus.push_back(cpu);
    rest = rest - node.cpus;
  }
  for (CpuId cpu : rest.to_vector()) cpus.push_back(cpu);
  return cpus;
}

/// "N" or "N-M"; a range may run downwards, because the order of a thread map has a meaning.
std::optional<std::vector<CpuId>> parse_part(std::string_view part) {
  const auto first = take_number(part);
  if (!first) return std::nullopt;
  unsigned last = *first;
  if (part.starts_with('-')) {
    part.remove_prefix(1);
    const auto end = take_number(part);
    if (!end) return std::nullopt;
    last = *end;
  }
  if (!part.empty()) return std::nullopt;
  std::vector<CpuId> cpus{CpuId(*first)};
  for (unsigned cpu = *first; cpu != last;) {
    cpu = cpu < last ? cpu + 1 : cpu - 1;
    cpus.push_back(CpuId(cpu));
  }
  return cpus;
}

}  // namespace

ThreadMap compact(const machine::Machine& machine, std::size_t threads) {
  const std::vector<CpuId> cpus = cpus_node_by_node(machine);
  ThreadMap map;
  if (cpus.empty()) return map;
  for (std::size_t rank = 0; rank < threads; ++rank) {
    map.cpus_by_rank.push_back(CpuSet{cpus[rank % cpus.size()]});
  }
  return map;
}

Result<ThreadMap> parse_thread_map(const machine::Machine& machine, std::string_view text) {
  ThreadMap map;
  for (std::string_view rest = text;;) {
    const std::size_t comma = rest.find(',');
    const std::string_view part = rest.substr(0, comma);
    const auto cpus = parse_part(part);
    if (!cpus) {
      return bad_usage(fmt::format("cannot read '{}' in the thread map '{}'", part, text),
                       "write CPUs in rank order, such as 0,4,8-11");
    }
    for (CpuId cpu : *cpus) {
      if (!machine.allowed_cpus.contains(cpu)) {
        return bad_usage(fmt::format("CPU {} in the thread map '{}' does not exist or is not "
                                     "allowed here",
                                     cpu.value(), text),
                         "choose among the CPUs " + to_list(machine.allowed_cpus));
      }
      map.cpus_by_rank.push_back(CpuSet{cpu});
    }
    if (comma == std::string_view::npos) return map;
    rest.remove_prefix(comma + 1);
  }
}

std::string to_string(const ThreadMap& map) {
  std::string text;
  for (const CpuSet& cpus : map.cpus_by_rank) {
    if (cpus.size() != 1) return to_places(map);
    text += fmt::format("{}{}", text.empty() ? "" : ",", to_list(cpus));
  }
  return text;
}

}  // namespace homenode::placement
