// homenode bench numa-mem: the report for people and for programs.
#pragma once

#include <string>

#include "trial/numa_mem/run.h"

namespace homenode::cli {

/// Schema "homenode.bench.numa-mem/2", on one line.
std::string numa_mem_json(const trial::NumaMemReport& report);

/// perf's figures, where the pages were, and the looks and threads where they are asked for.
std::string numa_mem_text(const trial::NumaMemReport& report);

}  // namespace homenode::cli
