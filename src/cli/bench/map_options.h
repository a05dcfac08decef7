// homenode bench map: its command line.
#pragma once

#include "cli/options.h"
#include "trial/map/options.h"

namespace homenode::cli {

/// Adds every option to the parser; they are read into `options`, which must outlive it.
void define_map_options(CLI::App& app, trial::MapOptions& options);

}  // namespace homenode::cli
