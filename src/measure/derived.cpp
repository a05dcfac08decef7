#include "measure/derived.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace homenode::measure {
namespace {

constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

PairMatrix empty_matrix(const Report& report) {
  return {report.plan.sources, report.plan.targets, unknown};
}

bool has_value(const PairMatrix& matrix) {
  for (NodeId from : matrix.rows()) {
    for (NodeId to : matrix.columns()) {
      if (!std::isnan(matrix.at(from, to))) return true;
    }
  }
  return false;
}

/// The same values with the machine's rows and columns.
PairMatrix over_all_nodes(const Report& report, const PairMatrix& matrix) {
  PairMatrix all(report.machine.nodes_with_cpus().to_vector(),
                 report.machine.nodes_with_memory().to_vector(), unknown);
  for (NodeId from : matrix.rows()) {
    for (NodeId to : matrix.columns()) all.at(from, to) = matrix.at(from, to);
  }
  return all;
}

PairMatrix mean(const PairMatrix& a, const PairMatrix& b) {
  PairMatrix result = a;
  for (NodeId from : a.rows()) {
    for (NodeId to : a.columns()) result.at(from, to) = (a.at(from, to) + b.at(from, to)) / 2;
  }
  return result;
}

void add_with_mean(std::vector<machine::PairValues>& values, const Report& report,
                   std::array<machine::MatrixKind, 3> kinds, const PairMatrix& reads,
                   const PairMatrix& writes) {
  const auto add = [&](machine::MatrixKind kind, const PairMatrix& matrix) {
    if (!has_value(matrix)) return;
    // What the lab's model gives is what the machine file declares.
    values.push_back(
        {kind, over_all_nodes(report, matrix),
         report.modelled ? machine::Provenance::declared : machine::Provenance::measured});
  };
  add(kinds[0], mean(reads, writes));
  add(kinds[1], reads);
  add(kinds[2], writes);
}

}  // namespace

double moved_ratio(Kernel kernel, const KernelForm& form) {
  const auto& traffic = workloads::probe::traffic(kernel);
  return static_cast<double>(traffic.moved_bytes(form.past_caches)) /
         static_cast<double>(traffic.counted_bytes());
}

std::string provenance(const Report& report) {
  if (!report.modelled) return "measured";
  return "modelled in the lab on " +
         (report.machine.name.empty() ? "an unnamed machine" : report.machine.name);
}

PairMatrix latency_matrix(const Report& report, bool write) {
  PairMatrix matrix = empty_matrix(report);
  for (const LatencyFigure& figure : report.latency) {
    if (figure.item.write != write) continue;
    matrix.at(figure.item.pair.from, figure.item.pair.to) = figure.ns.median;
  }
  return matrix;
}

PairMatrix bandwidth_matrix(const Report& report, Kernel kernel, Scope scope) {
  PairMatrix matrix = empty_matrix(report);
  for (const BandwidthFigure& figure : report.bandwidth) {
    const BandwidthItem& item = figure.item;
    // One CPU and all are the same for a node that has one; it is then measured as all.
    const bool same = item.scope == scope || report.plan.cpus_of.at(item.pair.from).size() == 1;
    if (item.kernel != kernel || !same) continue;
    matrix.at(item.pair.from, item.pair.to) = figure.mibs.median;
  }
  return matrix;
}

PairMatrix numa_factors(const Report& report) {
  const PairMatrix latency = latency_matrix(report, false);
  PairMatrix factors = empty_matrix(report);
  for (NodeId from : latency.rows()) {
    if (!latency.has(from, from)) continue;
    for (NodeId to : latency.columns()) {
      factors.at(from, to) = latency.at(from, to) / latency.at(from, from);
    }
  }
  return factors;
}

Matrix<CpuId, CpuId> core_matrix(const Report& report) {
  CpuSet all;
  for (const CoreFigure& figure : report.cores) all.insert(figure.pair.reader);
  const std::vector<CpuId> cpus = all.to_vector();
  Matrix<CpuId, CpuId> matrix(cpus, cpus, unknown);
  for (const CoreFigure& figure : report.cores) {
    matrix.at(figure.pair.reader, figure.pair.owner) = figure.ns.median;
  }
  return matrix;
}

PairMatrix core_means(const Report& report) {
  PairMatrix sums(report.plan.sources, report.plan.sources, 0.0);
  PairMatrix counts = sums;
  for (const CoreFigure& figure : report.cores) {
    const NodeId from = *report.machine.node_of(figure.pair.reader);
    const NodeId to = *report.machine.node_of(figure.pair.owner);
    sums.at(from, to) += figure.ns.median;
    counts.at(from, to) += 1;
  }
  for (const NodeId from : sums.rows()) {
    for (const NodeId to : sums.columns()) {
      const double count = counts.at(from, to);
      sums.at(from, to) = count > 0 ? sums.at(from, to) / count : unknown;
    }
  }
  return sums;
}

std::optional<double> median_in_node(const Report& report) {
  std::vector<double> values;
  for (const CoreFigure& figure : report.cores) {
    const auto& [reader, owner] = figure.pair;
    if (report.machine.node_of(reader) == report.machine.node_of(owner))
      values.push_back(figure.ns.median);
  }
  if (values.empty()) return std::nullopt;
  return summarise(values).median;
}

std::vector<machine::PairValues> pair_values(const Report& report) {
  using machine::MatrixKind;
  std::vector<machine::PairValues> values;
  add_with_mean(values, report,
                {MatrixKind::latency, MatrixKind::read_latency, MatrixKind::write_latency},
                latency_matrix(report, false), latency_matrix(report, true));
  add_with_mean(values, report,
                {MatrixKind::bandwidth, MatrixKind::read_bandwidth, MatrixKind::write_bandwidth},
                bandwidth_matrix(report, Kernel::read, Scope::all_cpus),
                bandwidth_matrix(report, Kernel::write_nt, Scope::all_cpus));
  return values;
}

std::vector<InterleaveWeights> interleave_weights(const Report& report) {
  if (report.bandwidth.empty()) return {};
  const PairMatrix matrix = bandwidth_matrix(report, report.plan.weights_kernel(), Scope::all_cpus);
  std::map<NodeId, double> best;
  std::vector<InterleaveWeights> result(1);
  for (NodeId from : matrix.rows()) {
    std::map<NodeId, double> row;
    for (NodeId to : matrix.columns()) {
      row[to] = matrix.at(from, to);
      best[to] = std::max(best[to], row[to]);
    }
    result.push_back({from, placement::best_weights(row)});
  }
  result.front().weights = placement::best_weights(best);
  return result;
}

std::vector<machine::GpuFigures> gpu_medians(const GpuFacts& gpu) {
  std::vector<machine::GpuFigures> medians;
  for (const GpuFigure& figure : gpu.figures) {
    medians.push_back(
        {figure.node, figure.to_mibs.median, figure.from_mibs.median, figure.latency_ns.median});
  }
  return medians;
}

}  // namespace homenode::measure
