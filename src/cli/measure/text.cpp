#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/id_list.h"
#include "cli/measure/heat.h"
#include "cli/measure/render.h"
#include "cli/topology/words.h"

namespace homenode::cli {
namespace {

using measure::Kernel;
using measure::Report;
using measure::Scope;
using measure::Summary;
using measure::Together;

std::string order_words(const measure::MemoryFacts& facts) {
  if (facts.page_local) {
    return "small pages: latency over every second line of a page before the next page";
  }
  const bool huge = facts.huge && facts.huge->value >= 2 * facts.array.value;
  return huge ? "huge pages: latency in a random order"
              : "no TLB is modelled: latency in a random order";
}

std::string headline(const Report& report) {
  std::string text = fmt::format(
      "{}, {}\nEach figure is the median of {} {}; ~ marks a noisy one (median deviation above "
      "{:.0f} % of it); kernels for {}\n",
      machine_words(report.machine), measure::provenance(report), report.plan.runs,
      report.plan.runs == 1 ? "run" : "runs", 100 * measure::noisy_spread, report.isa);
  std::map<std::string, NodeSet> nodes_of;
  for (const measure::MemoryFacts& facts : report.memory) {
    nodes_of[fmt::format("arrays of {}, {}", size_words(facts.array), order_words(facts))].insert(
        facts.node);
  }
  for (const auto& [words, nodes] : nodes_of) {
    text += fmt::format("Memory of {} {}: {}\n", nodes.size() == 1 ? "node" : "nodes",
                        to_list(nodes), words);
  }
  return text;
}

std::string rate(const Summary& summary, double ratio) {
  if (summary.runs == 0) return "-";
  return fmt::format("{:.0f}{}", ratio * summary.median, is_noisy(summary) ? "~" : "");
}

/// Of the pairs inside a node or between two: the mean of the medians, noisy when any of them is.
std::string mean_rate(const Report& report, Kernel kernel, Scope scope, bool local, double ratio) {
  double sum = 0;
  std::size_t count = 0;
  bool noisy = false;
  for (const measure::BandwidthFigure& figure : report.bandwidth) {
    const measure::BandwidthItem& item = figure.item;
    if (item.kernel != kernel || item.scope != scope || figure.mibs.runs == 0) continue;
    if ((item.pair.from == item.pair.to) != local) continue;
    sum += figure.mibs.median;
    noisy = noisy || is_noisy(figure.mibs);
    ++count;
  }
  if (count == 0) return "-";
  return fmt::format("{:.0f}{}", ratio * sum / static_cast<double>(count), noisy ? "~" : "");
}

std::string together_rate(const Report& report, Kernel kernel, Together kind, double ratio) {
  for (const measure::TogetherFigure& figure : report.together) {
    if (figure.item == measure::TogetherItem{kernel, kind}) return rate(figure.mibs, ratio);
  }
  return "-";
}

std::string kernel_row(const Report& report, Kernel kernel, bool moved) {
  const double ratio = moved ? measure::moved_ratio(kernel) : 1.0;
  return fmt::format("{:>10} {:>10}{:>10}{:>10}{:>10}{:>12}{:>12}\n",
                     moved ? "" : workloads::probe::traffic(kernel).name,
                     mean_rate(report, kernel, Scope::one_cpu, true, ratio),
                     mean_rate(report, kernel, Scope::one_cpu, false, ratio),
                     mean_rate(report, kernel, Scope::all_cpus, true, ratio),
                     mean_rate(report, kernel, Scope::all_cpus, false, ratio),
                     together_rate(report, kernel, Together::local, ratio),
                     together_rate(report, kernel, Together::interleaved, ratio));
}

/// All kernels side by side: means over the nodes, bytes as STREAM counts them, and in a second
/// line with write-allocate traffic where that is more.
std::string kernel_table(const Report& report) {
  if (report.bandwidth.empty()) return "";
  std::string text =
      "\nBandwidth in MiB/s by kernel, mean over the nodes; second line: with the lines that "
      "plain\nstores read first\n";
  text += fmt::format("{:>10} {:>20}{:>20}{:>24}\n", "", "one CPU", "all CPUs of a node",
                      "all nodes at once");
  text += fmt::format("{:>10} {:>10}{:>10}{:>10}{:>10}{:>12}{:>12}\n", "kernel", "local", "remote",
                      "local", "remote", "local", "interleaved");
  for (const auto& entry : workloads::probe::kernels()) {
    const auto measured = [&](const auto& figure) { return figure.item.kernel == entry.kernel; };
    if (std::none_of(report.bandwidth.begin(), report.bandwidth.end(), measured)) continue;
    text += kernel_row(report, entry.kernel, false);
    if (entry.allocates) text += kernel_row(report, entry.kernel, true);
  }
  return text;
}

std::string loaded_table(const Report& report) {
  if (report.loaded.empty()) return "";
  std::string text =
      "\nLatency in ns under load: injected MiB/s → latency, from the least load to the most\n";
  for (const measure::LoadedCurve& curve : report.loaded) {
    text += fmt::format("  {:>3} → {:<3}", curve.pair.from.value(), curve.pair.to.value());
    if (curve.points.empty()) text += "  not measurable: the node has one CPU";
    for (const measure::LoadedPoint& point : curve.points) {
      text += fmt::format("  {:.0f} → {:.1f}{}", point.injected_mibs.median,
                          point.latency_ns.median, is_noisy(point.latency_ns) ? "~" : "");
    }
    text += '\n';
  }
  return text;
}

std::string weights_table(const Report& report) {
  if (report.weights.empty()) return "";
  std::string text = fmt::format(
      "\nBest weights for weighted interleave, from the {} bandwidths, and what they reach of\nthe "
      "best throughput (equal weights in brackets)\n",
      workloads::probe::traffic(report.plan.weights_kernel()).name);
  for (const measure::InterleaveWeights& entry : report.weights) {
    text += entry.from ? fmt::format("  from node {:<4}", entry.from->value())
                       : fmt::format("  {:<14}", "all nodes");
    for (const auto& [node, weight] : entry.weights.of_node) {
      text += fmt::format(" {}:{}", node.value(), weight);
    }
    text += fmt::format("   {:.0f} % ({:.0f} %)\n", 100 * entry.weights.efficiency,
                        100 * entry.weights.plain_efficiency);
  }
  return text;
}

}  // namespace

std::string measure_text(const Report& report, bool colour) {
  std::string text = headline(report);
  for (const HeatTable& table : heat_tables(report)) text += '\n' + heat_text(table, colour);
  text += kernel_table(report) + loaded_table(report) + weights_table(report);
  if (!report.notes.empty()) text += '\n';
  for (const std::string& note : report.notes) text += "Note: " + note + '\n';
  return text;
}

}  // namespace homenode::cli
