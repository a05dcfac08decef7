#include "cli/bench/seismic.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <vector>

#include "machine/kernel_files.h"
#include "workloads/seismic/ladder.h"
#include "workloads/seismic/program.h"

namespace homenode::cli {
namespace {

namespace seismic = workloads::seismic;
using Json = nlohmann::ordered_json;

constexpr double coarse_limit = 0.01;  // 7 cells to the shortest wave.
constexpr double fine_limit = 0.003;   // At half the spacing and less.
/// The time steps' error is of second order and the differences' of fourth, but of the other sign:
/// it takes some of the former away, most where cells are few, and each halving gives some back. So
/// the order rises to 2 from below, and the finest two grids have to show it.
constexpr double least_first_order = 1.75;
constexpr double least_order = 1.95;
constexpr double least_order_in_space = 3.5;

/// One source on grids whose spacing is halved, then on the first with thirds of its time step.
struct Ladder {
  const char* source;
  bool explosion;
  std::vector<double> spacings_m;
};

using Traces = std::vector<std::vector<double>>;

struct Rung {
  double misfit = 0.0;
  double in_space = 0.0;  ///< Of it, what is due to differences in space.
};

/// What is printed of the ladders: lines as they are found, or JSON in the end.
struct Found {
  std::ostream* lines;  ///< None where JSON is wanted.
  Json list = Json::array();
  bool passed = true;

  void add(Json entry, const std::string& line, bool good) {
    entry["passed"] = good;
    list.push_back(std::move(entry));
    if (lines) *lines << line << (good ? "  passed\n" : "  NOT PASSED\n") << std::flush;
    passed = passed && good;
  }
};

class Climb {
 public:
  Climb(Context& context, const machine::Machine& machine, const trial::ProgramSetup& setup)
      : context_(context), machine_(machine), setup_(setup) {}

  Result<Traces> traces_of(const seismic::Scene& scene) {
    seismic::SeismicProgram program(scene, {}, false);
    const auto available = machine::available_memory(context_.os);
    if (auto checked = trial::check_setup(machine_, program, setup_, available); !checked) {
      return checked.as_unexpected();
    }
    const auto report = trial::run_program(context_.os, machine_, program, setup_);
    if (!report) return report.as_unexpected();
    return program.recording().traces;
  }

  Result<void> in_space(const Ladder& ladder, Found& found) {
    Rung last;
    for (std::size_t n = 0; n < ladder.spacings_m.size(); ++n) {
      const seismic::Scene scene = scene_of(ladder, n);
      const auto traces = traces_of(scene);
      if (!traces) return traces.as_unexpected();
      const Rung rung{seismic::misfit(*traces, exact_traces(scene)),
                      seismic::misfit(*traces, stepped_traces(scene))};
      add_rung(ladder, n, rung, last, found);
      last = rung;
    }
    return {};
  }

  Result<void> in_time(const Ladder& ladder, Found& found) {
    seismic::Scene scene = scene_of(ladder, 0);
    Traces seen[3];
    for (Traces& traces : seen) {
      auto run = traces_of(scene);
      if (!run) return run.as_unexpected();
      traces = *std::move(run);
      scene = with_third_steps(std::move(scene));
    }
    const Traces middle = seismic::every_third(seen[1]);
    const double order = seismic::order_of(
        seismic::misfit(seen[0], middle),
        seismic::misfit(middle, seismic::every_third(seismic::every_third(seen[2]))), 3.0);
    found.add(
        rung_json(ladder, 0, {{"order_in_time", order}}),
        fmt::format("{:<14} {:>4} m, thirds of the time step twice: order {:.3f}, at least {}",
                    ladder.source, ladder.spacings_m[0], order, least_order),
        order >= least_order);
    return {};
  }

 private:
  static seismic::Scene scene_of(const Ladder& ladder, std::size_t n) {
    seismic::FullSpace problem;
    problem.spacing_m = ladder.spacings_m[n];
    problem.explosion = ladder.explosion;
    problem.absorbing_cells = n == 0 ? 10 : 20;
    problem.reflection = n == 0 ? 1e-4 : 1e-5;
    return full_space(problem);
  }

  /// A rung with all keys, of which it knows some.
  static Json rung_json(const Ladder& ladder, std::size_t n, const Json& known) {
    Json rung{{"source", ladder.source},   {"spacing_m", ladder.spacings_m[n]}, {"misfit", nullptr},
              {"limit", nullptr},          {"misfit_in_space", nullptr},        {"order", nullptr},
              {"order_in_space", nullptr}, {"order_in_time", nullptr}};
    rung.update(known);
    return rung;
  }

  static void add_rung(const Ladder& ladder, std::size_t n, const Rung& rung, const Rung& last,
                       Found& found) {
    const double spacing_m = ladder.spacings_m[n];
    const double limit = n == 0 ? coarse_limit : fine_limit;
    bool good = rung.misfit <= limit;
    Json entry = rung_json(
        ladder, n, {{"misfit", rung.misfit}, {"limit", limit}, {"misfit_in_space", rung.in_space}});
    std::string line = fmt::format("{:<14} {:>4} m  misfit {:.4f} %, at most {:.1f} %",
                                   ladder.source, spacing_m, 100 * rung.misfit, 100 * limit);
    if (n > 0) {
      const bool finest = n + 1 == ladder.spacings_m.size();
      const double least = finest ? least_order : least_first_order;
      const double order = seismic::order_of(last.misfit, rung.misfit);
      entry["order"] = order;
      good = good && order >= least;
      line += fmt::format("; order {:.3f}, at least {}", order, least);
    }
    line += fmt::format("; in space alone {:.4f} %", 100 * rung.in_space);
    if (n == 1) {  // On finer grids it is less than what comes back from the faces.
      const double order = seismic::order_of(last.in_space, rung.in_space);
      entry["order_in_space"] = order;
      good = good && order >= least_order_in_space;
      line += fmt::format(", order {:.3f}, at least {}", order, least_order_in_space);
    }
    found.add(std::move(entry), line, good);
  }

  Context& context_;
  const machine::Machine& machine_;
  const trial::ProgramSetup& setup_;
};

}  // namespace

Result<void> verify_seismic(Context& context, const machine::Machine& machine,
                            const trial::ProgramSetup& setup, bool json) {
  const std::vector<Ladder> ladders = {{"explosion", true, {100, 50, 25}},
                                       {"double couple", false, {100, 50, 25, 12.5}}};
  Climb climb(context, machine, setup);
  Found found{json ? nullptr : &context.out};
  for (const Ladder& ladder : ladders) {
    if (auto done = climb.in_time(ladder, found); !done) return done;
    if (auto done = climb.in_space(ladder, found); !done) return done;
  }
  if (json) {
    context.out << Json{{"schema", "homenode.bench.seismic.verify/3"}, {"rungs", found.list}}
                << '\n';
  }
  if (found.passed) return {};
  return failed("the waves differ from the closed forms", "report this with the lines above");
}

}  // namespace homenode::cli
