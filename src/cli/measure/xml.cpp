#include <fmt/format.h>

#include "cli/measure/render.h"
#include "cli/topology/svg_parts.h"
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

/// hwloc has no call that puts an info into an exported topology; the first object is the machine,
/// and its infos may stand anywhere in it.
std::string with_info(std::string xml, const std::string& name, const std::string& value) {
  const std::size_t machine = xml.find("<object type=\"Machine\"");
  if (machine == std::string::npos) return xml;
  const std::size_t end = xml.find(">\n", machine);
  if (end == std::string::npos) return xml;
  const auto info =
      fmt::format("    <info name=\"{}\" value=\"{}\"/>\n", escape_xml(name), escape_xml(value));
  return xml.insert(end + 2, info);
}

}  // namespace

Result<std::string> measure_xml(const measure::Report& report) {
  auto xml = machine::export_xml("live", measure::pair_values(report));
  if (!xml) return xml;
  return with_info(*std::move(xml), "homenode:Source.Measure", source_words(report));
}

}  // namespace homenode::cli
