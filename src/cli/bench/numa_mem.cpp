#include "cli/bench/numa_mem.h"
#include "cli/bench/numa_mem_options.h"

#include <CLI/CLI.hpp>

#include "cli/bench/numa_mem_render.h"
#include "machine/load.h"
#include "os/atomic_file.h"
#include "trial/memory.h"
#include "workloads/numa_mem/description.h"

namespace homenode::cli {
namespace {

class BenchNumaMem final : public Verb {
 public:
  [[nodiscard]] std::string name() const override { return "numa-mem"; }
  [[nodiscard]] std::string summary() const override {
    return workloads::numa_mem::describe().summary;
  }
  void define(CLI::App& app) override { define_options(app, options_); }

  int run(Context& context) override {
    const auto done = try_run(context);
    return done ? exit_done : report(context, "bench numa-mem", done.error());
  }

 private:
  Result<void> try_run(Context& context) {
    if (auto checked = check(options_); !checked) return checked;
    const auto machine = machine::read_live_machine();
    if (!machine) return machine.as_unexpected();
    const auto plan = trial::plan_numa_mem(*machine, options_, trial::memory_facts(context.os));
    if (!plan) return plan.as_unexpected();
    const auto measured = trial::run_numa_mem(context.os, *plan);
    if (!measured) return measured.as_unexpected();
    const std::string json = numa_mem_json(*measured);
    context.out << (options_.json ? json : numa_mem_text(*measured));
    if (options_.output.empty()) return {};
    return os::write_atomically(options_.output, json);
  }

  trial::NumaMemOptions options_;
};

}  // namespace

std::unique_ptr<Verb> make_bench_numa_mem() {
  return std::make_unique<BenchNumaMem>();
}

}  // namespace homenode::cli
