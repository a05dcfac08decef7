#include "cli/bench/stress.h"

#include <CLI/CLI.hpp>

#include "cli/bench/stress_options.h"
#include "cli/bench/stress_render.h"
#include "machine/load.h"
#include "os/atomic_file.h"
#include "trial/memory.h"
#include "trial/stress/modes.h"
#include "trial/stress/run.h"
#include "workloads/stress/description.h"

namespace homenode::cli {
namespace {

class BenchStress final : public Verb {
 public:
  [[nodiscard]] std::string name() const override { return "stress"; }
  [[nodiscard]] std::string summary() const override {
    return workloads::stress::describe().summary;
  }
  void define(CLI::App& app) override { define_options(app, options_); }

  int run(Context& context) override {
    const auto done = try_run(context);
    return done ? exit_done : report(context, "bench stress", done.error());
  }

 private:
  Result<void> try_run(Context& context) {
    if (auto checked = check(options_); !checked) return checked;
    const auto machine = machine::read_live_machine();
    if (!machine) return machine.as_unexpected();
    const auto plan = trial::plan_stress(*machine, options_, trial::memory_facts(context.os));
    if (!plan) return plan.as_unexpected();
    if (!options_.modes.empty()) return compare(context, *machine, *plan);
    const auto measured = trial::run_stress(context.os, *machine, *plan);
    if (!measured) return measured.as_unexpected();
    return show(context, stress_json(*measured), stress_text(*measured));
  }

  Result<void> compare(Context& context, const machine::Machine& machine,
                       const trial::StressPlan& plan) {
    const auto modes = trial::parse_modes(options_);
    if (!modes) return modes.as_unexpected();
    const auto reports = trial::run_modes(context.os, machine, plan, *modes);
    if (!reports) return reports.as_unexpected();
    return show(context, modes_json(*reports), modes_text(*reports));
  }

  Result<void> show(Context& context, const std::string& json, const std::string& text) const {
    context.out << (options_.json ? json : text);
    if (options_.output.empty()) return {};
    return os::write_atomically(options_.output, json);
  }

  trial::StressOptions options_;
};

}  // namespace

std::unique_ptr<Verb> make_bench_stress() {
  return std::make_unique<BenchStress>();
}

}  // namespace homenode::cli
