#include "measure/gpus/figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "measure/statistics.h"

namespace homenode::measure {
namespace {

constexpr double mib = 1024.0 * 1024.0;

Bytes copied_of(const NodeMemory& memory) {
  return std::min(memory.facts().array, most_copied);
}

/// Once, however many figures it concerns.
void note(const std::string& words, Report& report) {
  if (std::ranges::find(report.notes, words) == report.notes.end()) report.notes.push_back(words);
}

/// The median of the plan's runs after one that wakes the link up. Of no runs after an error, which
/// is then noted.
Summary repeated(unsigned runs, const std::function<Result<double>()>& run, Report& report) {
  std::vector<double> values;
  for (unsigned i = 0; i <= runs; ++i) {
    const auto value = run();
    if (!value) {
      note("of a GPU: " + value.error().message(), report);
      return {};
    }
    if (i > 0) values.push_back(*value);
  }
  return summarise(values);
}

GpuFigure measure_link(Session& session, GpuLink& link, const GpuItem& item, Report& report) {
  NodeMemory& memory = session.memory.at(item.to);
  GpuFigure figure{item.to};
  const double copied = static_cast<double>(copied_of(memory).value) / mib;
  const auto rate = [&](Way way) {
    return repeated(
        session.plan.runs,
        [&]() -> Result<double> {
          const auto seconds = link.copy(way);
          if (!seconds) return seconds;
          return *seconds > 0.0 ? copied / *seconds : 0.0;
        },
        report);
  };
  figure.to_mibs = rate(Way::to_gpu);
  session.figure_done("copies to a GPU");
  figure.from_mibs = rate(Way::from_gpu);
  session.figure_done("copies from a GPU");
  const auto step = [&]() -> Result<double> {
    const auto seconds = link.follow(memory.next_stop, chase_steps);
    if (!seconds) return seconds;
    return *seconds * 1e9 / chase_steps;
  };
  figure.latency_ns = repeated(session.plan.runs, step, report);
  session.figure_done("latency of a GPU's loads");
  return figure;
}

}  // namespace

void measure_gpus(Session& session, GpuDriver& driver, Report& report) {
  for (const GpuItem& item : session.plan.gpus) {
    const NodeMemory& memory = session.memory.at(item.to);
    GpuFacts& gpu = report.gpus.at(item.gpu);
    const auto link = driver.pin(item.gpu, memory.region(), copied_of(memory));
    if (!link) {
      note(fmt::format("{} and node {} are left out: {}", gpu.name, item.to.value(),
                       link.error().message()),
           report);
      continue;
    }
    gpu.figures.push_back(measure_link(session, **link, item, report));
  }
}

}  // namespace homenode::measure
