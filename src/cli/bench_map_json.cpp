#include <nlohmann/json.hpp>

#include "cli/bench_map_render.h"
#include "cli/json_numbers.h"

namespace homenode::cli {
namespace {

using Json = nlohmann::ordered_json;

template <class IdType>
Json number(const std::optional<IdType>& id) {
  return id ? Json(id->value()) : Json(nullptr);
}

Json options_json(const MapPlan& plan) {
  const MapOptions& options = plan.options;
  const Method method = options.launched ? Method::command_line : options.method;
  return {{"pattern", to_string(options.pattern)},
          {"order", to_string(options.order)},
          {"op", to_string(options.operation)},
          {"method", to_string(method)},
          {"threads", plan.threads},
          {"size", options.size.value},
          {"passes", options.passes},
          {"overlap", options.overlap_percent},
          {"team", to_string(options.team)},
          {"pages", to_string(options.pages)},
          {"seed", options.seed},
          {"bind", options.bind}};
}

Json machine_json(const machine::Machine& machine) {
  Json nodes = Json::array();
  for (const machine::Node& node : machine.nodes) {
    nodes.push_back({{"id", node.id.value()},
                     {"cpus", numbers(node.cpus)},
                     {"memory_bytes", node.memory.value}});
  }
  return {{"name", machine.name}, {"nodes", nodes}};
}

Json threads_json(const MapReport& report) {
  Json threads = Json::array();
  for (std::size_t rank = 0; rank < report.threads.size(); ++rank) {
    const ThreadRecord& thread = report.threads[rank];
    threads.push_back({{"rank", rank},
                       {"cpu", number(thread.cpu)},
                       {"node", number(thread.node)},
                       {"bound", !report.plan.cpus_of_thread.empty()},
                       {"elements", thread.elements}});
  }
  return threads;
}

Json pages_json(const MapReport& report) {
  Json on_node = Json::object();
  Json without_node = Json::object();
  if (report.audit) {
    for (const auto& [node, pages] : report.audit->pages_on_node) {
      on_node[std::to_string(node.value())] = pages;
    }
    for (const auto& [reason, pages] : report.audit->reasons) {
      without_node[actuation::to_string(reason)] = pages;
    }
  }
  return {{"page_bytes", report.plan.page_bytes},
          {"pages", report.plan.bytes.value / report.plan.page_bytes},
          {"pages_on_node", report.audit ? on_node : Json(nullptr)},
          {"pages_without_node", report.audit ? without_node : Json(nullptr)},
          {"huge_bytes", report.huge_bytes ? Json(report.huge_bytes->value) : Json(nullptr)}};
}

Json receipt_json(const std::optional<actuation::Receipt>& receipt) {
  if (!receipt) return nullptr;
  Json refusals = Json::array();
  for (const Error& refusal : receipt->refusals) refusals.push_back(refusal.message());
  return {{"pages", receipt->pages},
          {"as_planned", receipt->as_planned},
          {"moved", receipt->moved},
          {"refused", receipt->refused},
          {"refusals", refusals}};
}

/// {"provenance", "nodes": [...], "reads": [[...]], "writes": [[...]]}. Rows are
/// threads by rank or the same nodes.
template <class Matrix>
Json matrix_json(const Matrix& matrix) {
  Json reads = Json::array();
  Json writes = Json::array();
  for (const auto row : matrix.rows()) {
    Json read_row = Json::array();
    Json write_row = Json::array();
    for (const NodeId column : matrix.columns()) {
      read_row.push_back(matrix.at(row, column).reads);
      write_row.push_back(matrix.at(row, column).writes);
    }
    reads.push_back(std::move(read_row));
    writes.push_back(std::move(write_row));
  }
  return {{"provenance", access::to_string(access::Provenance::computed)},
          {"nodes", numbers(matrix.columns())},
          {"reads", reads},
          {"writes", writes}};
}

}  // namespace

std::string map_json(const machine::Machine& machine, const MapReport& report) {
  Json json{{"schema", "homenode.bench.map/1"},
            {"options", options_json(report.plan)},
            {"machine", machine_json(machine)},
            {"seconds",
             {{"wall", report.seconds},
              {"per_pass", report.seconds / report.plan.options.passes},
              {"clock", "host clock"}}},
            {"threads", threads_json(report)},
            {"memory", pages_json(report)},
            {"receipt", receipt_json(report.receipt)}};
  if (report.access) {
    const AccessReport& access = *report.access;
    json["matrices"] = matrix_json(access.by_node);
    json["thread_matrices"] = matrix_json(access.by_thread);
    json["accesses_without_node"] = access.accesses_without_node;
    json["local_share"] = access::local_share(access.by_node);
    json["column_concentration"] = access::column_concentration(access.by_node);
  } else {
    json["matrices"] = nullptr;
    json["not_audited"] = report.audit_error ? report.audit_error->message()
                                             : "the kernel does not say where the threads ran";
  }
  return json.dump() + '\n';
}

}  // namespace homenode::cli
