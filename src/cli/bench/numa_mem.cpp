#include "cli/bench/table.h"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "cli/bench/numa_mem_report.h"
#include "cli/bench/program.h"
#include "cli/bench/workload.h"
#include "trial/memory.h"
#include "workloads/numa_mem/description.h"

namespace homenode::cli {
namespace {

/// A flag that is on unless its other name is given, or the other way round, as perf has them.
void add_switch(CLI::App& app, const std::string& letter, const std::string& name, bool& target,
                const std::string& description = {}) {
  const std::string names = fmt::format("{},--{},!--no-{}", letter, name, name);
  app.add_flag(names, target, description);
}

void define_tasks(CLI::App& app, trial::NumaMemOptions& options) {
  app.add_option("-p,--nr_proc", options.processes)->capture_default_str();
  app.add_option("-t,--nr_threads", options.threads)->capture_default_str();
  app.add_option("-C,--cpus", options.cpus)->type_name("LIST");
  app.add_option("-M,--memnodes", options.memory_nodes)->type_name("LIST");
  add_strategy_option(app, options.strategy);
}

void define_memory(CLI::App& app, trial::NumaMemOptions& options) {
  app.add_option("-G,--mb_global", options.global_mb)->capture_default_str();
  app.add_option("-P,--mb_proc", options.process_mb)->capture_default_str();
  app.add_option("-L,--mb_proc_locked", options.locked_mb)->capture_default_str();
  app.add_option("-T,--mb_thread", options.thread_mb)->capture_default_str();
  add_switch(app, "-z", "init_zero", options.init_zero);
  add_switch(app, "-I", "init_random", options.init_names);
  add_switch(app, "-0", "init_cpu0", options.init_cpu0);
  app.add_option("-H,--thp", options.huge_pages)->capture_default_str();
}

void define_work(CLI::App& app, trial::NumaMemOptions& options) {
  add_switch(app, "-R", "data_reads", options.reads);
  add_switch(app, "-W", "data_writes", options.writes);
  add_switch(app, "-B", "data_backwards", options.backwards);
  add_switch(app, "-Z", "data_zero_memset", options.zero);
  add_switch(app, "-r", "data_rand_walk", options.random);
  app.add_option("-l,--nr_loops", options.loops)->capture_default_str();
  app.add_option("-s,--nr_secs", options.seconds)->capture_default_str();
  app.add_option("-u,--usleep", options.sleep_us)->capture_default_str();
  add_switch(app, "-S", "serialize-startup", options.serialize);
  app.add_option("-x,--perturb_secs", options.perturb_s)->capture_default_str();
}

void define_report(CLI::App& app, trial::NumaMemOptions& options) {
  add_switch(app, "-c", "show_convergence", options.convergence);
  add_switch(app, "-m", "measure_convergence", options.until_converged);
  app.add_option("--interval", options.interval_s)->capture_default_str();
  add_switch(app, "-d", "show_details", options.details, "show every thread");
  add_switch(app, "-q", "quiet", options.quiet, "print only the figures");
  define_output_options(app, options.output, options.json);
}

void define_numa_mem_options(CLI::App& app, trial::NumaMemOptions& options) {
  define_tasks(app, options);
  define_memory(app, options);
  define_work(app, options);
  define_report(app, options);
}

class BenchNumaMem final : public Workload {
 public:
  BenchNumaMem() : Workload(workloads::numa_mem::describe()) {}

  void define_options(CLI::App& app) override { define_numa_mem_options(app, options_); }

 private:
  Result<void> try_run(Context& context) override {
    if (auto checked = check(options_); !checked) return checked;
    const auto machine = machine_of(context);
    if (!machine) return machine.as_unexpected();
    const auto plan = trial::plan_numa_mem(*machine, options_, trial::memory_facts(context.os));
    if (!plan) return plan.as_unexpected();
    const auto measured = trial::run_numa_mem(context.os, *plan);
    if (!measured) return measured.as_unexpected();
    return show(context, {numa_mem_json(*measured), numa_mem_text(*measured)}, options_.json,
                options_.output);
  }

  trial::NumaMemOptions options_;
};

}  // namespace

std::unique_ptr<Verb> make_bench_numa_mem() {
  return std::make_unique<BenchNumaMem>();
}

}  // namespace homenode::cli
