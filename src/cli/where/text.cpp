#include "cli/where/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "base/id_list.h"
#include "base/text_table.h"
#include "base/words.h"
#include "sensing/verdict.h"

namespace homenode::cli {
namespace {

using sensing::bytes_at;
using sensing::BytesOnNodes;
using sensing::Finding;
using sensing::Group;
using sensing::Mapping;
using sensing::sum_of;
using sensing::Survey;
using sensing::ThreadFacts;

constexpr std::size_t threads_one_by_one = 16;
constexpr std::size_t findings_shown = 12;

const char* label(Group group) {
  switch (group) {
    case Group::heap:
      return "heap";
    case Group::stack:
      return "stacks";
    case Group::anonymous:
      return "anonymous";
    case Group::file:
      return "files (page cache)";
    case Group::shared:
      return "shared memory";
    case Group::huge:
      break;
  }
  return "huge pages (hugetlbfs)";
}

std::string groups_table(const Survey& survey, const std::vector<NodeId>& nodes) {
  TextTable table(node_head("MiB", nodes));
  for (Group group : sensing::all_groups) {
    table.add(node_row(label(group), nodes, bytes_on_nodes(survey, group)));
  }
  const BytesOnNodes all = bytes_on_nodes(survey);
  table.add(node_row("all", nodes, all));
  std::vector<std::string> shares{"share"};
  for (NodeId node : nodes) shares.push_back(percent(bytes_at(all, node), sum_of(all)));
  shares.push_back(percent(sum_of(all), sum_of(all)));
  table.add(std::move(shares));
  return table.text();
}

/// Whose the memory of homenode's malloc is; empty for a process without it.
std::string heaps_table(const Survey& survey, const std::vector<NodeId>& nodes) {
  const auto heaps = bytes_of_owners(survey);
  if (heaps.empty()) return "";
  TextTable table(node_head("heap of", nodes));
  for (const auto& [owners, bytes] : heaps) table.add(node_row(owners, nodes, bytes));
  return std::string(1, '\n').append(table.text());
}

std::string name_of(const Mapping& mapping) {
  if (!mapping.owners.empty()) return to_string(mapping.owners);
  if (mapping.stack_of) return fmt::format("stack of thread {}", *mapping.stack_of);
  return printable(mapping.name);
}

std::string mappings_table(const Survey& survey, const std::vector<NodeId>& nodes,
                           std::size_t count) {
  std::vector<const Mapping*> largest;
  for (const Mapping& mapping : survey.mappings) {
    if (!mapping.pages.empty()) largest.push_back(&mapping);
  }
  std::stable_sort(largest.begin(), largest.end(), [](const Mapping* a, const Mapping* b) {
    return a->bytes().value > b->bytes().value;
  });
  const bool amounts = std::any_of(largest.begin(), largest.end(), [](const Mapping* mapping) {
    return mapping->transparent_huge.has_value();
  });
  if (largest.size() > count) largest.resize(count);
  std::vector<std::string> cells = node_head("mapping", nodes);
  if (amounts) cells.insert(cells.end(), {"in huge pages", "swapped"});
  cells.insert(cells.end(), {"group", "policy", "name"});
  TextTable table(std::move(cells), 3);
  for (const Mapping* mapping : largest) {
    BytesOnNodes bytes;
    add(bytes, *mapping);
    std::vector<std::string> line = node_row(fmt::format("{:x}", mapping->first), nodes, bytes);
    if (amounts) {
      line.push_back(mebibytes(mapping->transparent_huge.value_or(Bytes()).value));
      line.push_back(mebibytes(mapping->swapped.value_or(Bytes()).value));
    }
    line.insert(line.end(),
                {to_string(mapping->group), to_string(mapping->policy), name_of(*mapping)});
    table.add(std::move(line));
  }
  return table.text();
}

std::string node_word(const ThreadFacts& thread) {
  return thread.node ? fmt::format("{}", thread.node->value()) : "?";
}

std::string cpus_word(const ThreadFacts& thread) {
  return thread.allowed.empty() ? "?" : to_list(thread.allowed);
}

std::string threads_one_by_one_table(const Survey& survey) {
  TextTable table({"thread", "node", "CPU", "state", "may run on", "name"}, 3);
  for (const ThreadFacts& thread : survey.threads) {
    table.add({fmt::format("{}", thread.id), node_word(thread),
               fmt::format("{}", thread.last_cpu.value()), std::string(1, thread.state),
               cpus_word(thread), printable(thread.name)});
  }
  return table.text();
}

/// How many threads of each name, and of each list of CPUs, last ran on each node.
std::string threads_counted_table(const Survey& survey, const std::vector<NodeId>& nodes) {
  std::map<std::pair<std::string, std::string>, std::map<NodeId, std::size_t>> counts;
  for (const ThreadFacts& thread : survey.threads) {
    auto& of_name = counts[{printable(thread.name), cpus_word(thread)}];
    if (thread.node) ++of_name[*thread.node];
  }
  std::vector<std::string> titles = node_head("threads", nodes);
  titles.emplace_back("may run on");
  TextTable table(std::move(titles), 1);
  for (const auto& [key, on_node] : counts) {
    std::vector<std::string> cells{key.first};
    std::size_t all = 0;
    for (NodeId node : nodes) {
      const auto found = on_node.find(node);
      const std::size_t count = found == on_node.end() ? 0 : found->second;
      cells.push_back(count == 0 ? "-" : fmt::format("{}", count));
      all += count;
    }
    cells.push_back(fmt::format("{}", all));
    cells.push_back(key.second);
    table.add(std::move(cells));
  }
  return table.text();
}

/// ": 98 % on node 2 and 1 % on node 0": how several nodes share what they have, the largest first.
std::string spread(const BytesOnNodes& all, const NodeSet& nodes) {
  constexpr std::size_t most_named = 4;
  std::vector<std::pair<std::uint64_t, NodeId>> shares;
  for (NodeId node : nodes.to_vector()) {
    if (bytes_at(all, node) > 0) shares.emplace_back(bytes_at(all, node), node);
  }
  if (nodes.size() == 1 || shares.empty()) return "";
  std::stable_sort(shares.begin(), shares.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  const std::size_t named = std::min(shares.size(), most_named);
  std::string text = ":";
  for (std::size_t i = 0; i < named; ++i) {
    const bool last = i + 1 == shares.size();
    text += fmt::format("{}{} on node {}",
                        i == 0 ? " "
                        : last ? " and "
                               : ", ",
                        percent(shares[i].first, sum_of(all)), shares[i].second.value());
  }
  return text + (named < shares.size() ? ", less on the others" : "");
}

/// How much memory is on the nodes where the threads last ran.
std::string locality(const Survey& survey) {
  NodeSet nodes;
  for (const ThreadFacts& thread : survey.threads) {
    if (thread.node) nodes.insert(*thread.node);
  }
  const BytesOnNodes all = bytes_on_nodes(survey);
  if (nodes.empty() || sum_of(all) == 0) return "";
  std::uint64_t near = 0;
  for (NodeId node : nodes.to_vector()) near += bytes_at(all, node);
  return fmt::format("Its threads last ran on node{} {}, which {} {} of its memory{}.\n",
                     nodes.size() == 1 ? "" : "s", to_list(nodes),
                     nodes.size() == 1 ? "has" : "have", percent(near, sum_of(all)),
                     spread(all, nodes));
}

/// Findings of one group, policy and cause: one line of text.
struct Story {
  std::size_t mappings = 0;
  std::uint64_t first = 0;
  std::uint64_t bytes = 0;
  BytesOnNodes off;
};

std::string policies(const Survey& survey) {
  std::map<std::tuple<Group, std::string, sensing::Cause>, Story> stories;
  for (const Finding& finding : off_policy(survey)) {
    const Mapping& mapping = survey.mappings[finding.mapping];
    Story& story = stories[{mapping.group, to_string(mapping.policy), finding.cause}];
    if (story.mappings++ == 0) story.first = mapping.first;
    story.bytes += mapping.bytes().value;
    for (const auto& [node, pages] : finding.off) {
      story.off[node] += sensing::bytes_of(pages, mapping.page_size).value;
    }
  }
  if (stories.empty()) {
    const bool none = std::none_of(survey.mappings.begin(), survey.mappings.end(),
                                   [](const Mapping& m) { return !m.policy.nodes.empty(); });
    return none ? "No mapping has a policy that names nodes.\n"
                : "Every mapping is where its policy says.\n";
  }
  std::string text = "Not where the policy says:\n";
  std::size_t shown = 0;
  for (const auto& [key, story] : stories) {
    if (++shown > findings_shown) break;
    const auto& [group, policy, cause] = key;
    NodeSet nodes;
    for (const auto& [node, bytes] : story.off) nodes.insert(node);
    text += fmt::format("  {}, {}: policy {}, but {} of {} MiB ({}) on node{} {}: {}\n",
                        to_string(group),
                        story.mappings == 1 ? fmt::format("mapping {:x}", story.first)
                                            : fmt::format("{} mappings", story.mappings),
                        policy, mebibytes(sum_of(story.off)), mebibytes(story.bytes),
                        percent(sum_of(story.off), story.bytes), nodes.size() == 1 ? "" : "s",
                        to_list(nodes), explain(cause));
  }
  if (stories.size() > findings_shown) {
    text += fmt::format("  and {} more; --json lists all\n", stories.size() - findings_shown);
  }
  return text;
}

}  // namespace

std::string percent(std::uint64_t part, std::uint64_t whole) {
  if (whole == 0) return "-";
  return fmt::format("{:.0f} %", 100.0 * static_cast<double>(part) / static_cast<double>(whole));
}

std::vector<std::string> node_head(std::string first, const std::vector<NodeId>& nodes) {
  std::vector<std::string> cells{std::move(first)};
  for (NodeId node : nodes) cells.push_back(fmt::format("node {}", node.value()));
  cells.emplace_back("all");
  return cells;
}

std::vector<std::string> node_row(std::string name, const std::vector<NodeId>& nodes,
                                  const BytesOnNodes& bytes) {
  std::vector<std::string> cells{std::move(name)};
  for (NodeId node : nodes) cells.push_back(mebibytes(bytes_at(bytes, node)));
  cells.push_back(mebibytes(sum_of(bytes)));
  return cells;
}

std::vector<NodeId> shown_nodes(const Survey& survey) {
  const BytesOnNodes bytes = bytes_on_nodes(survey);
  std::set<NodeId> nodes;
  for (const auto& [node, on_node] : bytes) nodes.insert(node);
  for (const ThreadFacts& thread : survey.threads) {
    if (thread.node) nodes.insert(*thread.node);
  }
  if (survey.nodes.size() <= nodes_always_shown) {
    for (const sensing::NodeFacts& node : survey.nodes) nodes.insert(node.id);
  }
  return {nodes.begin(), nodes.end()};
}

std::string where_text(const Survey& survey, std::size_t mappings) {
  const std::vector<NodeId> nodes = shown_nodes(survey);
  std::string text =
      fmt::format("process {} ({}), memory by node\n\n", survey.pid, printable(survey.name));
  text += groups_table(survey, nodes);
  text += heaps_table(survey, nodes);
  if (mappings > 0) text.append(1, '\n').append(mappings_table(survey, nodes, mappings));
  if (survey.with_threads && survey.threads.size() <= threads_one_by_one) {
    text.append(1, '\n').append(threads_one_by_one_table(survey));
  } else if (survey.with_threads) {
    text.append(1, '\n').append(threads_counted_table(survey, nodes));
  }
  text.append(1, '\n').append(locality(survey)).append(policies(survey));
  for (const std::string& note : survey.notes) text += fmt::format("Note: {}\n", note);
  return text;
}

std::string where_csv(const Survey& survey) {
  std::vector<std::string> titles{"mapping", "group", "policy", "page_bytes", "bytes"};
  for (const sensing::NodeFacts& node : survey.nodes) {
    titles.push_back(fmt::format("node{}_bytes", node.id.value()));
  }
  titles.emplace_back("name");
  std::string text = csv_line(titles);
  for (const Mapping& mapping : survey.mappings) {
    BytesOnNodes bytes;
    add(bytes, mapping);
    std::vector<std::string> cells{
        fmt::format("0x{:x}", mapping.first), to_string(mapping.group), to_string(mapping.policy),
        fmt::format("{}", mapping.page_size.value), fmt::format("{}", mapping.bytes().value)};
    for (const sensing::NodeFacts& node : survey.nodes) {
      cells.push_back(fmt::format("{}", bytes_at(bytes, node.id)));
    }
    cells.push_back(name_of(mapping));
    text += csv_line(cells);
  }
  return text;
}

std::string job_text(const std::vector<sensing::JobRank>& ranks) {
  TextTable table({"rank", "pid", "CPUs", "nodes", "memory", "binding", ""}, 6);
  for (const sensing::JobRank& one : ranks) {
    table.add({std::to_string(one.rank), std::to_string(one.pid), to_list(one.cpus),
               to_list(one.nodes), to_list(one.memory_nodes), to_string(one.binding), one.verdict});
  }
  return table.text();
}

}  // namespace homenode::cli
