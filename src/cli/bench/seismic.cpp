#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <array>
#include <filesystem>
#include <optional>

#include "cli/bench/program_report.h"
#include "cli/bench/seismic.h"
#include "cli/bench/table.h"
#include "cli/bench/workload.h"
#include "cli/draw.h"
#include "machine/kernel_files.h"
#include "measure/working_set.h"
#include "os/atomic_file.h"
#include "os/lab_clock.h"
#include "trial/program/run.h"
#include "trial/program/triad.h"
#include "workloads/probe/kernels.h"
#include "workloads/seismic/program.h"

namespace homenode::cli {
namespace {

namespace seismic = workloads::seismic;
using Json = nlohmann::ordered_json;

/// Of a triad over as much memory as the grid; 0 where caches would serve it, and in the lab, which
/// would emulate it.
trial::TriadRate triad_of_memory(Context& context, const SeismicSpeed& speed, unsigned threads) {
  if (speed.is_cached() || os::in_lab()) return {};
  return trial::triad_rate(context.os, speed.footprint, threads);
}

/// Steps of each run of the trial, which every candidate divides.
constexpr std::size_t tried_steps = 4;
constexpr std::array<std::size_t, 2> tried_blocks = {1, 4};

/// How many steps to run together where nobody says: what is faster in a short trial on the host. A
/// strategy places what each thread owns, which blocks leave; and in the lab a trial would be
/// counted. Errors: as run_program().
Result<void> try_blocks(Context& context, const machine::Machine& machine,
                        const trial::ProgramSetup& setup, SeismicPlan& plan) {
  const auto clock = os::open_clock();
  if (setup.strategy != "none" || !clock || (*clock)->modelled()) return {};
  trial::ProgramSetup once = setup;
  once.runs = 1;
  std::optional<Error> error;
  const std::size_t best = workloads::probe::fastest(tried_blocks.size(), [&](std::size_t i) {
    seismic::Scene scene = plan.scene;
    scene.steps = tried_steps;
    seismic::SeismicProgram program(scene, {}, false, {.steps = tried_blocks[i]});
    const auto done = trial::run_program(context.os, machine, program, once);
    if (!done) error = done.error();
    return done ? done->runs.front().outcome.seconds : 0.0;
  });
  if (error) return Unexpected(*error);
  plan.block.steps = tried_blocks[best];
  plan.block_is_tried = true;
  return {};
}

/// Whether the machine has room for the grid and what is recorded, and can run the setup. Errors:
/// failed; as check_setup().
Result<void> check_plan(Context& context, const machine::Machine& machine, const SeismicPlan& plan,
                        const trial::ProgramSetup& setup) {
  const seismic::SeismicProgram program(plan.scene, plan.slices, plan.compare, plan.block);
  const auto available = machine::available_memory(context.os);
  const std::size_t grid = trial::footprint(program).value;
  const std::size_t recorded = program.recording_bytes();
  if (available && grid + recorded > available->value) {
    return failed(
        fmt::format("the grid needs {} MiB of memory and the receivers' records {} MiB, but only "
                    "{} MiB are available",
                    (grid >> 20U) + 1, (recorded >> 20U) + 1, available->value >> 20U),
        "choose a smaller --size or fewer --steps, or free memory");
  }
  return trial::check_setup(machine, program, setup, available);
}

/// Runs the program, and a triad before and after it: neighbours on the same hardware come and go,
/// so that the better of the two counts. Errors: as run_program().
Result<trial::ProgramReport> run_beside_triad(Context& context, const machine::Machine& machine,
                                              seismic::SeismicProgram& program,
                                              const trial::ProgramSetup& setup,
                                              SeismicSpeed& speed) {
  const trial::TriadRate before = triad_of_memory(context, speed, setup.threads);
  auto report = trial::run_program(context.os, machine, program, setup);
  if (!report) return report;
  const trial::TriadRate after = triad_of_memory(context, speed, setup.threads);
  const trial::TriadRate& best = before.bus_bytes_s > after.bus_bytes_s ? before : after;
  speed.triad = best.bus_bytes_s;
  speed.triad_form = best.form;
  return report;
}

class BenchSeismic final : public Workload {
 public:
  BenchSeismic() : Workload(seismic::describe()) {}

  void define_options(CLI::App& app) override { define_seismic_options(app, options_); }

