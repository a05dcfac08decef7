#include "cli/bench/map.h"

#include <CLI/CLI.hpp>
#include <filesystem>

#include "cli/bench/map_options.h"
#include "cli/bench/map_render.h"
#include "machine/load.h"
#include "os/atomic_file.h"
#include "trial/map/plan.h"
#include "trial/map/run.h"
#include "workloads/map/description.h"

namespace homenode::cli {
namespace {

constexpr const char* verb_name = "bench map";

/// numactl's way: the same program, unchanged, under a launcher that sets the policy.
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

class BenchMap final : public Verb {
 public:
  [[nodiscard]] std::string name() const override { return "map"; }
  [[nodiscard]] std::string summary() const override { return workloads::map::describe().summary; }
  void define(CLI::App& app) override { define_options(app, options_); }

  int run(Context& context) override {
    const auto done = try_run(context);
    return done ? exit_done : report(context, verb_name, done.error());
  }

 private:
  Result<void> try_run(Context& context) {
    if (auto checked = check(options_); !checked) return checked;
    const auto machine = machine::read_live_machine();
    if (!machine) return machine.as_unexpected();
    const auto plan = trial::plan_map(*machine, options_, trial::memory_facts(context.os));
    if (!plan) return plan.as_unexpected();
    if (options_.method == trial::Method::command_line)
      return launch_interleaved(context, options_);
    const auto measured = trial::run_map(context.os, *machine, *plan);
    if (!measured) return measured.as_unexpected();
    const std::string json = map_json(*machine, *measured);
    context.out << (options_.json ? json : map_text(*measured));
    if (options_.output.empty()) return {};
    return os::write_atomically(options_.output, json);
  }

  trial::MapOptions options_;
};

}  // namespace

std::unique_ptr<Verb> make_bench_map() {
  return std::make_unique<BenchMap>();
}

}  // namespace homenode::cli
