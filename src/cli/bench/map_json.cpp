#include <nlohmann/json.hpp>

#include "cli/bench/clock.h"
#include "cli/bench/map_render.h"
#include "cli/json_numbers.h"
#include "trial/map/patterns.h"

namespace homenode::cli {
namespace {

using Json = nlohmann::ordered_json;

template <class IdType>
Json number(const std::optional<IdType>& id) {
  return id ? Json(id->value()) : Json(nullptr);
}

Json options_json(const trial::MapPlan& plan) {
  const trial::MapOptions& options = plan.options;
  const trial::Method method = options.launched ? trial::Method::command_line : options.method;
  const workloads::map::Shape& shape = plan.phases.front().layout.problem.shape;
  return {{"pattern", trial::pattern_name(options)},
          {"shape", trial::to_string(shape)},
          {"order", trial::to_string(options.order)},
          {"op", trial::to_string(options.operation)},
          {"method", trial::to_string(method)},
          {"threads", plan.threads},
          {"size", shape.elements() * workloads::map::line_bytes},
          {"passes", options.passes},
          {"overlap", trial::overlap_of(options)},
          {"team", trial::to_string(options.team)},
          {"pages", trial::to_string(options.pages)},
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

Json threads_json(const trial::MapReport& report) {
  Json threads = Json::array();
  for (std::size_t rank = 0; rank < report.threads.size(); ++rank) {
    const trial::ThreadRecord& thread = report.threads[rank];
    threads.push_back({{"rank", rank},
                       {"cpu", number(thread.cpu)},
                       {"node", number(thread.node)},
                       {"bound", !report.plan.cpus_of_thread.empty()},
                       {"elements", thread.elements}});
  }
  return threads;
}

Json pages_json(const trial::MapPlan& plan, const trial::PhasePlan& planned,
                const trial::PhaseReport& phase) {
  Json on_node = Json::object();
  Json without_node = Json::object();
  if (phase.audit) {
    for (const auto& [node, pages] : phase.audit->pages_on_node) {
      on_node[std::to_string(node.value())] = pages;
    }
    for (const auto& [reason, pages] : phase.audit->reasons) {
      without_node[actuation::to_string(reason)] = pages;
    }
  }
  return {{"page_bytes", plan.page_bytes},
          {"pages", planned.bytes.value / plan.page_bytes},
          {"pages_on_node", phase.audit ? on_node : Json(nullptr)},
          {"pages_without_node", phase.audit ? without_node : Json(nullptr)},
          {"huge_bytes", phase.huge_bytes ? Json(phase.huge_bytes->value) : Json(nullptr)}};
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

/// Shares of all accesses if every element were at home.
Json expected_json(const access::ElementMatrix& matrix) {
  const access::ElementMatrix shares = access::shares_of(matrix);
  Json rows = Json::array();
  for (const NodeId row : shares.rows()) {
    Json cells = Json::array();
    for (const NodeId column : shares.columns()) cells.push_back(shares.at(row, column));
    rows.push_back(std::move(cells));
  }
  return {{"provenance", "pattern"}, {"nodes", numbers(shares.columns())}, {"shares", rows}};
}

Json penalty_json(const std::optional<access::Penalty>& penalty) {
  if (!penalty) return nullptr;
  return {{"observed", penalty->observed},
          {"expected", penalty->expected},
          {"leakage", penalty->leakage()}};
}

void add_matrices(Json& json, const trial::AccessReport& access) {
  json["matrices"] = matrix_json(access.by_node);
  json["expected"] = expected_json(access.expected);
  json["penalty"] = penalty_json(access.penalty);
  json["accesses_without_node"] = access.accesses_without_node;
  json["local_share"] = access::local_share(access.by_node);
  json["column_concentration"] = access::column_concentration(access.by_node);
}

Json change_json(const std::optional<trial::Change>& change) {
  if (!change) return nullptr;
  return {{"did", change->laid_out_anew ? "copied" : "moved"},
          {"pages", change->pages},
          {"seconds", change->seconds}};
}

Json phase_json(const trial::MapReport& report, std::size_t at) {
  const trial::PhasePlan& planned = report.plan.phases[at];
  const trial::PhaseReport& phase = report.phases[at];
  Json json{{"pattern", planned.layout.problem.pattern.name},
            {"grid", planned.layout.problem.grid},
            {"seconds", phase.seconds},
            {"modelled_seconds", phase.modelled_s ? Json(*phase.modelled_s) : Json(nullptr)},
            {"change", change_json(phase.change)},
            {"memory", pages_json(report.plan, planned, phase)},
            {"receipt", receipt_json(phase.receipt)}};
  if (phase.access) {
    add_matrices(json, *phase.access);
  } else {
    json["matrices"] = nullptr;
  }
  return json;
}

}  // namespace

std::string map_json(const machine::Machine& machine, const trial::MapReport& report) {
  Json json{{"schema", "homenode.bench.map/1"},
            {"options", options_json(report.plan)},
            {"machine", machine_json(machine)},
            {"seconds",
             {{"wall", report.seconds},
              {"per_pass", report.seconds / report.plan.options.passes},
              {"clock", host_clock_words()},
              {"modelled", report.modelled_s ? Json(*report.modelled_s) : Json(nullptr)}}},
            {"threads", threads_json(report)},
            {"memory", pages_json(report.plan, report.plan.phases.back(), report.phases.back())},
            {"receipt", receipt_json(report.phases.back().receipt)}};
  if (report.access) {
    add_matrices(json, *report.access);
    json["thread_matrices"] = matrix_json(report.access->by_thread);
  } else {
    json["matrices"] = nullptr;
    json["not_audited"] = report.audit_error ? report.audit_error->message()
                                             : "the kernel does not say where the threads ran";
  }
  json["phases"] = Json::array();
  for (std::size_t at = 0; at < report.phases.size(); ++at) {
    json["phases"].push_back(phase_json(report, at));
  }
  return json.dump() + '\n';
}

}  // namespace homenode::cli
