// The C interface's predictions: how long a program would take under a placement.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "capi/guard.h"
#include "capi/handles.h"
#include "homenode/homenode.h"
#include "model/prediction.h"
#include "placement/policies/memory_rule.h"
#include "placement/threads/expression.h"

namespace homenode::capi {
namespace {

using nlohmann::ordered_json;
using placement::Placement;

Result<NodeId> node_in(const machine::Machine& machine, int number) {
  if (number >= 0) {
    const NodeId node(static_cast<unsigned>(number));
    if (machine.find(node) != nullptr) return node;
  }
  return bad_usage(fmt::format("the machine has no node {}", number),
                   "use the numbers that hn_machine_nodes() lists");
}

Result<std::vector<NodeId>> nodes_in(const machine::Machine& machine, const int* numbers,
                                     std::size_t count) {
  std::vector<NodeId> nodes;
  for (std::size_t i = 0; i < count; ++i) {
    const auto node = node_in(machine, numbers[i]);
    if (!node) return node.as_unexpected();
    nodes.push_back(*node);
  }
  return nodes;
}

Result<model::Object> object_of(const machine::Machine& machine, const hn_used_object& given,
                                std::size_t threads) {
  if (given.name == nullptr || given.reads == nullptr || given.writes == nullptr) {
    return bad_usage("an object has no name, reads or writes", "give all three");
  }
  model::Object object;
  object.name = given.name;
  object.pages = given.pages;
  object.pages_per_block = given.pages_per_block;
  object.lines_in_flight = given.lines_in_flight;
  object.in_order = given.in_order;
  object.walk_lines = given.walk_lines;
  if (object.pages == 0 || object.pages_per_block == 0) {
    return bad_usage(object.name + " has no pages, or blocks without pages", "give at least 1");
  }
  const std::size_t blocks = object.blocks();
  for (std::size_t i = 0; i < threads * blocks; ++i) {
    object.uses.push_back({given.reads[i], given.writes[i]});
  }
  if (given.first_users != nullptr) {
    object.first_users.assign(given.first_users, given.first_users + blocks);
  }
  if (given.used_before != nullptr) {
    object.used_before.assign(given.used_before, given.used_before + threads * blocks);
  }
  if (given.homes != nullptr) {
    auto homes = nodes_in(machine, given.homes, blocks);
    if (!homes) return homes.as_unexpected();
    object.homes = std::move(*homes);
  }
  return object;
}

Result<model::Program> program_in(const machine::Machine& machine, const hn_program* given) {
  if (given == nullptr || given->nodes == nullptr ||
      (given->objects == nullptr && given->object_count > 0)) {
    return bad_usage("the program, the nodes of its threads or its objects are NULL",
                     "describe them");
  }
  model::Program program;
  auto nodes = nodes_in(machine, given->nodes, given->threads);
  if (!nodes) return nodes.as_unexpected();
  program.node_of_thread = std::move(*nodes);
  for (const NodeId node : program.node_of_thread) {
    if (!machine.find(node)->cpus.empty()) continue;
    return bad_usage(fmt::format("a thread is on node {}, which has no CPUs", node.value()),
                     "give the node that it ran on");
  }
  if (given->computing_s != nullptr) {
    program.computing_s.assign(given->computing_s, given->computing_s + given->threads);
  }
  for (std::size_t i = 0; i < given->object_count; ++i) {
    auto object = object_of(machine, given->objects[i], given->threads);
    if (!object) return object.as_unexpected();
    program.objects.push_back(std::move(*object));
  }
  program.independent = given->independent != 0;
  if (model::is_valid(program)) return program;
  return bad_usage("the program makes no sense",
                   "give at least one thread, names that differ, no negative number, more than 0 "
                   "lines in flight, and first users that are threads");
}

Result<void> add_rule(const model::Program& program, const NodeSet& default_nodes,
                      const hn_object_rule& given, Placement& placement) {
  if (given.rule == nullptr) return bad_usage("a memory rule is NULL", "name one, or leave it out");
  const auto rule = placement::parse_memory_rule(given.rule, default_nodes);
  if (!rule) return rule.as_unexpected();
  for (const model::Object& object : program.objects) {
    if (given.object != nullptr && object.name != given.object) continue;
    const bool has_own = std::any_of(
        placement.regions.begin(), placement.regions.end(),
        [&](const placement::RegionPlacement& region) { return region.region == object.name; });
    if (has_own) continue;
    auto memory = placement::resolve(*rule, object.pages);
    if (!memory) return memory.as_unexpected();
    placement.regions.push_back({object.name, std::move(*memory)});
  }
  return {};
}

Result<Placement> placement_of(const machine::Machine& machine, const model::Program& program,
                               const char* thread_map, const hn_object_rule* rules,
                               std::size_t rule_count) {
  if (rules == nullptr && rule_count > 0) {
    return bad_usage("the memory rules are NULL", "give them, or pass a count of 0");
  }
  Placement placement;
  if (thread_map != nullptr) {
    auto threads = placement::parse_thread_expression(machine, thread_map);
    if (!threads) return threads.as_unexpected();
    placement.threads = std::move(*threads);
  }
  const NodeSet nodes = machine.nodes_with_memory() & machine.allowed_nodes;
  for (std::size_t i = 0; i < rule_count; ++i) {
    if (const auto added = add_rule(program, nodes, rules[i], placement); !added) {
      return added.as_unexpected();
    }
  }
  if (is_valid(placement)) return placement;
  return bad_usage("the placement cannot be carried out", "check its CPUs and nodes");
}

std::string_view kind_of(const model::Bottleneck& bottleneck) {
  switch (bottleneck.kind) {
    case model::Bottleneck::Kind::computing:
      return "computing";
    case model::Bottleneck::Kind::latency:
      return "latency";
    case model::Bottleneck::Kind::controller:
      return "controller";
    case model::Bottleneck::Kind::link:
      return "link";
    case model::Bottleneck::Kind::path:
      break;
  }
  return "path";
}

ordered_json numbers(const std::vector<NodeId>& nodes) {
  ordered_json list = ordered_json::array();
  for (const NodeId node : nodes) list.push_back(node.value());
  return list;
}

/// One kind of lines, [node that asks][node of the memory].
ordered_json lines_json(const model::Traffic& traffic, double model::Lines::*kind) {
  std::vector<std::vector<double>> rows;
  for (const NodeId from : traffic.rows()) {
    rows.emplace_back();
    for (const NodeId to : traffic.columns()) rows.back().push_back(traffic.at(from, to).*kind);
  }
  return rows;
}

ordered_json traffic_json(const model::Traffic& traffic) {
  return {{"cpu_nodes", numbers(traffic.rows())},
          {"memory_nodes", numbers(traffic.columns())},
          {"read_lines", lines_json(traffic, &model::Lines::reads)},
          {"written_lines", lines_json(traffic, &model::Lines::writes)}};
}

std::string to_json(const model::Prediction& prediction) {
  const model::Bottleneck& bottleneck = prediction.bottleneck;
  const ordered_json json{{"schema", "homenode.prediction/1"},
                          {"modelled", true},
                          {"model", prediction.model},
                          {"unit", prediction.absolute ? "s" : "relative"},
                          {"time", prediction.time},
                          {"thread_times", prediction.thread_times},
                          {"bottleneck",
                           {{"kind", kind_of(bottleneck)},
                            {"from", bottleneck.from.value()},
                            {"to", bottleneck.memory.value()},
                            {"share", bottleneck.share},
                            {"text", model::to_string(bottleneck)}}},
                          {"traffic", traffic_json(prediction.traffic)},
                          {"assumptions", prediction.assumptions}};
  return json.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

Result<const machine::Machine*> chosen(const hn_machine* machine) {
  if (machine != nullptr) return &machine->value;
  return live_machine();
}

}  // namespace
}  // namespace homenode::capi

using namespace homenode;  // NOLINT: the C interface stands outside the namespace.

extern "C" int hn_predict(const hn_machine* machine, const hn_program* program,
                          const char* thread_map, const hn_object_rule* rules, size_t rule_count,
                          const char* model, char** json, char** error) {
  if (json != nullptr) *json = nullptr;
  return capi::guarded(error, [&]() -> Result<void> {
    if (json == nullptr) return bad_usage("json is NULL", "pass the address of a char pointer");
    const auto on = capi::chosen(machine);
    if (!on) return on.as_unexpected();
    if ((*on)->nodes_with_cpus().empty() || (*on)->nodes_with_memory().empty()) {
      return not_supported("the machine has no node with CPUs or none with memory",
                           "describe a machine that programs can run on");
    }
    const auto what = capi::program_in(**on, program);
    if (!what) return what.as_unexpected();
    const auto placement = capi::placement_of(**on, *what, thread_map, rules, rule_count);
    if (!placement) return placement.as_unexpected();
    const auto wanted = model == nullptr ? std::optional<std::string_view>{}
                                         : std::optional<std::string_view>{model};
    const auto prediction = model::predict(**on, *what, *placement, wanted);
    if (!prediction) return prediction.as_unexpected();
    *json = capi::copy_out(capi::to_json(*prediction));
    if (*json == nullptr) return failed("there is no memory for the text", "free some memory");
    return {};
  });
}
