#include "cli/bench/program.h"

#include <CLI/CLI.hpp>
#include <utility>

#include "machine/kernel_files.h"
#include "os/atomic_file.h"
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
                 "a command to run in turn with each run, with OMP_NUM_THREADS set; its rate is "
                 "what it prints as 'Mop/s total'; may be repeated")
      ->type_name("CMD")
      ->allow_extra_args(false);
  define_output_options(app, options.output, options.json);
}

trial::ProgramSetup setup_of(const ProgramOptions& options, const machine::Machine& machine) {
  const auto cpus = static_cast<unsigned>(machine.allowed_cpus.size());
  return {options.threads.value_or(cpus), options.strategy, options.runs};
}

Result<void> bench_program(Context& context, const machine::Machine& machine,
                           workloads::Program& program, const ProgramTitle& title,
                           const ProgramOptions& options) {
  const ProgramRunner runner = [&](const std::function<void(unsigned)>& after_run) {
    return trial::run_program(context.os, machine, program, setup_of(options, machine), after_run);
  };
  return bench_program_by(context, machine, program, title, options, runner);
}

Result<void> bench_program_by(Context& context, const machine::Machine& machine,
                              const workloads::Program& program, const ProgramTitle& title,
                              const ProgramOptions& options, const ProgramRunner& runner) {
  if (auto checked = os::check_output_folder(options.output); !checked) return checked;
  const trial::ProgramSetup setup = setup_of(options, machine);
  const auto available = machine::available_memory(context.os);
  if (auto checked = trial::check_setup(machine, program, setup, available); !checked)
    return checked;

  std::vector<PeerReport> peers;
  for (const std::string& command : options.peers) peers.push_back({command, {}});
  std::optional<Error> peer_error;
  const auto in_turn = [&](unsigned) {
    for (PeerReport& peer : peers) {
      if (peer_error) return;
      auto run = trial::run_peer(peer.command, setup.threads);
      if (run) {
        peer.runs.push_back(*run);
      } else {
        peer_error = run.error();
      }
    }
  };
  const auto report = runner(in_turn);
  if (!report) return report.as_unexpected();
  const Shown shown{program_json(title, *report, peers), program_text(title, *report, peers)};
  if (auto written = show(context, shown, options.json, options.output); !written) return written;
  if (auto verified = trial::check_verified(*report, title.text); !verified) return verified;
  if (peer_error) return Unexpected(*peer_error);
  return {};
}

Result<void> ProgramWorkload::try_run(Context& context) {
  const auto machine = machine_of(context);
  if (!machine) return machine.as_unexpected();
  const auto made = make(setup_of(options_, *machine).threads);
  if (!made) return made.as_unexpected();
  return bench_program(context, *machine, *made->program, made->title, options_);
}

}  // namespace homenode::cli
