#include <fmt/format.h>

#include "cli/measure/render.h"
#include "machine/export.h"
#include "measure/derived.h"

namespace homenode::cli {
namespace {

std::string source_words(const measure::Report& report) {
  return fmt::format(
      "{} by homenode measure{}: medians of {} runs; idle latency of dependent loads and of atomic "
      "writes, bandwidth of all CPUs of a node reading and writing past the caches ({}); Latency "
      "and Bandwidth are the mean of the read and the write form",
      measure::provenance(report), report.plan.request.quick ? " --quick" : "", report.plan.runs,
      report.isa);
}

}  // namespace

Result<std::string> measure_xml(const measure::Report& report) {
  return machine::export_xml("live", measure::pair_values(report),
                             {{"homenode:Source.Measure", source_words(report)}});
}

}  // namespace homenode::cli
