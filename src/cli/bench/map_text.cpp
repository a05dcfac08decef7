#include <fmt/format.h>

#include <cmath>

#include "cli/bench/clock.h"
#include "cli/bench/map_render.h"
#include "trial/map/patterns.h"

namespace homenode::cli {
namespace {

constexpr const char* indent = "  ";

std::string headline(const trial::MapPlan& plan) {
  const trial::MapOptions& options = plan.options;
  const trial::Method method = options.launched ? trial::Method::command_line : options.method;
  const workloads::map::Shape& shape = plan.phases.front().layout.problem.shape;
  return fmt::format(
      "MAP-numa {}D: {}, {}, {}; method {}\n"
      "{} threads ({}, bound: {}), {} elements, {} KiB, {} {}\n",
      shape.dimensions, trial::pattern_name(options), trial::to_string(plan.phases.front().order),
      trial::to_string(options.operation), trial::to_string(method), plan.threads,
      trial::to_string(options.team), options.bind, trial::to_string(shape),
      shape.elements() * workloads::map::line_bytes >> 10U, options.passes,
      options.passes == 1 ? "pass" : "passes");
}

double percent(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? 0.0 : 100.0 * static_cast<double>(part) / static_cast<double>(whole);
}

std::string matrix_text(const access::NodeMatrix& matrix) {
  const std::uint64_t everything = access::total(matrix).total();
  std::string text =
      "\nAccesses in percent, computed from the pattern and an audit of the pages\n"
      "(row: the node that uses; column: the node that holds):\n";
  text += fmt::format("{}{:>6}", indent, "node");
  for (NodeId column : matrix.columns()) text += fmt::format("{:>7}", column.value());
  text += '\n';
  for (NodeId row : matrix.rows()) {
    text += fmt::format("{}{:>6}", indent, row.value());
    for (NodeId column : matrix.columns()) {
      const std::uint64_t count = matrix.at(row, column).total();
      // An empty cell is shown as such: a matrix is read by its shape first.
      text += count == 0 ? fmt::format("{:>7}", "-")
                         : fmt::format("{:>7.2f}", percent(count, everything));
    }
    text += '\n';
  }
  return text;
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
                        percent(phase.huge_bytes->value, planned.bytes.value));
  }
  return text + ")\n";
}

std::string refused_text(const trial::PhaseReport& phase) {
  if (!phase.receipt || phase.receipt->refused == 0) return {};
  std::string text = fmt::format("not placed           {} pages", phase.receipt->refused);
  for (const Error& refusal : phase.receipt->refusals) text += "; " + refusal.message();
  return text + '\n';
}

/// A leakage with four decimals; what is 0 but for rounding has no sign.
std::string leakage_text(const access::Penalty& penalty) {
  const double shown = std::round(penalty.leakage() * 1e4) / 1e4;
  return fmt::format("{:.4f}", shown == 0.0 ? 0.0 : shown);
}

std::string shares_text(const trial::AccessReport& access) {
  std::string text = fmt::format("local share          {:.2f} % (the pattern allows {:.2f} %)\n",
                                 100.0 * access::local_share(access.by_node),
                                 100.0 * access::local_share(access.expected));
  text += fmt::format("largest column       {:.2f} %\n",
                      100.0 * access::column_concentration(access.by_node));
  if (access.penalty) {
    text += fmt::format("leakage              {} (mean distance / 10: {:.4f}, at best {:.4f})\n",
                        leakage_text(*access.penalty), access.penalty->observed,
                        access.penalty->expected);
  }
  return text;
}

std::string change_text(const trial::PhaseReport& phase) {
  if (!phase.change) return "-";
  return fmt::format("{} pages {} in {:.6f} s", phase.change->pages,
                     phase.change->laid_out_anew ? "copied" : "moved", phase.change->seconds);
}

/// One line for each phase of multi-patterns.
std::string phases_text(const trial::MapReport& report) {
  std::string text = fmt::format("\n{}{:<18}{:>9}{:>9}{:>9}{:>12}  {}\n", indent, "phase",
                                 "local %", "column %", "leakage", "s a pass", "done before it");
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
  return text + fmt::format("{}Passes: {}; what was done before: {}\n", indent,
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

std::string map_text(const trial::MapReport& report) {
  std::string text = headline(report.plan);
  if (report.access) {
    text += matrix_text(report.access->by_node);
    if (report.plan.cpus_of_thread.empty()) {
      text += "The threads were not bound: each counts where it was when it had finished.\n";
    }
    text += '\n' + shares_text(*report.access);
  } else {
    text += fmt::format("\nno matrix: {}\n", report.audit_error
                                                 ? report.audit_error->message()
                                                 : "the kernel does not say where the threads ran");
  }
  if (report.phases.size() > 1) text += phases_text(report) + '\n';
  const trial::PhaseReport& last = report.phases.back();
  if (last.audit) text += pages_text(report.plan, report.plan.phases.back(), last);
  for (const trial::PhaseReport& phase : report.phases) text += refused_text(phase);
  return text + times_text(report);
}

}  // namespace homenode::cli
