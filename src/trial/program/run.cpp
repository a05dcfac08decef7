#include "trial/program/run.h"

#include <fmt/format.h>

#include <utility>

#include "os/lab_clock.h"
#include "trial/program/arrays.h"
#include "trial/program/team.h"

namespace homenode::trial {

Result<ProgramReport> run_program(os::Os& os, const machine::Machine& machine,
                                  workloads::Program& program, const ProgramSetup& setup,
                                  const std::function<void(unsigned)>& after_run) {
  ProgramReport report;
  report.setup = setup;
  for (workloads::ArrayNeed& need : program.arrays()) {
    report.arrays.push_back({std::move(need), {}});
  }
  const auto placement = place_program(machine, program, setup, os.page_bytes());
  if (!placement) return placement.as_unexpected();
  if (const auto can = check_threads(setup.threads); !can) return can.as_unexpected();
  TeamPlace team(os, setup.threads);
  if (const auto taken = team.take(*placement); !taken) return taken.as_unexpected();
  const auto arrays = ProgramArrays::map(os, program.arrays());
  if (!arrays) return arrays.as_unexpected();
  if (const auto placed = place_arrays(os, *placement, *arrays, report); !placed) {
    return placed.as_unexpected();
  }
  for (unsigned number = 0; number < setup.runs; ++number) {
    ProgramRun& run = report.runs.emplace_back();
    const double start = cpu_seconds();
    run.outcome = program.run(arrays->addresses(), setup.threads);
    run.cpu_seconds = cpu_seconds() - start;
    take_modelled_time(run);
    run.arrays = audit_arrays(os, *placement, *arrays, report);
    if (!run.outcome.verified()) break;
    if (after_run) after_run(number);
  }
  report.threads = team.look();
  return report;
}

void take_modelled_time(ProgramRun& run) {
  const auto seconds = os::modelled_seconds(workloads::timed_part_slot);
  if (!seconds) return;
  run.modelled = true;
  run.outcome.seconds = *seconds;
  std::erase_if(run.outcome.figures, [](const workloads::Figure& figure) { return figure.timed; });
}

Result<void> check_verified(const ProgramReport& report, const std::string& name) {
  const workloads::ProgramOutcome& last = report.runs.back().outcome;
  for (const workloads::Check& check : last.checks) {
    if (check.passed()) continue;
    return failed(fmt::format("{} computed a wrong result in run {}: {} is {:.15g} instead of "
                              "{:.15g} (within {:g})",
                              name, report.runs.size(), check.name, check.value, check.expected,
                              check.tolerance),
                  "suspect memory, overclocking or a fault of placement, and run it once with "
                  "--strategy none");
  }
  if (last.checks.empty()) {
    return failed(name + " was not checked", "choose a problem with known results");
  }
  return {};
}

}  // namespace homenode::trial
