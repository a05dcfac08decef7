#include "capi/array_rule.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "base/id_list.h"

namespace homenode::capi {
namespace {

using Cutter = Result<placement::PageMap> (*)(const placement::ArrayShape&, std::span<const NodeId>,
                                              std::size_t, std::size_t);
struct ArrayRule {
  std::string_view name;
  Cutter cut;
};
constexpr std::array table{
    ArrayRule{"rows", placement::array_rows},
    ArrayRule{"columns", placement::array_columns},
    ArrayRule{"blocks", placement::array_blocks},
};

const ArrayRule* find(std::string_view rule) {
  const std::string_view name = rule.substr(0, rule.find_first_of(":@"));
  const auto* const found = std::find_if(table.begin(), table.end(),
                                         [&](const ArrayRule& each) { return each.name == name; });
  return found == table.end() ? nullptr : found;
}

/// How many indices go in turn: 0 for none given; nothing for what is no number above 0.
std::optional<std::size_t> indices_in_turn(std::string_view rule) {
  const std::size_t colon = rule.find(':');
  if (colon == std::string_view::npos) return 0;
  std::string_view text = rule.substr(colon + 1);
  const auto number = take_number(text);
  if (!number || *number == 0 || !text.empty()) return std::nullopt;
  return *number;
}

Result<NodeSet> nodes_of(std::string_view text, const NodeSet& usable) {
  const auto nodes = parse_node_list(text);
  if (!nodes) return nodes.as_unexpected();
  if (!nodes->empty() && nodes->is_subset_of(usable)) return *nodes;
  return bad_usage(fmt::format("'{}' does not list nodes that have memory and are allowed", text),
                   "choose among the nodes " + to_list(usable));
}

}  // namespace

bool is_array_rule(std::string_view rule) {
  return find(rule) != nullptr;
}

Result<placement::PageMap> map_array(std::string_view rule, const placement::ArrayShape& shape,
                                     const NodeSet& usable, std::size_t page_bytes) {
  const std::size_t at = rule.find('@');
  const std::string_view how = rule.substr(0, at);
  const auto in_turn = indices_in_turn(how);
  if (!in_turn) {
    return bad_usage(
        fmt::format("cannot read the number of indices per block in '{}'", rule),
        fmt::format("write {0} or {0}:N, with N from 1 to {1}", find(rule)->name, max_list_id));
  }
  NodeSet nodes = usable;
  if (at != std::string_view::npos) {
    auto named = nodes_of(rule.substr(at + 1), usable);
    if (!named) return named.as_unexpected();
    nodes = *std::move(named);
  }
  return find(rule)->cut(shape, nodes.to_vector(), page_bytes, *in_turn);
}

}  // namespace homenode::capi
