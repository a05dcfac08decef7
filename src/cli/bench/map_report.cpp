#include "cli/bench/map.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/json_numbers.h"
#include "cli/bench/workload.h"
#include "trial/map/patterns.h"

namespace homenode::cli {
namespace {

using Json = nlohmann::ordered_json;

template <class IdType>
Json number(const std::optional<IdType>& id) {
  return id ? Json(id->value()) : Json(nullptr);
}

/// The run that --method command-line started has the method of the run that started it.
trial::Method method_of(const trial::MapOptions& options) {
  return options.launched ? trial::Method::command_line : options.method;
}

Json options_json(const trial::MapPlan& plan) {
  const trial::MapOptions& options = plan.options;
  const workloads::map::Shape& shape = plan.phases.front().layout.problem.shape;
  return {{"pattern", trial::pattern_name(options)},
          {"shape", trial::to_string(shape)},
          {"order", trial::to_string(options.order)},
          {"op", trial::to_string(options.operation)},
          {"method", trial::to_string(method_of(options))},
          {"threads", plan.threads},
          {"size_bytes", shape.elements() * workloads::map::line_bytes},
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
  Json on_no_node = Json::object();
  if (phase.audit) {
    for (const auto& [reason, pages] : phase.audit->reasons) {
      on_no_node[actuation::to_string(reason)] = pages;
    }
  }
  return {{"page_bytes", plan.page_bytes},
          {"pages", planned.bytes.value / plan.page_bytes},
          {"pages_on_node", phase.audit ? by_node(phase.audit->pages_on_node) : Json(nullptr)},
          {"pages_on_no_node", phase.audit ? on_no_node : Json(nullptr)},
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
            {"modelled_s", phase.modelled_s ? Json(*phase.modelled_s) : Json(nullptr)},
            {"change", change_json(phase.change)},
            {"memory", pages_json(report.plan, planned, phase)},
            {"receipt", receipt_json(phase.receipt)}};
  add_access_json(json, phase.access);
  return json;
}

std::string why_not_audited(const trial::MapReport& report) {
  return report.audit_error ? report.audit_error->message()
                            : "the kernel does not say where the threads ran";
}

constexpr const char* indent = "  ";

std::string headline(const trial::MapPlan& plan) {
  const trial::MapOptions& options = plan.options;
  const workloads::map::Shape& shape = plan.phases.front().layout.problem.shape;
  return fmt::format(
      "MAP-numa {}D: {}, {}, {}; method {}\n"
      "{} threads ({}, bound: {}), {} elements, {} KiB, {} {}\n",
      shape.dimensions, trial::pattern_name(options), trial::to_string(plan.phases.front().order),
      trial::to_string(options.operation), trial::to_string(method_of(options)), plan.threads,
      trial::to_string(options.team), options.bind, trial::to_string(shape),
      shape.elements() * workloads::map::line_bytes >> 10U, options.passes,
      options.passes == 1 ? "pass" : "passes");
}

std::string pages_text(const trial::MapPlan& plan, const trial::PhasePlan& planned,
                       const trial::PhaseReport& phase) {
  std::string text = "pages on node       ";
  for (const auto& [node, pages] : phase.audit->pages_on_node) {
    text += fmt::format(" {}: {}", node.value(), pages);
  }
  for (const auto& [reason, pages] : phase.audit->reasons) {
    text += fmt::format(" {}: {}", actuation::to_string(reason), pages);
  }
  text += fmt::format(" (of {} bytes", plan.page_bytes);
  if (phase.huge_bytes) {
    text += fmt::format(", {:.0f} % in huge pages",
                        100.0 * static_cast<double>(phase.huge_bytes->value) /
                            static_cast<double>(planned.bytes.value));
  }
  return text + ")\n";
}

std::string refused_text(const trial::PhaseReport& phase) {
  if (!phase.receipt || phase.receipt->refused == 0) return {};
  std::string text = fmt::format("not placed           {} pages", phase.receipt->refused);
  for (const Error& refusal : phase.receipt->refusals) text += "; " + refusal.message();
  return text + '\n';
}

std::string change_text(const trial::PhaseReport& phase) {
  if (!phase.change) return "-";
  return fmt::format("{} pages {} in {:.6f} s", phase.change->pages,
                     phase.change->laid_out_anew ? "copied" : "moved", phase.change->seconds);
}

/// One line for each phase of multi-patterns.
std::string phases_text(const trial::MapReport& report) {
  std::string text = fmt::format("\n{}{:<18}{:>9}{:>9}{:>9}{:>12}  {}\n", indent, "phase",
                                 "local %", "column %", "leakage", "s a pass", "before it");
  for (std::size_t at = 0; at < report.phases.size(); ++at) {
    const trial::PhaseReport& phase = report.phases[at];
    std::string shares = fmt::format("{:>9}{:>9}{:>9}", "?", "?", "?");
    if (phase.access) {
      const std::optional<access::Penalty>& penalty = phase.access->penalty;
      shares =
          fmt::format("{:>9.2f}{:>9.2f}{:>9}", 100.0 * access::local_share(phase.access->by_node),
                      100.0 * access::column_concentration(phase.access->by_node),
                      penalty ? leakage_text(*penalty) : "?");
    }
    text += fmt::format("{}{:<18}{}{:>12.6f}  {}\n", indent,
                        report.plan.phases[at].layout.problem.pattern.name, shares,
                        phase.modelled_s.value_or(phase.seconds) / report.plan.options.passes,
                        change_text(phase));
  }
  return text + fmt::format("{}Passes: {}; moves and copies: {}\n", indent,
                            report.modelled_s ? modelled_words : host_clock_words(),
                            host_clock_words());
}

/// The machine's time where the lab models it; the host's beside it.
std::string times_text(const trial::MapReport& report) {
  const auto line = [&](const char* name, double seconds, const std::string& clock) {
    return fmt::format("{:<21}{:.6f} s, {:.6f} s a pass ({})\n", name, seconds,
                       seconds / report.plan.options.passes, clock);
  };
  if (!report.modelled_s) return line("time", report.seconds, host_clock_words());
  return line("time", *report.modelled_s, modelled_words) +
         line("on the host", report.seconds, host_clock_words());
}

}  // namespace

std::string map_json(const machine::Machine& machine, const trial::MapReport& report) {
  Json json{{"schema", "homenode.bench.map/2"},
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
  add_access_json(json, report.access);
  json["thread_matrices"] =
      report.access ? thread_matrix_json(report.access->by_thread) : Json(nullptr);
  json["not_audited"] = report.access ? Json(nullptr) : Json(why_not_audited(report));
  json["phases"] = Json::array();
  for (std::size_t at = 0; at < report.phases.size(); ++at) {
    json["phases"].push_back(phase_json(report, at));
  }
  return json.dump() + '\n';
}

std::string map_text(const trial::MapReport& report) {
  std::string text = headline(report.plan);
  if (report.access) {
    text += matrix_text(report.access->by_node);
    if (report.plan.cpus_of_thread.empty()) {
      text += "The threads were not bound: each counts on the node where it finished.\n";
    }
    text += '\n' + shares_text(*report.access);
  } else {
    text += fmt::format("\nno matrix: {}\n", why_not_audited(report));
  }
  if (report.phases.size() > 1) text += phases_text(report) + '\n';
  const trial::PhaseReport& last = report.phases.back();
  if (last.audit) text += pages_text(report.plan, report.plan.phases.back(), last);
  for (const trial::PhaseReport& phase : report.phases) text += refused_text(phase);
  return text + times_text(report);
}

}  // namespace homenode::cli
