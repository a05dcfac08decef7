// The options of `bench seismic` and the scene that they describe. Pure.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "cli/bench/program_options.h"
#include "cli/parser_fwd.h"
#include "workloads/seismic/scene.h"
#include "workloads/seismic/solver.h"

namespace homenode::cli {

struct SeismicOptions {
  std::string size = "128";
  std::size_t steps = 150;
  std::string precision = "double";
  std::string source = "explosion";
  bool free_surface = false;
  std::vector<std::string> layers;  ///< DEPTH:DENSITY:P:S
  std::size_t time_block = 1;       ///< Steps that are run together.
  std::string snapshot;             ///< An SVG or PNG file, or empty.
  std::string seismogram;           ///< A CSV or SVG file, or empty.
  bool verify = false;
  ProgramOptions program;
};

void define_seismic_options(CLI::App& app, SeismicOptions& options);

struct SeismicPlan {
  workloads::seismic::Scene scene;
  std::vector<workloads::seismic::Slice> slices;
  workloads::seismic::TimeBlock block;
  bool compare = false;  ///< The exact motion is known and the run is long enough to show it;
  std::string why_not;   ///< else this says why not.
};

/// Errors: bad_usage for what cannot be read or simulated, or files that cannot be written.
Result<SeismicPlan> plan_seismic(const SeismicOptions& options);

}  // namespace homenode::cli
