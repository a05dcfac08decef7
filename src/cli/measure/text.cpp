#include "cli/measure/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "cli/topology/words.h"

namespace homenode::cli {
namespace {

using measure::Kernel;
using measure::Report;
using measure::Scope;
using measure::Together;

constexpr std::array<const char*, 5> shades = {" ", "░", "▒", "▓", "█"};
/// From the terminal's 256 colours: green, then yellow, then red, dark enough for white letters.
constexpr std::array<int, 5> backgrounds = {22, 58, 94, 130, 124};
constexpr int least_width = 8;

std::size_t step_of(double depth) {
  return std::min(static_cast<std::size_t>(depth * 5.0), std::size_t{4});
}

std::function<bool(NodeId, NodeId)> noisy_latency(const Report& report, bool write) {
  return [&report, write](NodeId from, NodeId to) {
    return std::any_of(report.latency.begin(), report.latency.end(), [&](const auto& figure) {
      return figure.item == measure::LatencyItem{{from, to}, write} && is_noisy(figure.ns);
    });
  };
}

/// Half of the pairs between two nodes, or more.
std::function<bool(NodeId, NodeId)> noisy_cores(const Report& report) {
  return [&report](NodeId from, NodeId to) {
    const CpuSet& readers = report.plan.cpus_of.at(from);
    const CpuSet& owners = report.plan.cpus_of.at(to);
    std::size_t pairs = 0;
    std::size_t noisy = 0;
    for (const measure::CoreFigure& figure : report.cores) {
      if (!readers.contains(figure.pair.reader) || !owners.contains(figure.pair.owner)) continue;
      ++pairs;
      if (is_noisy(figure.ns)) ++noisy;
    }
    return pairs > 0 && 2 * noisy >= pairs;
  };
}

void add_bandwidth(const Report& report, measure::Kernel kernel, std::vector<HeatTable>& tables) {
  const auto measured = [&](const auto& figure) {
    return figure.item.kernel == kernel && figure.mibs.runs > 0;
  };
  if (std::none_of(report.bandwidth.begin(), report.bandwidth.end(), measured)) return;
  const auto noisy = [&report, kernel](NodeId from, NodeId to) {
    return std::any_of(report.bandwidth.begin(), report.bandwidth.end(), [&](const auto& figure) {
      return figure.item == measure::BandwidthItem{kernel, Scope::all_cpus, {from, to}} &&
             is_noisy(figure.mibs);
    });
  };
  tables.push_back({fmt::format("Bandwidth of all CPUs of a node in MiB/s, {}",
                                workloads::probe::traffic(kernel).name),
                    measure::bandwidth_matrix(report, kernel, Scope::all_cpus), 0, true, noisy});
}

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
      "{:.0f} % of it, or as much other work on its CPUs); kernels up to {}\n",
      machine_words(report.machine), measure::provenance(report), report.plan.runs,
      report.plan.runs == 1 ? "run" : "runs", 100 * measure::noisy_spread, report.isa);
  std::map<std::string, NodeSet> nodes_of;
  for (const measure::MemoryFacts& facts : report.memory) {
    nodes_of[fmt::format("arrays of {}, {}", size_words(facts.array), order_words(facts))].insert(
        facts.node);
  }
  for (const auto& [words, nodes] : nodes_of) {
    text += fmt::format("Memory of {}: {}\n", node_words(nodes), words);
  }
  return text;
}

/// How many of the counted bytes, or of those that cross the bus.
template <class Figure>
double ratio_of(const Figure& figure, bool moved) {
  return moved ? measure::moved_ratio(figure.item.kernel, figure.form) : 1.0;
}

std::string rate(double mibs, bool noisy) {
  return fmt::format("{:.0f}{}", mibs, noisy ? "~" : "");
}

/// Of the pairs inside a node or between two: the mean of the medians, noisy when any of them is.
std::string mean_rate(const Report& report, Kernel kernel, Scope scope, bool local, bool moved) {
  double sum = 0;
  std::size_t count = 0;
  bool noisy = false;
  for (const measure::BandwidthFigure& figure : report.bandwidth) {
    const measure::BandwidthItem& item = figure.item;
    if (item.kernel != kernel || item.scope != scope || figure.mibs.runs == 0) continue;
    if ((item.pair.from == item.pair.to) != local) continue;
    sum += ratio_of(figure, moved) * figure.mibs.median;
    noisy = noisy || is_noisy(figure.mibs);
    ++count;
  }
  return count == 0 ? "-" : rate(sum / static_cast<double>(count), noisy);
}

std::string together_rate(const Report& report, Kernel kernel, Together kind, bool moved) {
  for (const measure::TogetherFigure& figure : report.together) {
    if (figure.item != measure::TogetherItem{kernel, kind} || figure.mibs.runs == 0) continue;
    return rate(ratio_of(figure, moved) * figure.mibs.median, is_noisy(figure.mibs));
  }
  return "-";
}

