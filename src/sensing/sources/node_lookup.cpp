#include "sensing/sources/node_lookup.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/sizes.h"
#include "base/words.h"
#include "machine/kernel_files.h"

namespace homenode::sensing {
namespace {

/// The number behind a word at the start of a line: "spanned  4095".
std::optional<std::uint64_t> number_behind(std::string_view line, std::string_view word) {
  const std::size_t first = line.find_first_not_of(' ');
  if (first == std::string_view::npos || !line.substr(first).starts_with(word)) return {};
  line.remove_prefix(first + word.size());
  const std::size_t digits = line.find_first_not_of(' ');
  if (digits == std::string_view::npos) return {};
  return number_in<std::uint64_t>(line.substr(digits));
}

/// "Node 1, zone   Normal": 1.
std::optional<std::uint16_t> node_of_header(std::string_view line) {
  constexpr std::string_view start = "Node ";
  const std::size_t comma = line.find(", zone");
  if (!line.starts_with(start) || comma == std::string_view::npos) return {};
  return number_in<std::uint16_t>(line.substr(start.size(), comma - start.size()));
}

}  // namespace

std::vector<NodeSpan> parse_zones(std::string_view zoneinfo, std::uint64_t page_bytes) {
  std::vector<NodeSpan> spans;
  std::optional<std::uint16_t> node;
  std::uint64_t spanned = 0;
  while (!zoneinfo.empty()) {
    const std::string_view line = take_until(zoneinfo, '\n');
    if (const auto header = node_of_header(line)) {
      node = header;
      spanned = 0;
    } else if (const auto pages = number_behind(line, "spanned ")) {
      spanned = *pages;
    } else if (const auto first = number_behind(line, "start_pfn: "); first && node && spanned) {
      spans.push_back({*first * page_bytes, (*first + spanned) * page_bytes, *node});
      spanned = 0;
    }
  }
  return spans;
}

NodeLookup::NodeLookup(const machine::Machine& machine, std::vector<NodeSpan> memory)
    : memory_(std::move(memory)) {
  for (const machine::Node& node : machine.nodes) {
    for (const CpuId cpu : node.cpus.to_vector()) {
      const std::size_t index = cpu.value();
      if (node_of_cpu_.size() <= index) node_of_cpu_.resize(index + 1, unknown_sample_id);
      node_of_cpu_[index] = static_cast<std::uint16_t>(node.id.value());
      cpus_.push_back(cpu.value());
    }
  }
  for (const CpuId cpu : machine.cpus_without_node.to_vector()) cpus_.push_back(cpu.value());
  std::sort(cpus_.begin(), cpus_.end());
}

NodeLookup NodeLookup::of_system(os::Os& os, const machine::Machine& machine) {
  std::string zoneinfo;
  if (machine::read_kernel_file(os, "/proc/zoneinfo", zoneinfo) < 0) zoneinfo.clear();
  return {machine, parse_zones(zoneinfo, os.page_bytes())};
}

std::uint16_t NodeLookup::of_cpu(std::uint64_t cpu) const {
  return cpu < node_of_cpu_.size() ? node_of_cpu_[cpu] : unknown_sample_id;
}

std::uint16_t NodeLookup::of_physical(std::uint64_t address) const {
  std::uint16_t node = unknown_sample_id;
  if (address == 0) return node;
  for (const NodeSpan& span : memory_) {
    if (address < span.begin || address >= span.end || span.node == node) continue;
    if (node != unknown_sample_id) return unknown_sample_id;
    node = span.node;
  }
  return node;
}

}  // namespace homenode::sensing
