// homenode bench stress: the report for people and for programs.
#pragma once

#include <string>
#include <vector>

#include "trial/stress/run.h"

namespace homenode::cli {

/// Schema "homenode.bench.stress/2", on one line.
std::string stress_json(const trial::StressReport& report);

/// Pattern, targets, threads and blocks, in two lines.
std::string stress_headline(const trial::StressPlan& plan);

/// What ran, what moved, and to what avail.
std::string stress_text(const trial::StressReport& report);

/// Schema "homenode.bench.stress.modes/2", on one line: each mode's report as by itself.
std::string modes_json(const std::vector<trial::StressReport>& reports);
/// A line for each mode.
std::string modes_text(const std::vector<trial::StressReport>& reports);

}  // namespace homenode::cli