 private:
  Result<void> try_run(Context& context) override {
    if (auto checked = os::check_output_folder(options_.program.output); !checked) return checked;
    auto plan = plan_seismic(options_);
    if (!plan) return plan.as_unexpected();
    const auto machine = machine_of(context);
    if (!machine) return machine.as_unexpected();
    const trial::ProgramSetup setup = setup_of(options_.program, *machine);
    if (options_.verify) {
      return verify_seismic(context, *machine, setup, options_.program.json);
    }
    if (!options_.snapshot.empty() || draws_seismogram()) {
      if (auto checked = check_drawing(context); !checked) return checked;
    }
    if (auto room = check_plan(context, *machine, *plan, setup); !room) return room;
    if (!options_.time_block) {
      if (auto tried = try_blocks(context, *machine, setup, *plan); !tried) return tried;
    }
    seismic::SeismicProgram program(plan->scene, plan->slices, plan->compare, plan->block);

    SeismicSpeed speed;
    speed.bytes = seismic::useful_bytes(plan->scene.single_precision);
    speed.footprint = trial::footprint(program);
    speed.caches = measure::last_level_caches(*machine, machine->cpus());
    const auto done = run_beside_triad(context, *machine, program, setup, speed);
    if (!done) return done.as_unexpected();
    std::vector<double> rates;
    for (const trial::ProgramRun& one : done->runs) rates.push_back(one.outcome.rate() * 1e6);
    speed.rate = median(rates);

    const ProgramTitle title = title_of(*plan, speed);
    const std::string json = program_json(title, *done, {});
    context.report = json;
    context.out << (options_.program.json
                        ? json
                        : program_text(title, *done, {}) + speed_text(speed, *plan));
    if (auto written = write_files(context, program, *plan, json); !written) return written;
    return trial::check_verified(*done, title.text);
  }

  [[nodiscard]] ProgramTitle title_of(const SeismicPlan& plan, const SeismicSpeed& speed) const {
    const auto& cells = plan.scene.cells;
    Json layers = Json::array();
    for (const seismic::Layer& layer : plan.scene.layers) {
      layers.push_back({{"depth_m", layer.depth_m},
                        {"density_kg_per_m3", layer.density_kg_m3},
                        {"p_m_per_s", layer.p_m_s},
                        {"s_m_per_s", layer.s_m_s}});
    }
    const std::size_t together = plan.block.steps;
    return {
        fmt::format("seismic waves in {} x {} x {} cells, {} steps{}, {}", cells[0], cells[1],
                    cells[2], plan.scene.steps,
                    together > 1 ? fmt::format(", {} together", together) : "", options_.precision),
        "homenode.bench.seismic/2",
        {{"cells", cells},
         {"steps", plan.scene.steps},
         {"time_block", together},
         {"time_block_by_trial", plan.block_is_tried},
         {"precision", options_.precision},
         {"source", options_.source},
         {"free_surface", plan.scene.free_surface},
         {"layers", layers},
         {"compared_with_closed_form", plan.compare},
         {"bytes_per_cell_and_step", speed.bytes},
         {"useful_mb_per_s", speed.traffic() / 1e6},
         {"triad_mb_per_s", speed.triad > 0.0 ? Json(speed.triad / 1e6) : Json(nullptr)},
         {"triad_variant", speed.triad > 0.0 ? Json(speed.triad_form) : Json(nullptr)},
         {"fraction_of_triad", speed.share() ? Json(*speed.share()) : Json(nullptr)}}};
  }

  /// The seismogram is a drawing, not a table.
  [[nodiscard]] bool draws_seismogram() const {
    return std::filesystem::path(options_.seismogram).extension() == ".svg";
  }

  Result<void> write_files(Context& context, const seismic::SeismicProgram& program,
                           const SeismicPlan& plan, const std::string& json) const {
    const seismic::Recording& seen = program.recording();
    if (!options_.program.output.empty()) {
      if (auto done = os::write_atomically(options_.program.output, json); !done) return done;
    }
    if (!options_.snapshot.empty()) {
      const bool plain = std::filesystem::path(options_.snapshot).extension() == ".png";
      const Picture picture{"snapshot",
                            snapshot_json({plan.scene, plan.slices.front(), seen.pictures.front()}),
                            plain ? "png" : "svg"};
      if (auto done = draw_into(context, options_.snapshot, picture); !done) return done;
    }
    if (options_.seismogram.empty()) return {};
    const SeismicTraces traces{plan.scene, seen.traces, program.expected()};
    if (!draws_seismogram()) {
      return os::write_atomically(options_.seismogram, seismogram_csv(traces));
    }
    return draw_into(context, options_.seismogram, {"seismogram", seismogram_json(traces)});
  }

  SeismicOptions options_;
};

}  // namespace

std::unique_ptr<Verb> make_bench_seismic() {
  return std::make_unique<BenchSeismic>();
}

}  // namespace homenode::cli
