// The workloads that are programs of src/workloads under a strategy: the options that all have, and
// the way from these to a printed report.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/bench/program_report.h"
#include "cli/bench/workload.h"
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

/// What runs the program as often as asked and calls `after_run` after each run.
using ProgramRunner =
    std::function<Result<trial::ProgramReport>(const std::function<void(unsigned)>& after_run)>;

/// Checks, runs in turn with the peers, prints and writes the report; then says if a run was not
/// verified. Errors: those of check_setup(), the runner, run_peer() and check_verified().
Result<void> bench_program_by(Context& context, const machine::Machine& machine,
                              const workloads::Program& program, const ProgramTitle& title,
                              const ProgramOptions& options, const ProgramRunner& runner);

/// The same with run_program() as the runner.
Result<void> bench_program(Context& context, const machine::Machine& machine,
                           workloads::Program& program, const ProgramTitle& title,
                           const ProgramOptions& options);

/// A workload that is one program.
class ProgramWorkload : public Workload {
 public:
  using Workload::Workload;

 protected:
  struct Made {
    std::unique_ptr<workloads::Program> program;
    ProgramTitle title;
  };
  /// The program that the options describe. Errors: what is wrong with them.
  virtual Result<Made> make(unsigned threads) = 0;
  Result<void> try_run(Context& context) override;

  ProgramOptions options_;
};

}  // namespace homenode::cli