std::string kernel_row(const Report& report, Kernel kernel, bool moved) {
  const workloads::probe::Traffic& traffic = workloads::probe::traffic(kernel);
  const std::string mix = fmt::format("{}:{}", traffic.loads, traffic.stores);
  return fmt::format("{:>10} {:>5} {:>10}{:>10}{:>10}{:>10}{:>12}{:>12}\n",
                     moved ? "" : traffic.name, moved ? "" : mix,
                     mean_rate(report, kernel, Scope::one_cpu, true, moved),
                     mean_rate(report, kernel, Scope::one_cpu, false, moved),
                     mean_rate(report, kernel, Scope::all_cpus, true, moved),
                     mean_rate(report, kernel, Scope::all_cpus, false, moved),
                     together_rate(report, kernel, Together::local, moved),
                     together_rate(report, kernel, Together::interleaved, moved));
}

/// How a kernel was computed on so many CPUs; empty where it was not.
std::string form_name(const Report& report, Kernel kernel, Scope scope) {
  for (const measure::BandwidthFigure& figure : report.bandwidth) {
    if (figure.item.kernel == kernel && figure.item.scope == scope && !figure.form.name.empty()) {
      return figure.form.name;
    }
  }
  return "";
}

/// The forms of the kernels in the table.
std::string forms_text(const Report& report, const std::vector<Kernel>& kernels) {
  std::string text = report.modelled ? "Forms of the kernels (the model prefers none):\n"
                                     : "Forms of the kernels, the fastest of a trial:\n";
  for (const Kernel kernel : kernels) {
    std::string names = form_name(report, kernel, Scope::one_cpu);
    const std::string all = form_name(report, kernel, Scope::all_cpus);
    if (!names.empty()) names += " (one CPU)";
    if (!all.empty()) names += (names.empty() ? "" : "; ") + all + " (all CPUs)";
    text += fmt::format("{:>10}  {}\n", workloads::probe::traffic(kernel).name,
                        names.empty() ? "-" : names);
  }
  return text;
}

/// All kernels side by side: means over the nodes, bytes as STREAM counts them, and in a second
/// line with write-allocate traffic where plain stores have any; then the form of each.
std::string kernel_table(const Report& report) {
  if (report.bandwidth.empty()) return "";
  std::string text =
      "\nBandwidth in MiB/s by kernel, mean over the nodes; second line: with the lines that "
      "plain\nstores read first; R:W: arrays read and written\n";
  text += fmt::format("{:>10} {:>5} {:>20}{:>20}{:>24}\n", "", "", "one CPU", "all CPUs of a node",
                      "all nodes at once");
  text += fmt::format("{:>10} {:>5} {:>10}{:>10}{:>10}{:>10}{:>12}{:>12}\n", "kernel", "R:W",
                      "local", "remote", "local", "remote", "local", "interleaved");
  std::vector<Kernel> measured;
  for (const auto& entry : workloads::probe::kernels()) {
    bool reads_first = false;
    bool any = false;
    for (const measure::BandwidthFigure& figure : report.bandwidth) {
      if (figure.item.kernel != entry.kernel) continue;
      any = true;
      reads_first = reads_first || ratio_of(figure, true) > 1.0;
    }
    if (!any) continue;
    measured.push_back(entry.kernel);
    text += kernel_row(report, entry.kernel, false);
    if (reads_first) text += kernel_row(report, entry.kernel, true);
  }
  return text + forms_text(report, measured);
}

std::string loaded_table(const Report& report) {
  if (report.loaded.empty()) return "";
  std::string text =
      "\nLatency in ns under load: MiB/s that the other CPUs read meanwhile → latency, from the "
      "least load\nto the most\n";
  for (const measure::LoadedCurve& curve : report.loaded) {
    text += fmt::format("  {:>3} → {:<3}", curve.pair.from.value(), curve.pair.to.value());
    if (curve.points.empty()) text += "  not measurable: the node has one CPU";
    for (const measure::LoadedPoint& point : curve.points) {
      text += fmt::format("  {:.0f}{} → {:.1f}{}", point.injected_mibs.median,
                          is_noisy(point.injected_mibs) ? "~" : "", point.latency_ns.median,
                          is_noisy(point.latency_ns) ? "~" : "");
    }
    text += '\n';
  }
  return text;
}

/// The two pairs of CPUs that are nearest and farthest.
std::string cores_text(const Report& report) {
  if (report.cores.empty()) return "";
  const auto less = [](const measure::CoreFigure& a, const measure::CoreFigure& b) {
    return a.ns.median < b.ns.median;
  };
  const auto [least, most] = std::minmax_element(report.cores.begin(), report.cores.end(), less);
  const auto words = [](const measure::CoreFigure& figure) {
    return fmt::format("{:.1f} ns (CPU {} from CPU {})", figure.ns.median,
                       figure.pair.reader.value(), figure.pair.owner.value());
  };
  return fmt::format("\nCore to core, of all {} pairs of CPUs: least {}, most {}\n",
                     report.cores.size(), words(*least), words(*most));
}

/// "52341", "52341~", or "-" where nothing was measured.
std::string gpu_cell(const measure::Summary& summary) {
  return summary.runs == 0 ? "-" : rate(summary.median, is_noisy(summary));
}

