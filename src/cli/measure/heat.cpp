#include "cli/measure/heat.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace homenode::cli {
namespace {

using measure::Report;
using measure::Scope;

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
  std::string text = table.title + " (row: who asks; column: whose memory)\n";
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

}  // namespace homenode::cli
