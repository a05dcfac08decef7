#include "cli/bench/table.h"

#include <CLI/CLI.hpp>

#include <cmath>

#include "cli/bench/stress_report.h"
#include "cli/bench/workload.h"
#include "cli/options.h"
#include "trial/memory.h"
#include "trial/stress/modes.h"
#include "workloads/stress/description.h"

namespace homenode::cli {
namespace {

constexpr Choices<bool, 2> stress_operations{{{"read", false}, {"write", true}}};
constexpr Choices<trial::PageKind, 3> stress_pages{{{"small", trial::PageKind::small},
                                                    {"system", trial::PageKind::system},
                                                    {"huge", trial::PageKind::huge}}};

void define_memory(CLI::App& app, trial::StressOptions& options) {
  add_size_option(app, "--block", options.block, "", "64M");
  add_choice(app, "--op", options.writes, stress_operations);
  app.add_option("--stride", options.stride_bytes)->capture_default_str();
  add_choice(app, "--first-touch", options.first_touch, trial::first_touches);
  add_choice(app, "--pages", options.pages, stress_pages);
}

void define_time(CLI::App& app, trial::StressOptions& options) {
  auto* const cycles = app.add_option("--cycles", options.cycles);
  app.add_option("--seconds", options.seconds)->capture_default_str()->excludes(cycles);
  app.add_option_function<std::string>(
         "--hold",
         [&options](const std::string& text) {
           if (text == "forever") {
             options.hold_s.reset();
             return;
           }
           double seconds = 0.0;
           if (!CLI::detail::lexical_cast(text, seconds) || !std::isfinite(seconds)) {
             throw CLI::ValidationError("--hold", "'" + text + "' is not a number of seconds");
           }
           options.hold_s = seconds;
         })
      ->type_name("SECONDS|forever")
      ->default_str("3");
  app.add_option("--interval", options.interval_s)->capture_default_str();
  app.add_option("--samples", options.samples)->capture_default_str();
}

void define_stress_options(CLI::App& app, trial::StressOptions& options) {
  add_choice(app, "--pattern", options.pattern, trial::stress_patterns);
  app.add_option("--map", options.map)->type_name("MAP");
  app.add_option("--threads-per-node", options.threads_per_node);
  define_memory(app, options);
  define_time(app, options);
  add_choice(app, "--mode", options.mode, trial::stress_modes);
  app.add_option("--modes", options.modes)->type_name("LIST")->excludes(app.get_option("--mode"));
  app.add_option("--membind", options.membind)->type_name("NODES");
  app.add_option("--numad-interval", options.numad_interval_s)->capture_default_str();
  app.add_option("--seed", options.seed)->capture_default_str();
  define_output_options(app, options.output, options.json);
}

class BenchStress final : public Workload {
 public:
  BenchStress() : Workload(workloads::stress::describe()) {}

  void define_options(CLI::App& app) override { define_stress_options(app, options_); }

 private:
  Result<void> try_run(Context& context) override {
    if (auto checked = check(options_); !checked) return checked;
    const auto machine = machine_of(context);
    if (!machine) return machine.as_unexpected();
    const auto plan = trial::plan_stress(*machine, options_, trial::memory_facts(context.os));
    if (!plan) return plan.as_unexpected();
    if (!options_.modes.empty()) return compare(context, *machine, *plan);
    const auto measured = trial::run_mode(context.os, *machine, *plan);
    if (!measured) return measured.as_unexpected();
    return show(context, {stress_json(*measured), stress_text(*measured)}, options_.json,
                options_.output);
  }

  Result<void> compare(Context& context, const machine::Machine& machine,
                       const trial::StressPlan& plan) {
    const auto modes = trial::parse_modes(options_);
    if (!modes) return modes.as_unexpected();
    const auto reports = trial::run_modes(context.os, machine, plan, *modes);
    if (!reports) return reports.as_unexpected();
    return show(context, {modes_json(*reports), modes_text(*reports)}, options_.json,
                options_.output);
  }

  trial::StressOptions options_;
};

}  // namespace

std::unique_ptr<Verb> make_bench_stress() {
  return std::make_unique<BenchStress>();
}

}  // namespace homenode::cli
