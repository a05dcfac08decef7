// homenode bench stress: the report for people and for programs.
#pragma once

#include <string>

#include "cli/bench_stress_run.h"

namespace homenode::cli {

/// Schema "homenode.bench.stress/1", on one line.
std::string stress_json(const StressReport& report);

/// Pattern, targets, threads and blocks, in two lines.
std::string stress_headline(const StressPlan& plan);

/// What ran, what moved, and to what avail.
std::string stress_text(const StressReport& report);

}  // namespace homenode::cli
