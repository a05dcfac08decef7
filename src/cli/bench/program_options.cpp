#include "cli/bench/program_options.h"

#include <CLI/CLI.hpp>
#include <utility>

#include "placement/strategies/table.h"

namespace homenode::cli {

void add_strategy_option(CLI::App& app, std::string& strategy) {
  std::string strategies = "how threads and arrays are placed: ";
  for (const placement::Strategy& each : placement::strategies()) {
    strategies += std::string(each.name) + " (" + std::string(each.summary) + "), ";
  }
  app.add_option("--strategy", strategy, strategies + "or none (as the system does)")
      ->capture_default_str();
}

void define_program_options(CLI::App& app, ProgramOptions& options) {
  app.add_option("--threads", options.threads);
  add_strategy_option(app, options.strategy);
  app.add_option("--runs", options.runs)->capture_default_str();
  app.add_option("--peer", options.peers,
                 "a command that is run in turn with each run, with OMP_NUM_THREADS set; its rate "
                 "is what it prints as 'Mop/s total'; may be given again")
      ->type_name("CMD")
      ->allow_extra_args(false);
  app.add_option("--output", options.output, "write the JSON to this file")->type_name("FILE");
  app.add_flag("--json", options.json, "print JSON");
}

trial::ProgramSetup setup_of(const ProgramOptions& options, const machine::Machine& machine) {
  const auto cpus = static_cast<unsigned>(machine.allowed_cpus.size());
  return {options.threads.value_or(cpus), options.strategy, options.runs};
}

}  // namespace homenode::cli
