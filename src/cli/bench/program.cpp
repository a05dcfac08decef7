#include "cli/bench/program.h"

#include "machine/kernel_files.h"
#include "os/atomic_file.h"

namespace homenode::cli {

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
  const std::string json = program_json(title, *report, peers);
  context.out << (options.json ? json : program_text(title, *report, peers));
  if (!options.output.empty()) {
    if (auto written = os::write_atomically(options.output, json); !written) return written;
  }
  if (auto verified = trial::check_verified(*report, title.text); !verified) return verified;
  if (peer_error) return Unexpected(*peer_error);
  return {};
}

}  // namespace homenode::cli
