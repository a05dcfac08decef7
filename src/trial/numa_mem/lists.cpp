#include "trial/numa_mem/lists.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

#include "base/id_list.h"

namespace homenode::trial {
namespace {

/// One entry: first-last#step_length x times.
struct Entry {
  unsigned first = 0;
  unsigned last = 0;
  unsigned step = 1;
  unsigned length = 1;
  unsigned times = 1;
};

/// The numbers after the first, each with its sign, once, in any order.
std::optional<Entry> read_entry(std::string_view text, std::string_view signs) {
  const auto first = take_number(text);
  if (!first) return std::nullopt;
  std::map<char, unsigned> found;
  while (!text.empty()) {
    const char sign = text.front();
    text.remove_prefix(1);
    const auto number = take_number(text);
    const bool known = signs.find(sign) != std::string_view::npos;
    if (!number || !known || !found.emplace(sign, *number).second) return std::nullopt;
  }
  const auto of = [&found](char sign, unsigned otherwise) {
    const auto at = found.find(sign);
    return at == found.end() ? otherwise : at->second;
  };
  const Entry entry{*first, of('-', *first), of('#', 1), of('_', 1), of('x', 1)};
  if (entry.last < entry.first || entry.step == 0 || entry.length == 0 || entry.times == 0) {
    return std::nullopt;
  }
  return entry;
}

/// Calls add(first, length) for each task that the list names. Errors: bad_usage.
template <class Add>
Result<void> each_place(std::string_view text, std::string_view signs, std::size_t tasks,
                        const Add& add) {
  std::size_t named = 0;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(',', at), text.size());
    const std::string_view word = text.substr(at, end - at);
    const auto entry = read_entry(word, signs);
    if (!entry) {
      return bad_usage(fmt::format("cannot read '{}' in '{}'", word, text),
                       "write A, A-B, A-B#STEP or AxTIMES, with commas between them");
    }
    for (unsigned first = entry->first; first <= entry->last; first += entry->step) {
      for (unsigned i = 0; i < entry->times; ++i) {
        if (++named > tasks) {
          return bad_usage(fmt::format("'{}' names more than {} tasks", text, tasks),
                           "name fewer, or give more -p or -t");
        }
        if (auto added = add(first, entry->length); !added) return added;
      }
    }
    at = end + 1;
  }
  return {};
}

}  // namespace

Result<std::vector<CpuSet>> parse_task_cpus(const machine::Machine& machine, std::string_view text,
                                            std::size_t tasks) {
  std::vector<CpuSet> places;
  const auto read = each_place(text, "-#_x", tasks, [&](unsigned first, unsigned length) {
    const CpuSet cpus = CpuSet::range(CpuId(first), CpuId(first + length - 1));
    if (!cpus.is_subset_of(machine.allowed_cpus)) {
      return Result<void>(bad_usage(
          fmt::format("this process may not use the CPUs {} to {}", first, first + length - 1),
          "look at Cpus_allowed_list in /proc/self/status"));
    }
    places.push_back(cpus);
    return Result<void>();
  });
  if (!read) return read.as_unexpected();
  return places;
}

Result<std::vector<NodeId>> parse_task_nodes(const machine::Machine& machine, std::string_view text,
                                             std::size_t tasks) {
  std::vector<NodeId> places;
  const NodeSet usable = machine.nodes_with_memory() & machine.allowed_nodes;
  const auto read = each_place(text, "-#x", tasks, [&](unsigned node, unsigned) {
    if (!usable.contains(NodeId(node))) {
      return Result<void>(
          bad_usage(fmt::format("there is no memory for this process on node {}", node),
                    "look at 'homenode topology' and Mems_allowed_list in /proc/self/status"));
    }
    places.emplace_back(node);
    return Result<void>();
  });
  if (!read) return read.as_unexpected();
  return places;
}

}  // namespace homenode::trial
