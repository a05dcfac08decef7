#include "cli/where/json.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/json_numbers.h"
#include "sensing/verdict.h"

namespace homenode::cli {
namespace {

using Json = nlohmann::ordered_json;
using sensing::Mapping;
using sensing::Survey;

template <class Value>
Json or_null(const std::optional<Value>& value) {
  return value ? Json(*value) : Json(nullptr);
}

Json amount_json(const std::optional<Bytes>& amount) {
  return amount ? Json(amount->value) : Json(nullptr);
}

std::string address(std::uint64_t value) {
  return fmt::format("0x{:x}", value);
}

Json owners_json(const Mapping& mapping) {
  Json list = Json::array();
  for (const sensing::HeapOwner& owner : mapping.owners) {
    list.push_back({{"of", owner.private_heap ? "private heap" : "malloc"},
                    {"node", owner.node ? Json(owner.node->value()) : Json(nullptr)}});
  }
  return list;
}

Json policy_json(const sensing::StatedPolicy& policy) {
  return {{"mode", policy.mode},
          {"flags", policy.flags},
          {"nodes", numbers(policy.nodes)},
          {"cut", policy.nodes_cut}};
}

Json mapping_json(const Mapping& mapping) {
  sensing::BytesOnNodes bytes;
  add(bytes, mapping);
  return {{"first", address(mapping.first)},
          {"end", mapping.end ? Json(address(*mapping.end)) : Json(nullptr)},
          {"group", to_string(mapping.group)},
          {"name", mapping.name},
          {"policy", policy_json(mapping.policy)},
          {"page_bytes", mapping.page_size.value},
          {"bytes", mapping.bytes().value},
          {"on_node_bytes", by_node(bytes)},
          {"private_bytes", sensing::bytes_of(mapping.anon_pages, mapping.page_size).value},
          {"most_sharers", mapping.most_sharers},
          {"transparent_huge_bytes", amount_json(mapping.transparent_huge)},
          {"swapped_bytes", amount_json(mapping.swapped)},
          {"stack_of", or_null(mapping.stack_of)},
          {"heap_owners", owners_json(mapping)}};
}

Json thread_json(const sensing::ThreadFacts& thread) {
  return {{"id", thread.id},
          {"name", thread.name},
          {"state", std::string(1, thread.state)},
          {"last_cpu", thread.last_cpu.value()},
          {"node", thread.node ? Json(thread.node->value()) : Json(nullptr)},
          {"allowed_cpus", thread.allowed.empty() ? Json() : numbers(thread.allowed)}};
}

Json finding_json(const Survey& survey, const sensing::Finding& finding) {
  const Mapping& mapping = survey.mappings[finding.mapping];
  sensing::BytesOnNodes off;
  for (const auto& [node, pages] : finding.off) {
    off[node] = sensing::bytes_of(pages, mapping.page_size).value;
  }
  return {{"mapping", address(mapping.first)},
          {"policy", policy_json(mapping.policy)},
          {"off_bytes", by_node(off)},
          {"cause", to_string(finding.cause)},
          {"explanation", explain(finding.cause)}};
}

Json node_use_json(const sensing::NodeUse& use) {
  Json huge = Json::array();
  for (const sensing::HugePages& pages : use.huge_pages) {
    huge.push_back({{"page_bytes", pages.page_size.value},
                    {"page_count", pages.total},
                    {"free_count", pages.free}});
  }
  Json counters;
  if (use.counters) {
    counters = {{"hit", use.counters->hit},         {"miss", use.counters->miss},
                {"foreign", use.counters->foreign}, {"interleave_hit", use.counters->interleave},
                {"local", use.counters->local},     {"other", use.counters->other}};
  }
  return {{"id", use.node.id.value()},
          {"cpus", numbers(use.node.cpus)},
          {"tier", or_null(use.tier)},
          {"memory_bytes", use.node.total.value},
          {"free_bytes", use.node.free.value},
          {"anonymous_bytes", use.anonymous.value},
          {"transparent_huge_bytes", use.transparent_huge.value},
          {"page_cache_bytes", use.page_cache.value},
          {"slab_bytes", use.slab.value},
          {"huge_pages", std::move(huge)},
          {"page_counters", std::move(counters)}};
}

Json process_use_json(const sensing::ProcessUse& process) {
  return {{"pid", process.pid},
          {"name", process.name},
          {"bytes", process.resident.value},
          {"on_node_bytes", process.memory ? by_node(*process.memory) : Json(nullptr)},
          {"local_share", or_null(local_share(process))},
          {"thread_count", process.threads},
          {"threads_on_node", by_node(process.threads_on)}};
}

template <class Values, class Turn>
Json list_of(const Values& values, Turn turn) {
  Json list = Json::array();
  for (const auto& value : values) list.push_back(turn(value));
  return list;
}

}  // namespace

nlohmann::ordered_json where_json(const Survey& survey) {
  Json groups = Json::object();
  for (sensing::Group group : sensing::all_groups) {
    groups[to_string(group)] = by_node(bytes_on_nodes(survey, group));
  }
  Json heaps = Json::object();
  for (const auto& [owners, bytes] : bytes_of_owners(survey)) heaps[owners] = by_node(bytes);
  return {{"schema", "homenode.where/2"},
          {"pid", survey.pid},
          {"name", survey.name},
          {"source", survey.source},
          {"allowed_memory_nodes", numbers(survey.allowed_memory)},
          {"nodes", list_of(survey.nodes,
                            [](const sensing::NodeFacts& node) {
                              const auto memory = [&](Bytes bytes) {
                                return node.memory_known ? Json(bytes.value) : Json(nullptr);
                              };
                              return Json{{"id", node.id.value()},
                                          {"cpus", node.cpus_known ? numbers(node.cpus) : Json()},
                                          {"memory_bytes", memory(node.total)},
                                          {"free_bytes", memory(node.free)}};
                            })},
          {"on_node_bytes", by_node(bytes_on_nodes(survey))},
          {"groups", groups},
          {"heaps_by_owner", heaps},
          {"mappings", list_of(survey.mappings, mapping_json)},
          {"threads", survey.with_threads ? list_of(survey.threads, thread_json) : Json(nullptr)},
          {"off_policy",
           list_of(off_policy(survey),
                   [&](const sensing::Finding& finding) { return finding_json(survey, finding); })},
          {"notes", survey.notes}};
}

nlohmann::ordered_json system_json(const sensing::SystemView& view, std::size_t processes) {
  Json list = Json::array();
  for (std::size_t i = 0; i < std::min(processes, view.processes.size()); ++i) {
    list.push_back(process_use_json(view.processes[i]));
  }
  return {{"schema", "homenode.where.system/1"},
          {"nodes", list_of(view.nodes, node_use_json)},
          {"process_count", view.processes.size()},
          {"processes", std::move(list)},
          {"notes", view.notes}};
}

nlohmann::ordered_json file_json(const sensing::FileCache& cache) {
  return {{"schema", "homenode.where.file/1"},   {"file", cache.path},
          {"bytes", cache.size.value},           {"page_bytes", cache.page_size.value},
          {"cached_bytes", cache.cached.value},  {"on_node_bytes", by_node(cache.on_nodes)},
          {"unknown_bytes", cache.unknown.value}};
}

nlohmann::ordered_json job_json(const std::vector<sensing::JobRank>& ranks) {
  Json list = Json::array();
  for (const sensing::JobRank& one : ranks) {
    list.push_back({{"job", one.job},
                    {"rank", one.rank},
                    {"pid", one.pid},
                    {"cpus", numbers(one.cpus)},
                    {"nodes", numbers(one.nodes)},
                    {"memory_nodes", numbers(one.memory_nodes)},
                    {"wanted_cpu_count", or_null(one.wanted)},
                    {"openmp_thread_count", or_null(one.threads)},
                    {"binding", to_string(one.binding)},
                    {"verdict", one.verdict}});
  }
  return {{"schema", "homenode.where.job/1"}, {"ranks", std::move(list)}};
}

}  // namespace homenode::cli
