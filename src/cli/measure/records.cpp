#include "cli/measure/records.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/json_numbers.h"
#include "base/text_table.h"
#include "machine/export.h"
#include "measure/derived.h"

namespace homenode::cli {
namespace {

using Json = nlohmann::ordered_json;
using measure::Report;
using measure::Summary;

/// `ratio` turns counted bytes into moved ones. Null where nothing was measured.
Json summary_json(const Summary& summary, double ratio = 1.0) {
  if (summary.runs == 0) return nullptr;
  return {{"median", ratio * summary.median},
          {"spread", summary.spread},
          {"least", ratio * summary.least},
          {"most", ratio * summary.most},
          {"runs", summary.runs},
          {"other_work", summary.away},
          {"noisy", measure::is_noisy(summary)}};
}

/// Null for each value that is not known.
template <class Row, class Column>
Json rows_json(const Matrix<Row, Column>& matrix) {
  Json rows = Json::array();
  for (const Row from : matrix.rows()) {
    Json row = Json::array();
    for (const Column to : matrix.columns()) {
      const double value = matrix.at(from, to);
      row.push_back(std::isnan(value) ? Json(nullptr) : Json(value));
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

Json matrix_json(const measure::PairMatrix& matrix) {
  return {{"from", numbers(matrix.rows())},
          {"to", numbers(matrix.columns())},
          {"values", rows_json(matrix)}};
}

Json machine_json(const Report& report) {
  Json nodes = Json::array();
  for (const machine::Node& node : report.machine.nodes) {
    nodes.push_back({{"id", node.id.value()},
                     {"cpus", numbers(node.cpus)},
                     {"allowed_cpus", numbers(node.cpus & report.machine.allowed_cpus)},
                     {"memory_bytes", node.memory.value}});
  }
  Json packages = Json::array();
  for (const machine::Package& package : report.machine.packages) {
    packages.push_back({{"id", package.number}, {"cpus", numbers(package.cpus)}});
  }
  return {{"name", report.machine.name}, {"nodes", nodes}, {"packages", packages}};
}

Json memory_json(const Report& report) {
  Json list = Json::array();
  for (const measure::MemoryFacts& facts : report.memory) {
    list.push_back({{"node", facts.node.value()},
                    {"array_bytes", facts.array.value},
                    {"huge_bytes", facts.huge ? Json(facts.huge->value) : Json(nullptr)},
                    {"order", facts.page_local ? "page-local" : "random"},
                    {"pages", facts.pages},
                    {"pages_elsewhere", facts.audited ? Json(facts.elsewhere) : Json(nullptr)},
                    {"audited", facts.audited}});
  }
  return list;
}

Json latency_json(const Report& report) {
  Json list = Json::array();
  for (const measure::LatencyFigure& figure : report.latency) {
    list.push_back({{"from", figure.item.pair.from.value()},
                    {"to", figure.item.pair.to.value()},
                    {"access", figure.item.write ? "write" : "read"},
                    {"latency_ns", summary_json(figure.ns)}});
  }
  return list;
}

/// The bytes twice: as STREAM counts them, and as they cross the bus.
template <class Figure>
void add_rates(Json& json, const Figure& figure) {
  const measure::Kernel kernel = figure.item.kernel;
  json["kernel"] = workloads::probe::traffic(kernel).name;
  json["variant"] = figure.form.name.empty() ? Json(nullptr) : Json(figure.form.name);
  json["counted_mib_per_s"] = summary_json(figure.mibs);
  json["moved_mib_per_s"] = summary_json(figure.mibs, measure::moved_ratio(kernel, figure.form));
}

Json bandwidth_json(const Report& report) {
  Json list = Json::array();
  for (const measure::BandwidthFigure& figure : report.bandwidth) {
    Json json{{"from", figure.item.pair.from.value()},
              {"to", figure.item.pair.to.value()},
              {"scope", figure.item.scope == measure::Scope::one_cpu ? "one-cpu" : "all-cpus"},
              {"cpu_count", figure.cpus}};
    add_rates(json, figure);
    list.push_back(std::move(json));
  }
  return list;
}

Json together_json(const Report& report) {
  Json list = Json::array();
  for (const measure::TogetherFigure& figure : report.together) {
    Json json{{"memory", figure.item.kind == measure::Together::local ? "local" : "interleaved"},
              {"cpu_count", figure.cpus}};
    add_rates(json, figure);
    list.push_back(std::move(json));
  }
  return list;
}

Json loaded_json(const Report& report) {
  Json list = Json::array();
  for (const measure::LoadedCurve& curve : report.loaded) {
    Json points = Json::array();
    for (const measure::LoadedPoint& point : curve.points) {
      points.push_back({{"idle_rounds", point.idle_rounds},
                        {"injected_mib_per_s", summary_json(point.injected_mibs)},
                        {"latency_ns", summary_json(point.latency_ns)}});
    }
    list.push_back({{"from", curve.pair.from.value()},
                    {"to", curve.pair.to.value()},
                    {"injecting_cpu_count", curve.injecting_cpus},
                    {"points", points},
                    {"not_measurable", curve.injecting_cpus > 0
                                           ? Json(nullptr)
                                           : Json("the node has one CPU: none is left to load")}});
  }
  return list;
}

/// "write_nt_mib_per_s".
std::string key_of(std::string_view kernel) {
  std::string key = fmt::format("{}_mib_per_s", kernel);
  std::replace(key.begin(), key.end(), '-', '_');
  return key;
}

/// A row for each CPU that reads, a column for each that has modified the lines. Null where not
/// measured.
Json cores_json(const Report& report) {
  if (report.cores.empty()) return nullptr;
  const auto matrix = measure::core_matrix(report);
  const auto noisy = std::count_if(report.cores.begin(), report.cores.end(),
                                   [](const auto& figure) { return is_noisy(figure.ns); });
  return {
      {"cpus", numbers(matrix.rows())}, {"latency_ns", rows_json(matrix)}, {"noisy_pairs", noisy}};
}

/// Null for each that was not measured.
Json matrices_json(const Report& report) {
  Json json{{"read_latency_ns", nullptr}, {"write_latency_ns", nullptr}, {"numa_factor", nullptr}};
  if (!report.latency.empty()) {
    json["read_latency_ns"] = matrix_json(measure::latency_matrix(report, false));
    json["write_latency_ns"] = matrix_json(measure::latency_matrix(report, true));
    json["numa_factor"] = matrix_json(measure::numa_factors(report));
  }
  for (const auto& entry : workloads::probe::kernels()) {
    const auto is_measured = [&](const auto& figure) {
      return figure.item.kernel == entry.kernel && figure.mibs.runs > 0;
    };
    Json& matrix = json[key_of(entry.name)];
    if (std::none_of(report.bandwidth.begin(), report.bandwidth.end(), is_measured)) continue;
    matrix = matrix_json(measure::bandwidth_matrix(report, entry.kernel, measure::Scope::all_cpus));
  }
  return json;
}

Json weights_json(const Report& report) {
  Json list = Json::array();
  for (const measure::InterleaveWeights& entry : report.weights) {
    list.push_back({{"from", entry.from ? Json(entry.from->value()) : Json(nullptr)},
                    {"weights", by_node(entry.weights.of_node)},
                    {"efficiency", entry.weights.efficiency},
                    {"plain_efficiency", entry.weights.plain_efficiency}});
  }
  return list;
}

/// An object for each GPU that was measured.
Json gpus_json(const Report& report) {
  Json list = Json::array();
  for (const measure::GpuFacts& facts : report.gpus) {
    Json figures = Json::array();
    for (const measure::GpuFigure& figure : facts.figures) {
      figures.push_back({{"node", figure.node.value()},
                         {"to_gpu_mib_per_s", summary_json(figure.to_mibs)},
                         {"from_gpu_mib_per_s", summary_json(figure.from_mibs)},
                         {"latency_ns", summary_json(figure.latency_ns)}});
    }
    list.push_back({{"name", facts.name},
                    {"pci", facts.pci},
                    {"model", facts.model},
                    {"driver", facts.driver},
                    {"firmware_nodes", numbers(facts.nodes)},
                    {"figures", std::move(figures)}});
  }
  return list;
}

/// How the figures of the XML came about.
std::string source_words(const measure::Report& report) {
  return fmt::format(
      "{} by homenode measure{}: medians of {} runs; idle latency of dependent loads and of atomic "
      "writes, bandwidth of all CPUs of a node reading and writing past the caches ({}); Latency "
      "and Bandwidth are the mean of the read and the write form",
      measure::provenance(report), report.plan.request.quick ? " --quick" : "", report.plan.runs,
      report.isa);
}

}  // namespace

std::string measure_json(const Report& report) {
  const Json json{{"schema", "homenode.measure/2"},
                  {"provenance", measure::provenance(report)},
                  {"modelled", report.modelled},
                  {"mode", report.plan.request.quick ? "quick" : "full"},
                  {"isa", report.isa},
                  {"runs", report.plan.runs},
                  {"seconds", report.seconds},
                  {"spread_is", "median absolute deviation over median"},
                  {"noisy_above", measure::noisy_spread},
                  {"machine", machine_json(report)},
                  {"sources", numbers(report.plan.sources)},
                  {"targets", numbers(report.plan.targets)},
                  {"memory", memory_json(report)},
                  {"matrices", matrices_json(report)},
                  {"weights", weights_json(report)},
                  {"latency", latency_json(report)},
                  {"bandwidth", bandwidth_json(report)},
                  {"together", together_json(report)},
                  {"loaded", loaded_json(report)},
                  {"core_to_core", cores_json(report)},
                  {"gpus", gpus_json(report)},
                  {"notes", report.notes}};
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + '\n';
}

std::string measure_csv(const Report& report) {
  std::string text = csv_line({"figure", "kernel", "from", "to", "cpus", "unit", "median", "spread",
                               "least", "most", "runs", "other_work", "noisy"});
  const auto add = [&](std::vector<std::string> cells, const Summary& summary) {
    if (summary.runs == 0) return;
    for (const double value : {summary.median, summary.spread, summary.least, summary.most}) {
      cells.push_back(fmt::format("{:.6g}", value));
    }
    cells.push_back(fmt::format("{}", summary.runs));
    cells.push_back(fmt::format("{:.3g}", summary.away));
    cells.emplace_back(measure::is_noisy(summary) ? "yes" : "no");
    text += csv_line(cells);
  };
  const auto number = [](const auto& id) { return fmt::format("{}", id.value()); };
  const auto kernel = [](const auto& figure) {
    return std::string(workloads::probe::traffic(figure.item.kernel).name);
  };
  for (const measure::LatencyFigure& figure : report.latency) {
    const char* const what = figure.item.write ? "write latency" : "read latency";
    add({what, "", number(figure.item.pair.from), number(figure.item.pair.to), "1", "ns"},
        figure.ns);
  }
  for (const measure::BandwidthFigure& figure : report.bandwidth) {
    add({"bandwidth", kernel(figure), number(figure.item.pair.from), number(figure.item.pair.to),
         fmt::format("{}", figure.cpus), "MiB/s"},
        figure.mibs);
  }
  for (const measure::TogetherFigure& figure : report.together) {
    const bool local = figure.item.kind == measure::Together::local;
    add({local ? "all nodes, local" : "all nodes, interleaved", kernel(figure), "", "",
         fmt::format("{}", figure.cpus), "MiB/s"},
        figure.mibs);
  }
  for (const measure::LoadedCurve& curve : report.loaded) {
    const std::string from = number(curve.pair.from);
    const std::string to = number(curve.pair.to);
    const std::string cpus = fmt::format("{}", curve.injecting_cpus);
    for (const measure::LoadedPoint& point : curve.points) {
      add({"load", "read", from, to, cpus, "MiB/s"}, point.injected_mibs);
      add({"latency under that load", "", from, to, "1", "ns"}, point.latency_ns);
    }
  }
  for (const measure::CoreFigure& figure : report.cores) {
    add({"core to core", "", number(figure.pair.reader), number(figure.pair.owner), "2", "ns"},
        figure.ns);
  }
  for (const measure::GpuFacts& gpu : report.gpus) {
    for (const measure::GpuFigure& figure : gpu.figures) {
      const std::string node = number(figure.node);
      add({"copy to a GPU", "", node, gpu.name, "", "MiB/s"}, figure.to_mibs);
      add({"copy from a GPU", "", gpu.name, node, "", "MiB/s"}, figure.from_mibs);
      add({"read latency of a GPU", "", gpu.name, node, "", "ns"}, figure.latency_ns);
    }
  }
  return text;
}

Result<std::string> measure_xml(const measure::Report& report) {
  std::vector<std::pair<std::string, std::string>> infos{
      {"homenode:Source.Measure", source_words(report)}};
  if (const auto cores = measure::median_in_node(report)) {
    infos.emplace_back("homenode:CacheToCacheNs", fmt::format("{:.1f}", *cores));
  }
  for (const measure::GpuFacts& gpu : report.gpus) {
    if (gpu.figures.empty()) continue;
    infos.emplace_back(fmt::format("{}{}", machine::gpu_info_prefix, gpu.pci),
                       machine::gpu_info(measure::gpu_medians(gpu)));
  }
  return machine::export_xml("live", measure::pair_values(report), infos);
}

}  // namespace homenode::cli
