// The options that every program under a strategy has.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/options.h"
#include "trial/program/run.h"

namespace homenode::cli {

struct ProgramOptions {
  std::optional<unsigned> threads;  ///< One per allowed CPU when absent.
  std::string strategy = "none";
  unsigned runs = 1;
  std::vector<std::string> peers;  ///< Commands that are run in turn with ours.
  std::string output;              ///< A file for the JSON, or empty.
  bool json = false;
};

/// --strategy, also for workloads that are not a Program.
void add_strategy_option(CLI::App& app, std::string& strategy);

/// Adds them to the parser; they are read into `options`, which must outlive it.
void define_program_options(CLI::App& app, ProgramOptions& options);

trial::ProgramSetup setup_of(const ProgramOptions& options, const machine::Machine& machine);

}  // namespace homenode::cli
