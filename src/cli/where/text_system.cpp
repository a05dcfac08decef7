#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/id_list.h"
#include "base/text_table.h"
#include "base/words.h"
#include "cli/where/text.h"

namespace homenode::cli {
namespace {

using sensing::bytes_at;
using sensing::BytesOnNodes;
using sensing::NodeUse;
using sensing::ProcessUse;
using sensing::SystemView;

/// All nodes when they are few, else those with memory of a process or threads.
std::vector<NodeId> used_nodes(const SystemView& view) {
  std::set<NodeId> nodes;
  for (const ProcessUse& process : view.processes) {
    for (const auto& [node, count] : process.threads_on) nodes.insert(node);
    for (const auto& [node, bytes] : process.memory.value_or(BytesOnNodes())) nodes.insert(node);
  }
  if (view.nodes.size() <= nodes_always_shown) {
    for (const NodeUse& use : view.nodes) nodes.insert(use.node.id);
  }
  return {nodes.begin(), nodes.end()};
}

/// A row of the nodes' table in MiB, and its sum.
void add_amounts(TextTable& table, const SystemView& view, const std::vector<NodeId>& nodes,
                 const char* name, Bytes (*amount)(const NodeUse&)) {
  BytesOnNodes bytes;
  for (const NodeUse& use : view.nodes) bytes[use.node.id] = amount(use).value;
  table.add(node_row(name, nodes, bytes));
}

/// A row of numbers that have no unit; "-" where a node has none.
void add_numbers(TextTable& table, const SystemView& view, const std::vector<NodeId>& nodes,
                 const char* name, bool summed,
                 std::optional<std::uint64_t> (*number)(const NodeUse&)) {
  std::vector<std::string> cells{name};
  std::uint64_t sum = 0;
  bool any = false;
  for (const NodeUse& use : view.nodes) {
    const auto value = number(use);
    sum += value.value_or(0);
    any = any || value;
    if (std::find(nodes.begin(), nodes.end(), use.node.id) == nodes.end()) continue;
    cells.push_back(value ? fmt::format("{}", *value) : "-");
  }
  cells.push_back(summed ? fmt::format("{}", sum) : "");
  if (any) table.add(std::move(cells));
}

template <std::uint64_t sensing::PageCounters::*counter>
std::optional<std::uint64_t> counted(const NodeUse& use) {
  return use.counters ? std::optional((*use.counters).*counter) : std::nullopt;
}

std::string nodes_table(const SystemView& view, const std::vector<NodeId>& nodes) {
  TextTable table(node_head("MiB", nodes));
  const auto add = [&](const char* name, Bytes (*amount)(const NodeUse&)) {
    add_amounts(table, view, nodes, name, amount);
  };
  add("memory", [](const NodeUse& use) { return use.node.total; });
  add("free", [](const NodeUse& use) { return use.node.free; });
  add("anonymous", [](const NodeUse& use) { return use.anonymous; });
  add("of it, in transparent huge pages", [](const NodeUse& use) { return use.transparent_huge; });
  add("page cache", [](const NodeUse& use) { return use.page_cache; });
  add("kernel's objects (slab)", [](const NodeUse& use) { return use.slab; });
  add("huge pages set aside", [](const NodeUse& use) {
    Bytes sum;
    for (const auto& pages : use.huge_pages) sum.value += pages.total * pages.page_size.value;
    return sum;
  });
  add("of these, free", [](const NodeUse& use) {
    Bytes sum;
    for (const auto& pages : use.huge_pages) sum.value += pages.free * pages.page_size.value;
    return sum;
  });
  add_numbers(table, view, nodes, "memory tier", false,
              [](const NodeUse& use) -> std::optional<std::uint64_t> { return use.tier; });
  return table.text();
}

std::string counters_table(const SystemView& view, const std::vector<NodeId>& nodes) {
  using sensing::PageCounters;
  if (std::none_of(view.nodes.begin(), view.nodes.end(),
                   [](const NodeUse& use) { return use.counters.has_value(); })) {
    return "";
  }
  TextTable table(node_head("pages since boot", nodes));
  const auto add = [&](const char* name, std::optional<std::uint64_t> (*number)(const NodeUse&)) {
    add_numbers(table, view, nodes, name, true, number);
  };
  add("hit", counted<&PageCounters::hit>);
  add("miss", counted<&PageCounters::miss>);
  add("foreign", counted<&PageCounters::foreign>);
  add("interleave hit", counted<&PageCounters::interleave>);
  add("local", counted<&PageCounters::local>);
  add("other", counted<&PageCounters::other>);
  return "\n" + table.text();
}

std::string nodes_of(const ProcessUse& process) {
  NodeSet nodes;
  for (const auto& [node, count] : process.threads_on) nodes.insert(node);
  return nodes.empty() ? "?" : to_list(nodes);
}

std::string local_words(const ProcessUse& process) {
  const auto share = local_share(process);
  return share ? fmt::format("{:.0f} %", 100.0 * *share) : "?";
}

/// Those from `first` on as one row.
std::vector<std::string> others_row(const SystemView& view, std::size_t first,
                                    const std::vector<NodeId>& nodes) {
  BytesOnNodes memory;
  std::uint64_t resident = 0;
  std::size_t threads = 0;
  for (std::size_t i = first; i < view.processes.size(); ++i) {
    const ProcessUse& process = view.processes[i];
    resident += process.resident.value;
    threads += process.threads;
    for (const auto& [node, bytes] : process.memory.value_or(BytesOnNodes())) memory[node] += bytes;
  }
  std::vector<std::string> cells = node_row("others", nodes, memory);
  cells.back() = mebibytes(resident);
  cells.insert(cells.end(), {"", fmt::format("{}", threads), "",
                             fmt::format("{} more", view.processes.size() - first)});
  return cells;
}

std::string processes_table(const SystemView& view, std::size_t count,
                            const std::vector<NodeId>& nodes) {
  std::vector<std::string> titles = node_head("process", nodes);
  titles.insert(titles.end(), {"local", "threads", "on nodes", "name"});
  TextTable table(std::move(titles), 2);
  const std::size_t shown = std::min(count, view.processes.size());
  for (std::size_t i = 0; i < shown; ++i) {
    const ProcessUse& process = view.processes[i];
    std::vector<std::string> cells =
        node_row(fmt::format("{}", process.pid), nodes, process.memory.value_or(BytesOnNodes()));
    if (!process.memory) std::fill(std::next(cells.begin()), cells.end(), "?");
    cells.back() = mebibytes(process.resident.value);
    cells.insert(cells.end(), {local_words(process), fmt::format("{}", process.threads),
                               nodes_of(process), printable(process.name)});
    table.add(std::move(cells));
  }
  if (shown < view.processes.size()) table.add(others_row(view, shown, nodes));
  return "\n" + table.text();
}

}  // namespace

std::string system_text(const SystemView& view, std::size_t processes) {
  const std::vector<NodeId> nodes = used_nodes(view);
  std::string text = fmt::format("{} processes, memory by node\n\n", view.processes.size());
  text += nodes_table(view, nodes) + counters_table(view, nodes) +
          processes_table(view, processes, nodes);
  text +=
      "\nMemory that several processes map counts for each. Local: the part on nodes where the "
      "process's threads last ran.\n";
  for (const std::string& note : view.notes) text += fmt::format("Note: {}\n", note);
  return text;
}

std::string system_csv(const SystemView& view, std::size_t processes) {
  std::vector<std::string> head{"pid", "name", "bytes", "local_share", "threads"};
  for (const NodeUse& use : view.nodes) {
    head.push_back(fmt::format("node{}_bytes", use.node.id.value()));
    head.push_back(fmt::format("node{}_threads", use.node.id.value()));
  }
  std::string text = csv_line(head);
  for (std::size_t i = 0; i < std::min(processes, view.processes.size()); ++i) {
    const ProcessUse& process = view.processes[i];
    const auto share = local_share(process);
    std::vector<std::string> cells{
        fmt::format("{}", process.pid), process.name, fmt::format("{}", process.resident.value),
        share ? fmt::format("{:.4f}", *share) : "", fmt::format("{}", process.threads)};
    for (const NodeUse& use : view.nodes) {
      const NodeId id = use.node.id;
      const auto threads = process.threads_on.find(id);
      cells.push_back(process.memory ? fmt::format("{}", bytes_at(*process.memory, id)) : "");
      cells.push_back(fmt::format(
          "{}", threads == process.threads_on.end() ? std::size_t{0} : threads->second));
    }
    text += csv_line(cells);
  }
  return text;
}

std::string file_text(const sensing::FileCache& cache) {
  std::string text =
      fmt::format("{}: {} of {} MiB in the page cache ({})\n", printable(cache.path),
                  mebibytes(cache.cached.value), mebibytes(cache.size.value),
                  percent(std::min(cache.cached.value, cache.size.value), cache.size.value));
  if (cache.cached.value == 0) return text;
  TextTable table({"node", "MiB", "share"});
  for (const auto& [node, bytes] : cache.on_nodes) {
    table.add(
        {fmt::format("{}", node.value()), mebibytes(bytes), percent(bytes, cache.cached.value)});
  }
  text.append(1, '\n').append(table.text());
  if (cache.unknown.value > 0) {
    text += fmt::format("Note: {} MiB were dropped from the cache or moved meanwhile\n",
                        mebibytes(cache.unknown.value));
  }
  return text;
}

std::string file_csv(const sensing::FileCache& cache) {
  std::string text = csv_line({"file", "node", "cached_bytes"});
  for (const auto& [node, bytes] : cache.on_nodes) {
    text += csv_line({cache.path, fmt::format("{}", node.value()), fmt::format("{}", bytes)});
  }
  return text;
}

}  // namespace homenode::cli
