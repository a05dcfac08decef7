#include "base/id_list.h"

#include <fmt/format.h>

#include <charconv>

namespace homenode {
namespace {

template <class IdType>
std::string print(const IdSet<IdType>& set) {
  std::string text;
  const std::vector<IdType> ids = set.to_vector();
  for (std::size_t first = 0; first < ids.size();) {
    std::size_t last = first;
    while (last + 1 < ids.size() && ids[last + 1].value() == ids[last].value() + 1) ++last;
    if (!text.empty()) text += ',';
    text += fmt::format("{}", ids[first].value());
    if (last > first) text += fmt::format("-{}", ids[last].value());
    first = last + 1;
  }
  return text;
}

std::string_view trim(std::string_view text) {
  const auto blank = [](char c) { return c == ' ' || c == '\t' || c == '\n'; };
  while (!text.empty() && blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && blank(text.back())) text.remove_suffix(1);
  return text;
}

bool take(std::string_view& text, char wanted) {
  if (text.empty() || text.front() != wanted) return false;
  text.remove_prefix(1);
  return true;
}

/// One comma-separated part: N, N-M or N-M:used/group.
template <class IdType>
bool insert_part(std::string_view part, IdSet<IdType>& set) {
  const auto first = take_number(part);
  if (!first) return false;
  unsigned last = *first;
  unsigned used = 1;
  unsigned group = 1;
  if (take(part, '-')) {
    const auto end = take_number(part);
    if (!end || *end < *first) return false;
    last = *end;
    if (take(part, ':')) {
      const auto used_text = take_number(part);
      if (!used_text || !take(part, '/')) return false;
      const auto group_text = take_number(part);
      if (!group_text || *used_text == 0 || *used_text > *group_text) return false;
      used = *used_text;
      group = *group_text;
    }
  }
  if (!part.empty()) return false;
  for (unsigned value = *first; value <= last; ++value) {
    if ((value - *first) % group < used) set.insert(IdType(value));
  }
  return true;
}

template <class IdType>
Result<IdSet<IdType>> parse(std::string_view text, std::string_view what) {
  IdSet<IdType> set;
  std::string_view rest = trim(text);
  while (!rest.empty()) {
    const std::size_t comma = rest.find(',');
    const std::string_view part = trim(rest.substr(0, comma));
    if (!insert_part(part, set)) {
      return bad_usage(fmt::format("cannot read '{}' in the {} list '{}'", part, what, text),
                       "write numbers and ranges such as 0-3,8");
    }
    if (comma == std::string_view::npos) break;
    rest.remove_prefix(comma + 1);
    if (rest.empty()) {
      return bad_usage(fmt::format("the {} list '{}' ends with a comma", what, text),
                       "write numbers and ranges such as 0-3,8");
    }
  }
  return set;
}

}  // namespace

std::optional<unsigned> take_number(std::string_view& text) {
  unsigned value = 0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (status != std::errc{} || value > max_list_id) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return value;
}

std::string to_list(const NodeSet& nodes) {
  return print(nodes);
}
std::string to_list(const CpuSet& cpus) {
  return print(cpus);
}
Result<NodeSet> parse_node_list(std::string_view text) {
  return parse<NodeId>(text, "node");
}
Result<CpuSet> parse_cpu_list(std::string_view text) {
  return parse<CpuId>(text, "CPU");
}

}  // namespace homenode
