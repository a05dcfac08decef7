// homenode bench map: its command line, and its report for people and for programs.
#pragma once

#include <string>

#include "cli/options.h"
#include "trial/map/options.h"
#include "trial/map/run.h"

namespace homenode::cli {

/// Adds every option to the parser; they are read into `options`, which must outlive it.
void define_map_options(CLI::App& app, trial::MapOptions& options);

/// Schema "homenode.bench.map/2", on one line.
std::string map_json(const machine::Machine& machine, const trial::MapReport& report);

/// A table of the matrix in percent, the shares and the time.
std::string map_text(const trial::MapReport& report);

}  // namespace homenode::cli
