// homenode bench stress: its command line.
#pragma once

#include "cli/options.h"
#include "trial/stress/options.h"

namespace homenode::cli {

/// Adds every option to the parser; they are read into `options`, which must outlive it.
void define_options(CLI::App& app, trial::StressOptions& options);

}  // namespace homenode::cli
