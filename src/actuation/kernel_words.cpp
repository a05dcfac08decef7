#include "actuation/kernel_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <sstream>
#include <string>
#include <utility>

#include "base/id_list.h"

namespace homenode::actuation {
namespace {

/// The number of kB after `key`, wherever it stands in the line.
std::optional<Bytes> kilobytes(std::string_view line, std::string_view key) {
  const std::size_t at = line.find(key);
  if (at == std::string_view::npos) return std::nullopt;
  line.remove_prefix(at + key.size());
  line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
  std::uint64_t number = 0;
  if (std::from_chars(line.data(), line.data() + line.size(), number).ec != std::errc{}) {
    return std::nullopt;
  }
  return Bytes{number << 10U};
}

std::optional<Bytes> find_kilobytes(const std::string& text, std::string_view key) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (const auto bytes = kilobytes(line, key)) return bytes;
  }
  return std::nullopt;
}

/// The addresses of a line "first-end rwxp …", which begins a mapping in smaps.
std::optional<std::pair<std::uintptr_t, std::uintptr_t>> mapping_of(std::string_view line) {
  std::uintptr_t first = 0;
  std::uintptr_t end = 0;
  const char* const stop = line.data() + line.size();
  const auto [dash, status] = std::from_chars(line.data(), stop, first, 16);
  if (status != std::errc{} || dash == stop || *dash != '-') return std::nullopt;
  if (std::from_chars(dash + 1, stop, end, 16).ec != std::errc{}) return std::nullopt;
  return std::pair{first, end};
}

}  // namespace

std::optional<Bytes> huge_in(std::string_view smaps, std::uintptr_t first, std::size_t bytes) {
  Bytes sum;
  bool seen = false;
  bool inside = false;
  while (!smaps.empty()) {
    const std::string_view line = smaps.substr(0, smaps.find('\n'));
    smaps.remove_prefix(std::min(line.size() + 1, smaps.size()));
    if (const auto mapping = mapping_of(line)) {
      inside = mapping->first < first + bytes && first < mapping->second;
      seen = seen || inside;
    } else if (!inside) {
      continue;
    } else if (const auto huge = kilobytes(line, "AnonHugePages:")) {
      sum.value += huge->value;
    }
  }
  return seen ? std::optional(std::min(sum, Bytes{bytes})) : std::nullopt;
}

std::optional<Bytes> huge_bytes(os::Os& os, Region region) {
  std::string smaps;
  if (os.read_file("/proc/self/smaps", smaps) < 0) return std::nullopt;
  return huge_in(smaps, reinterpret_cast<std::uintptr_t>(region.address), region.bytes);
}

std::optional<std::vector<Region>> closed_remains(std::string_view maps, std::uintptr_t first,
                                                  std::size_t bytes) {
  std::vector<Region> closed;
  std::size_t mapped = 0;
  while (!maps.empty()) {
    const std::string_view line = maps.substr(0, maps.find('\n'));
    maps.remove_prefix(std::min(line.size() + 1, maps.size()));
    const auto mapping = mapping_of(line);
    if (!mapping) continue;
    const std::uintptr_t begin = std::max(mapping->first, first);
    const std::uintptr_t end = std::min(mapping->second, first + bytes);
    if (end <= begin) continue;
    mapped += end - begin;
    if (line.find(" ---p ") == std::string_view::npos) continue;
    closed.push_back({reinterpret_cast<void*>(begin), end - begin});  // NOLINT
  }
  if (mapped == bytes) return std::nullopt;
  return closed;
}

std::map<NodeId, Bytes> free_memory(os::Os& os, const std::vector<NodeId>& nodes) {
  std::map<NodeId, Bytes> free;
  for (NodeId node : nodes) {
    std::string text;
    const auto path = fmt::format("/sys/devices/system/node/node{}/meminfo", node.value());
    if (os.read_file(path, text) < 0) continue;
    if (const auto bytes = find_kilobytes(text, "MemFree:")) free[node] = *bytes;
  }
  return free;
}

NodeSet allowed_nodes(os::Os& os) {
  constexpr std::string_view key = "Mems_allowed_list:";
  std::string status;
  if (os.read_file("/proc/self/status", status) < 0) return {};
  const std::size_t line = status.find(key);
  if (line == std::string::npos) return {};
  const std::size_t first = line + key.size();
  const std::size_t length = std::min(status.find('\n', first), status.size()) - first;
  const auto nodes = parse_node_list(std::string_view(status).substr(first, length));
  return nodes ? *nodes : NodeSet{};
}

std::optional<Bytes> available_memory(os::Os& os) {
  std::string text;
  if (os.read_file("/proc/meminfo", text) < 0) return std::nullopt;
  return find_kilobytes(text, "MemAvailable:");
}

}  // namespace homenode::actuation
