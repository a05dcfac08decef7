#include "cli/bench/table.h"

#include <CLI/CLI.hpp>
#include <filesystem>

#include "cli/bench/map.h"
#include "cli/bench/workload.h"
#include "trial/map/plan.h"
#include "trial/map/run.h"
#include "workloads/map/description.h"

namespace homenode::cli {
namespace {

/// numactl's way: the same program, unchanged, under a launcher that sets the policy. A process can
/// pass values on to the one that takes its place only as words, so here, and nowhere else, options
/// become words again: to_arguments() writes what define_map_options() reads.
Result<void> launch_interleaved(Context& context, trial::MapOptions options) {
  options.method = trial::Method::standard;
  options.launched = true;
  std::error_code ignored;
  const std::filesystem::path link = std::filesystem::read_symlink("/proc/self/exe", ignored);
  const std::string self = link.empty() ? context.program : link.string();
  std::vector<std::string> words{self, "run", "--interleave=all", "--", self, "bench", "map"};
  const std::vector<std::string> own = trial::to_arguments(options);
  words.insert(words.end(), own.begin(), own.end());
  const int result = context.os.execute(words);
  return failed("cannot start " + self + " again", "call homenode by a path that exists", -result);
}

class BenchMap final : public Workload {
 public:
  BenchMap() : Workload(workloads::map::describe()) {}

  void define(CLI::App& app) override { define_map_options(app, options_); }

 private:
  Result<void> try_run(Context& context) override {
    if (auto checked = check(options_); !checked) return checked;
    const auto machine = machine_of(context);
    if (!machine) return machine.as_unexpected();
    const auto plan = trial::plan_map(*machine, options_, trial::memory_facts(context.os));
    if (!plan) return plan.as_unexpected();
    if (options_.method == trial::Method::command_line)
      return launch_interleaved(context, options_);
    const auto measured = trial::run_map(context.os, *machine, *plan);
    if (!measured) return measured.as_unexpected();
    return show(context, {map_json(*machine, *measured), map_text(*measured)}, options_.json,
                options_.output);
  }

  trial::MapOptions options_;
};

}  // namespace

std::unique_ptr<Verb> make_bench_map() {
  return std::make_unique<BenchMap>();
}

}  // namespace homenode::cli
