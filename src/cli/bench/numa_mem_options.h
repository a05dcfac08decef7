// homenode bench numa-mem: its command line.
#pragma once

#include "cli/options.h"
#include "trial/numa_mem/options.h"

namespace homenode::cli {

/// Adds every option to the parser; they are read into `options`, which must outlive it.
void define_options(CLI::App& app, trial::NumaMemOptions& options);

}  // namespace homenode::cli
