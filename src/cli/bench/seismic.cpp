#include <fmt/format.h>
#include <CLI/CLI.hpp>

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
#include "trial/program/run.h"
#include "workloads/seismic/program.h"

namespace homenode::cli {
namespace {

namespace seismic = workloads::seismic;
using Json = nlohmann::ordered_json;

/// Bytes a second of a triad over as much memory as the grid; 0 where caches would serve it.
double triad_of_memory(const SeismicSpeed& speed, unsigned threads) {
  return speed.is_cached() ? 0.0 : seismic::triad_bytes_s(speed.footprint.value, threads);
}

/// Whether the machine has room for the grid and what is recorded. Errors: failed.
Result<void> check_room(const seismic::SeismicProgram& program, std::optional<Bytes> available) {
  const std::size_t grid = trial::footprint(program).value;
  const std::size_t recorded = program.recording_bytes();
  if (!available || grid + recorded <= available->value) return {};
  return failed(
      fmt::format("the grid needs {} MiB of memory and the receivers' records {} MiB, but only "
                  "{} MiB are available",
                  (grid >> 20U) + 1, (recorded >> 20U) + 1, available->value >> 20U),
      "choose a smaller --size or fewer --steps, or free memory");
}

class BenchSeismic final : public Workload {
 public:
  BenchSeismic() : Workload(seismic::describe()) {}

  void define(CLI::App& app) override { define_seismic_options(app, options_); }

 private:
  Result<void> try_run(Context& context) override {
    if (auto checked = os::check_output_folder(options_.program.output); !checked) return checked;
    const auto plan = plan_seismic(options_);
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
    seismic::SeismicProgram program(plan->scene, plan->slices, plan->compare, plan->block);
    const auto available = machine::available_memory(context.os);
    if (auto room = check_room(program, available); !room) return room;
    if (auto checked = trial::check_setup(*machine, program, setup, available); !checked)
      return checked;

    const std::size_t bytes = trial::footprint(program).value;
    SeismicSpeed speed;
    speed.bytes = seismic::useful_bytes(plan->scene.single_precision);
    speed.footprint = Bytes{bytes};
    speed.caches = measure::last_level_caches(*machine, machine->cpus());
    speed.triad = triad_of_memory(speed, setup.threads);
    const auto done = trial::run_program(context.os, *machine, program, setup);
    if (!done) return done.as_unexpected();
    // Neighbours on the same hardware come and go: what memory gave before or after counts.
    speed.triad = std::max(speed.triad, triad_of_memory(speed, setup.threads));
    std::vector<double> rates;
    for (const trial::ProgramRun& one : done->runs) rates.push_back(one.outcome.rate() * 1e6);
    speed.rate = median(rates);

    const ProgramTitle title = title_of(*plan, speed);
    const std::string json = program_json(title, *done, {});
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
         {"precision", options_.precision},
         {"source", options_.source},
         {"free_surface", plan.scene.free_surface},
         {"layers", layers},
         {"compared_with_closed_form", plan.compare},
         {"bytes_per_cell_and_step", speed.bytes},
         {"useful_mb_per_s", speed.traffic() / 1e6},
         {"triad_mb_per_s", speed.triad > 0.0 ? Json(speed.triad / 1e6) : Json(nullptr)},
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
