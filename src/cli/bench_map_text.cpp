#include <fmt/format.h>

#include "cli/bench_map_render.h"

namespace homenode::cli {
namespace {

constexpr const char* indent = "  ";

std::string headline(const MapPlan& plan) {
  const MapOptions& options = plan.options;
  const Method method = options.launched ? Method::command_line : options.method;
  return fmt::format(
      "MAP-numa 1D: {}, {}, {}; method {}\n{} threads ({}, bound: {}), {} KiB, {} {}\n",
      to_string(options.pattern), to_string(options.order), to_string(options.operation),
      to_string(method), plan.threads, to_string(options.team), options.bind,
      options.size.value >> 10U, options.passes, options.passes == 1 ? "pass" : "passes");
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

std::string pages_text(const MapReport& report) {
  std::string text = "pages on node       ";
  for (const auto& [node, pages] : report.audit->pages_on_node) {
    text += fmt::format(" {}: {}", node.value(), pages);
  }
  for (const auto& [reason, pages] : report.audit->reasons) {
    text += fmt::format(" {}: {}", actuation::to_string(reason), pages);
  }
  text += fmt::format(" (of {} bytes", report.plan.page_bytes);
  if (report.huge_bytes) {
    text += fmt::format(", {:.0f} % in huge pages",
                        percent(report.huge_bytes->value, report.plan.bytes.value));
  }
  return text + ")\n";
}

}  // namespace

std::string map_text(const MapReport& report) {
  std::string text = headline(report.plan);
  if (report.access) {
    text += matrix_text(report.access->by_node);
    if (report.plan.cpus_of_thread.empty()) {
      text += "The threads were not bound: each counts where it was when it had finished.\n";
    }
    text += fmt::format("\nlocal share          {:.2f} %\n",
                        100.0 * access::local_share(report.access->by_node));
    text += fmt::format("largest column       {:.2f} %\n",
                        100.0 * access::column_concentration(report.access->by_node));
  } else {
    text += fmt::format("\nno matrix: {}\n", report.audit_error
                                                 ? report.audit_error->message()
                                                 : "the kernel does not say where the threads ran");
  }
  if (report.audit) text += pages_text(report);
  if (report.receipt && report.receipt->refused > 0) {
    text += fmt::format("not placed           {} pages", report.receipt->refused);
    for (const Error& refusal : report.receipt->refusals) text += "; " + refusal.message();
    text += '\n';
  }
  return text + fmt::format("time                 {:.6f} s, {:.6f} s a pass (host clock)\n",
                            report.seconds, report.seconds / report.plan.options.passes);
}

}  // namespace homenode::cli
