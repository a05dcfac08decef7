#include "sensing/numa_maps.h"

#include <algorithm>
#include <optional>

#include "base/id_list.h"
#include "base/sizes.h"
#include "base/words.h"

namespace homenode::sensing {
namespace {

/// The kernel's buffer for a policy has 64 bytes, the last of them a zero.
constexpr std::size_t longest_policy = 63;

struct ModeName {
  std::string_view kernels;
  std::string_view ours;
};
constexpr ModeName mode_names[] = {
    {"prefer", "preferred"},
    {"prefer (many)", "preferred-many"},
    {"weighted interleave", "weighted-interleave"},
};

/// Takes the policy, which has a blank inside for two of the modes.
std::string_view take_policy(std::string_view& line) {
  constexpr std::string_view two_words[] = {"prefer (many)", "weighted interleave"};
  for (std::string_view start : two_words) {
    if (!line.starts_with(start)) continue;
    const std::size_t end = std::min(line.find(' ', start.size()), line.size());
    const std::string_view policy = line.substr(0, end);
    line.remove_prefix(end);
    return policy;
  }
  return take_word(line);
}

/// The list up to its last complete part when it was cut.
NodeSet nodes_in(std::string_view list, bool& cut) {
  if (cut) list = list.substr(0, std::min(list.find_last_of(','), list.size()));
  const auto nodes = parse_node_list(list);
  if (nodes) return *nodes;
  cut = true;
  return {};
}

StatedPolicy parse_policy(std::string_view text) {
  StatedPolicy policy;
  policy.nodes_cut = text.size() >= longest_policy;
  std::string_view head = take_until(text, ':');
  const std::string_view mode = take_until(head, '=');
  policy.flags = head;
  policy.mode = mode;
  for (const ModeName& name : mode_names) {
    if (mode == name.kernels) policy.mode = name.ours;
  }
  if (!text.empty()) policy.nodes = nodes_in(text, policy.nodes_cut);
  return policy;
}

/// "N3=17" into the node and the number.
std::optional<std::pair<NodeId, std::uint64_t>> pages_in(std::string_view key,
                                                         std::uint64_t value) {
  if (!key.starts_with('N')) return std::nullopt;
  const auto node = number_in<unsigned>(key.substr(1));
  if (!node || *node > max_list_id) return std::nullopt;
  return std::pair(NodeId(*node), value);
}

void set_number(NumaMapping& mapping, std::string_view key, std::uint64_t value) {
  if (const auto pages = pages_in(key, value)) {
    if (pages->second > 0) mapping.pages.push_back(*pages);
  } else if (key == "anon") {
    mapping.anon = value;
  } else if (key == "dirty") {
    mapping.dirty = value;
  } else if (key == "swapcache") {
    mapping.swapcache = value;
  } else if (key == "mapmax") {
    mapping.most_sharers = std::max<std::uint64_t>(value, 1);
  } else if (key == "kernelpagesize_kB" && value > 0 && value <= (UINT64_MAX >> 10U)) {
    mapping.page_size = {value << 10U};
  }
}

std::optional<NumaMapping> parse_line(std::string_view line) {
  const auto first = number_in(take_until(line, ' '), 16);
  if (!first) return std::nullopt;
  NumaMapping mapping;
  mapping.first = *first;
  const std::string_view policy = take_policy(line);
  if (policy.empty()) return std::nullopt;
  mapping.policy = parse_policy(policy);
  for (std::string_view word = take_word(line); !word.empty(); word = take_word(line)) {
    if (word == "heap") {
      mapping.heap = true;
    } else if (word == "stack" || word.starts_with("stack:")) {
      mapping.stack = true;
    } else if (word == "huge") {
      mapping.huge = true;
    } else {
      const std::string_view key = take_until(word, '=');
      if (key == "file") {
        mapping.file = unescaped(word);
      } else if (const auto value = number_in(word)) {
        set_number(mapping, key, *value);
      }
    }
  }
  std::sort(mapping.pages.begin(), mapping.pages.end());
  return mapping;
}

}  // namespace

std::string to_string(const StatedPolicy& policy) {
  std::string text = policy.mode;
  if (!policy.flags.empty()) text.append("=").append(policy.flags);
  if (!policy.nodes.empty()) text.append(":").append(to_list(policy.nodes));
  if (policy.nodes_cut) text += ",…";
  return text;
}

NumaMaps parse_numa_maps(std::string_view text) {
  NumaMaps maps;
  while (!text.empty()) {
    const std::string_view line = take_line(text);
    if (line.empty()) continue;
    if (auto mapping = parse_line(line)) {
      maps.mappings.push_back(std::move(*mapping));
    } else {
      ++maps.unreadable_lines;
    }
  }
  return maps;
}

Bytes bytes_of(std::uint64_t pages, Bytes page_size) {
  return {pages * page_size.value};
}

}  // namespace homenode::sensing
