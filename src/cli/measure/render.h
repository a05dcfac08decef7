// A measurement for people and for programs: text, JSON, a picture, hwloc's XML. Pure, but for the
// XML, which hwloc writes.
#pragma once

#include <string>

#include "base/result.h"
#include "measure/report.h"

namespace homenode::cli {

/// Tables of latency, NUMA factor and bandwidth, load curves, weights, and what to know about them.
/// `colour` shades the tables with ANSI codes; else a mark of shading stands beside each value.
std::string measure_text(const measure::Report& report, bool colour);

/// One object, schema homenode.measure/1, ending in a newline. What was not measured is null.
std::string measure_json(const measure::Report& report);

/// The heat maps of latency and bandwidth.
std::string measure_svg(const measure::Report& report);

/// The live machine with what was measured as memory attributes, and infos that say how.
/// Errors: what hwloc refuses.
Result<std::string> measure_xml(const measure::Report& report);

}  // namespace homenode::cli
