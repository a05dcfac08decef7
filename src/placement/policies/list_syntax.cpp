#include "placement/policies/list_syntax.h"

#include <charconv>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/id_list.h"

namespace homenode::placement {
namespace {

/// What a list is read against, for one kind of id.
template <class IdType>
struct Universe {
  std::string_view noun;     ///< "node" or "CPU", for messages.
  IdSet<IdType> existing;    ///< All of the machine.
  IdSet<IdType> allowed;     ///< What may be named; what "!" and "+" count in.
  IdSet<IdType> all;         ///< What "all" means.
  std::string_view refusal;  ///< Why one may not be named, for messages: it stands before it.
  std::optional<IdType> last = {};  ///< The last item of the list, which its text leaves empty.
};

/// The number at the front of `text` in one of C's notations, as numactl's strtoul reads it.
std::optional<unsigned> take_number(std::string_view& text) {
  int base = 10;
  std::string_view digits = text;
  if (digits.starts_with("0x") || digits.starts_with("0X")) {
    base = 16;
    digits.remove_prefix(2);
  } else if (digits.starts_with("0")) {
    base = 8;
  }
  unsigned value = 0;
  const auto [end, status] =
      std::from_chars(digits.data(), digits.data() + digits.size(), value, base);
  if (status != std::errc{} || value > max_list_id) return std::nullopt;
  text = digits.substr(static_cast<std::size_t>(end - digits.data()));
  return value;
}

std::string_view trim(std::string_view text) {
  constexpr std::string_view blanks = " \t\n";
  const std::size_t first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

/// "N" or "N-M" as the pair of its ends; nothing for anything else.
std::optional<std::pair<unsigned, unsigned>> parse_range(std::string_view part) {
  const auto first = take_number(part);
  if (!first) return std::nullopt;
  if (part.empty()) return std::pair(*first, *first);
  if (part.front() != '-') return std::nullopt;
  part.remove_prefix(1);
  const auto last = take_number(part);
  if (!last || !part.empty() || *last < *first) return std::nullopt;
  return std::pair(*first, *last);
}

template <class IdType>
Unexpected not_available(const Universe<IdType>& universe, const IdSet<IdType>& wanted,
                         std::string_view text) {
  const IdSet<IdType> missing = wanted - universe.existing;
  const std::string plural = std::string(universe.noun) + "s";
  if (!missing.empty()) {
    return bad_usage(fmt::format("cannot use '{}': this machine has no {} {}", text,
                                 missing.size() == 1 ? universe.noun : plural, to_list(missing)),
                     fmt::format("its {} are {}", plural, to_list(universe.existing)));
  }
  const IdSet<IdType> forbidden = wanted - universe.allowed;
  return bad_usage(fmt::format("cannot use '{}': {} {} {}", text, universe.refusal,
                               forbidden.size() == 1 ? universe.noun : plural, to_list(forbidden)),
                   fmt::format("allowed are {}", to_list(universe.allowed)));
}

/// The comma-separated numbers and ranges; relative ones count within the allowed ids.
template <class IdType>
Result<IdSet<IdType>> parse_items(const Universe<IdType>& universe, std::string_view items,
                                  bool relative, std::string_view text) {
  const std::vector<IdType> allowed = universe.allowed.to_vector();
  IdSet<IdType> set;
  for (bool more = true; more;) {
    const std::size_t comma = items.find(',');
    more = comma != std::string_view::npos;
    const std::string_view part = trim(items.substr(0, comma));
    if (more) items.remove_prefix(comma + 1);
    if (part == "all" && !more) return universe.all;  // It replaces what stands before, as there.
    const bool known = universe.last && !more && part.empty();
    const auto range =
        known ? std::optional(std::pair(universe.last->value(), universe.last->value()))
              : parse_range(part);
    if (!range) {
      return bad_usage(
          fmt::format("cannot read '{}' in the {} list '{}'", part, universe.noun, text),
          "write numbers and ranges such as 0-3,8, or all, same, !LIST, +LIST");
    }
    if (relative && range->second >= allowed.size()) {
      return bad_usage(fmt::format("cannot use '{}': this process may use {} {}s", text,
                                   allowed.size(), universe.noun),
                       "count from +0");
    }
    for (unsigned value = range->first; value <= range->second; ++value) {
      set.insert(relative ? allowed[value] : IdType(value));
    }
  }
  return set;
}

template <class IdType>
Result<IdSet<IdType>> parse(const Universe<IdType>& universe, std::string_view list,
                            const std::optional<IdSet<IdType>>& previous) {
  const std::string text =  // For messages.
      universe.last ? fmt::format("{}{}", list, universe.last->value()) : std::string(list);
  std::string_view rest = trim(list);
  if (rest == "same") {
    if (previous) return *previous;
    return bad_usage(
        fmt::format("'same' needs an earlier {} list on the command line", universe.noun),
        "write the list itself");
  }
  const auto take = [&rest](char wanted) {
    if (!rest.starts_with(wanted)) return false;
    rest.remove_prefix(1);
    return true;
  };
  const bool inverted = take('!');
  const bool relative = take('+');
  auto set = parse_items(universe, rest, relative, text);
  if (!set) return set;
  if (!set->is_subset_of(universe.allowed)) return not_available(universe, *set, text);
  if (inverted) set = universe.allowed - *set;
  if (set->empty()) {
    return bad_usage(
        fmt::format("the {} list '{}' selects no {}", universe.noun, text, universe.noun),
        fmt::format("allowed are {}", to_list(universe.allowed)));
  }
  return set;
}

NodeSet nodes_with_some_of(const machine::Machine& machine, const CpuSet& cpus) {
  NodeSet set;
  for (const machine::Node& node : machine.nodes) {
    if (!(node.cpus & cpus).empty()) set.insert(node.id);
  }
  return set;
}

}  // namespace

Result<NodeSet> parse_nodes(const machine::Machine& machine, std::string_view text,
                            const std::optional<NodeSet>& previous, bool all_nodes,
                            std::optional<NodeId> last) {
  const NodeSet existing = machine.node_ids();
  const NodeSet allowed = all_nodes ? existing : machine.allowed_nodes;
  return parse(Universe<NodeId>{"node", existing, allowed, allowed & machine.nodes_with_memory(),
                                "the cpuset of this process does not allow", last},
               text, previous);
}

Result<NodeSet> parse_cpu_nodes(const machine::Machine& machine, std::string_view text,
                                const std::optional<NodeSet>& previous, CpuReach reach,
                                std::optional<NodeId> last) {
  const NodeSet with_cpus = machine.nodes_with_cpus();
  NodeSet allowed = with_cpus;
  if (reach != CpuReach::machine) {
    allowed = nodes_with_some_of(machine, machine.allowed_cpus);
    if (reach == CpuReach::cpuset) allowed = allowed | (machine.allowed_nodes & with_cpus);
  }
  return parse(Universe<NodeId>{"node", machine.node_ids(), allowed, allowed,
                                "this process may use no CPU of", last},
               text, previous);
}

Result<CpuSet> parse_cpus(const machine::Machine& machine, std::string_view text,
                          const std::optional<CpuSet>& previous, bool all_cpus) {
  const CpuSet existing = machine.cpus();
  const CpuSet allowed = all_cpus ? existing : machine.allowed_cpus;
  return parse(Universe<CpuId>{"CPU", existing, allowed, allowed,
                               "affinity or cpuset of this process do not allow"},
               text, previous);
}

}  // namespace homenode::placement