/// By GPU, a line for each node.
std::string gpu_tables(const Report& report) {
  if (std::ranges::all_of(report.gpus, [](const auto& gpu) { return gpu.figures.empty(); })) {
    return "";
  }
  std::string text =
      "\nGPUs: copies between a node's pinned memory and the GPU in MiB/s, and the latency in ns "
      "of a load\nof the GPU from it\n";
  for (const measure::GpuFacts& facts : report.gpus) {
    text += fmt::format("  {}: {}, {}, {}\n", facts.name, facts.model, facts.pci, facts.driver);
    text += fmt::format("{:>{}}{:>12}{:>12}{:>12}\n", "node", least_width, "to it", "from it",
                        "latency");
    for (const measure::GpuFigure& figure : facts.figures) {
      text += fmt::format("{:>{}}{:>12}{:>12}{:>12}\n", figure.node.value(), least_width,
                          gpu_cell(figure.to_mibs), gpu_cell(figure.from_mibs),
                          gpu_cell(figure.latency_ns));
    }
    const auto firmware =
        facts.nodes.size() == 1 ? std::optional(facts.nodes.to_vector().front()) : std::nullopt;
    const auto nearest = machine::nearest_node(measure::gpu_medians(facts), firmware);
    if (report.plan.targets.size() > 1 && nearest) {
      text +=
          fmt::format("    nearest as measured: node {}; the firmware says {}\n", nearest->value(),
                      facts.nodes.empty() ? "nothing" : node_words(facts.nodes));
    }
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

std::vector<HeatTable> heat_tables(const Report& report) {
  std::vector<HeatTable> tables;
  if (!report.latency.empty()) {
    tables.push_back({"Idle latency in ns, read", measure::latency_matrix(report, false), 1, false,
                      noisy_latency(report, false)});
    tables.push_back({"Idle latency in ns, write", measure::latency_matrix(report, true), 1, false,
                      noisy_latency(report, true)});
    tables.push_back({"NUMA factor (read latency over the local one)",
                      measure::numa_factors(report),
                      2,
                      false,
                      {}});
  }
  add_bandwidth(report, measure::Kernel::read, tables);
  add_bandwidth(report, measure::Kernel::write_nt, tables);
  if (tables.empty() && !report.bandwidth.empty()) {
    add_bandwidth(report, report.bandwidth.front().item.kernel, tables);
  }
  if (!report.cores.empty()) {
    tables.push_back({"Core to core in ns, mean over the CPUs", measure::core_means(report), 1,
                      false, noisy_cores(report),
                      "row: who reads; column: whose cache has modified the line"});
  }
  return tables;
}

double depth_of(const HeatTable& table, NodeId from, NodeId to) {
  double least = std::nan("");
  double most = std::nan("");
  for (NodeId row : table.values.rows()) {
    for (NodeId column : table.values.columns()) {
      const double value = table.values.at(row, column);
      least = std::fmin(least, value);
      most = std::fmax(most, value);
    }
  }
  const double value = table.values.at(from, to);
  if (std::isnan(value)) return value;
  if (!(most > least)) return 0.0;
  const double depth = (value - least) / (most - least);
  return table.more_is_better ? 1.0 - depth : depth;
}

std::string heat_text(const HeatTable& table, bool colour) {
  std::string text = fmt::format("{} ({})\n", table.title, table.key);
  text += fmt::format("{:>{}}", "node", least_width);
  for (NodeId to : table.values.columns()) text += fmt::format("{:>{}}  ", to.value(), least_width);
  text.erase(text.find_last_not_of(' ') + 1);
  text += '\n';
  for (NodeId from : table.values.rows()) {
    text += fmt::format("{:>{}}", from.value(), least_width);
    std::string blanks;
    for (NodeId to : table.values.columns()) {
      const double value = table.values.at(from, to);
      if (std::isnan(value)) {
        text += blanks + fmt::format("{:>{}}", "-", least_width);
        blanks = "  ";
        continue;
      }
      const bool noisy = table.is_noisy && table.is_noisy(from, to);
      const auto words =
          fmt::format("{:>{}.{}f}{}", value, least_width, table.decimals, noisy ? "~" : " ");
      const std::size_t step = step_of(depth_of(table, from, to));
      text += blanks;
      text += colour ? fmt::format("\033[97;48;5;{}m{}\033[0m ", backgrounds[step], words)
                     : words + shades[step];
      blanks.clear();
    }
    if (!colour) text.erase(text.find_last_not_of(' ') + 1);
    text += '\n';
  }
  return text;
}

std::string measure_text(const Report& report, bool colour) {
  std::string text = headline(report);
  for (const HeatTable& table : heat_tables(report)) text += '\n' + heat_text(table, colour);
  text += kernel_table(report) + loaded_table(report) + cores_text(report) + gpu_tables(report) +
          weights_table(report);
  if (!report.notes.empty()) text += '\n';
  for (const std::string& note : report.notes) text += "Note: " + note + '\n';
  return text;
}

}  // namespace homenode::cli
