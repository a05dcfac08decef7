#include "cli/bench_seismic_verify.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <vector>

#include "actuation/kernel_words.h"
#include "workloads/seismic/ladder.h"
#include "workloads/seismic/program.h"

namespace homenode::cli {
namespace {

namespace seismic = workloads::seismic;

constexpr double coarse_limit = 0.01;  // 7 cells to the shortest wave.
constexpr double fine_limit = 0.003;   // At half the spacing.
/// 2 in the limit. At 7 cells the differences' error, of fourth order and of the other sign than
/// that of the time steps, still takes some of the latter away, most of S waves'.
constexpr double least_order = 1.75;

struct Rung {
  const char* source;
  bool explosion;
  double spacing_m;
  double misfit = 0.0;
};

Result<double> climb(Context& context, const machine::Machine& machine, const ProgramSetup& setup,
                     const Rung& rung) {
  seismic::FullSpace problem;
  problem.extent_m = 5600;  // Nothing comes back from the faces before the end.
  problem.distance_m = 1200;
  problem.spacing_m = rung.spacing_m;
  problem.explosion = rung.explosion;
  seismic::SeismicProgram program(full_space(problem), {}, true);
  const auto available = actuation::available_memory(context.os);
  if (auto checked = check_setup(machine, program, setup, available); !checked) {
    return checked.as_unexpected();
  }
  const auto report = run_program(context.os, machine, program, setup);
  if (!report) return report.as_unexpected();
  return report->runs.back().outcome.checks.back().value;
}

}  // namespace

Result<void> verify_seismic(Context& context, const machine::Machine& machine,
                            const ProgramSetup& setup, bool json) {
  std::vector<Rung> rungs = {{"explosion", true, 100},
                             {"explosion", true, 50},
                             {"double couple", false, 100},
                             {"double couple", false, 50}};
  nlohmann::json list = nlohmann::json::array();
  bool passed = true;
  for (std::size_t n = 0; n < rungs.size(); ++n) {
    const auto found = climb(context, machine, setup, rungs[n]);
    if (!found) return found.as_unexpected();
    Rung& rung = rungs[n];
    rung.misfit = *found;
    const bool fine = n % 2 == 1;
    const double limit = fine ? fine_limit : coarse_limit;
    bool good = rung.misfit <= limit;
    nlohmann::json entry = {{"source", rung.source},
                            {"spacing_m", rung.spacing_m},
                            {"misfit", rung.misfit},
                            {"limit", limit}};
    std::string line = fmt::format("{:<14} {:>4} m  misfit {:.4f} %, at most {:.1f} %", rung.source,
                                   rung.spacing_m, 100 * rung.misfit, 100 * limit);
    if (fine) {
      const double order = seismic::order_of(rungs[n - 1].misfit, rung.misfit);
      entry["order"] = order;
      good = good && order >= least_order;
      line += fmt::format("; order {:.3f}, at least {}", order, least_order);
    }
    entry["passed"] = good;
    list.push_back(entry);
    passed = passed && good;
    if (!json) context.out << line << (good ? "  passed\n" : "  NOT PASSED\n") << std::flush;
  }
  if (json) {
    context.out << nlohmann::json{{"schema", "homenode.bench.seismic.verify/1"}, {"rungs", list}}
                << '\n';
  }
  if (passed) return {};
  return failed("the waves are not those of the closed forms", "report this with the lines above");
}

}  // namespace homenode::cli
