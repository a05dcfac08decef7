#include "cli/bench/table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <CLI/CLI.hpp>

#include <filesystem>
#include <utility>

#include "cli/bench/map.h"
#include "cli/bench/workload.h"
#include "cli/options.h"
#include "trial/map/patterns.h"
#include "trial/map/plan.h"
#include "trial/map/run.h"
#include "workloads/map/description.h"
#include "workloads/map/patterns/pattern.h"

namespace homenode::cli {
namespace {

/// An option whose text is parsed by `parse` into `target`.
template <class Value, class Target>
CLI::Option* add_parsed(CLI::App& app, const std::string& option,
                        Result<Value> (*parse)(std::string_view), Target& target) {
  const auto read = [option, parse, &target](const std::string& text) {
    auto value = parse(text);
    if (!value) throw CLI::ValidationError(option, value.error().message());
    target = *std::move(value);
  };
  return app.add_option_function<std::string>(option, read);
}

/// What is walked: the pattern and the array.
void define_array(CLI::App& app, trial::MapOptions& options) {
  std::vector<std::string> names = trial::pattern_names();
  names.emplace_back(trial::multi_patterns_name);
  const auto read_pattern = [&options](const std::string& text) {
    options.multi_patterns = text == trial::multi_patterns_name;
    options.pattern = workloads::map::find_pattern(text).value_or(options.pattern);
  };
  app.add_option_function<std::string>(
         "--pattern", read_pattern,
         fmt::format("which elements each thread uses: {}", fmt::join(names, ", ")))
      ->check(CLI::IsMember(names).description(""))
      ->type_name("PATTERN")
      ->default_str(trial::pattern_name(options));
  add_parsed(app, "--phases", trial::parse_phases, options.phases)
      ->type_name("PATTERN,...")
      ->default_str(trial::to_string(options.phases));
  auto* const size = add_size_option(app, "--size", options.size, "", "16M");
  add_parsed(app, "--shape", trial::parse_shape, options.shape)
      ->type_name("N|ROWSxCOLUMNS|ZxYxX")
      ->excludes(size);
}

/// numactl's way: the same program, unchanged, under a launcher that sets the policy. A process can
/// pass values on to the one that takes its place only as words, so here, and nowhere else, options
/// become words again: to_arguments() writes what define_map_options() reads.
Result<void> launch_interleaved(Context& context, trial::MapOptions options,
                                const std::string& page) {
  options.method = trial::Method::standard;
  options.launched = true;
  std::error_code ignored;
  const std::filesystem::path link = std::filesystem::read_symlink("/proc/self/exe", ignored);
  const std::string self = link.empty() ? context.program : link.string();
  std::vector<std::string> words{self, "run", "--interleave=all", "--", self, "bench", "map"};
  const std::vector<std::string> own = trial::to_arguments(options);
  words.insert(words.end(), own.begin(), own.end());
  if (!page.empty()) words.push_back("--html=" + page);
  const int result = context.os.execute(words);
  return failed("cannot start " + self + " again", "call homenode by a path that exists", -result);
}

class BenchMap final : public Workload {
 public:
  BenchMap() : Workload(workloads::map::describe()) {}

  void define_options(CLI::App& app) override { define_map_options(app, options_); }

 private:
  Result<void> try_run(Context& context) override {
    if (auto checked = check(options_); !checked) return checked;
    const auto machine = machine_of(context);
    if (!machine) return machine.as_unexpected();
    const auto plan = trial::plan_map(*machine, options_, trial::memory_facts(context.os));
    if (!plan) return plan.as_unexpected();
    if (options_.method == trial::Method::command_line)
      return launch_interleaved(context, options_, page());
    const auto measured = trial::run_map(context.os, *machine, *plan);
    if (!measured) return measured.as_unexpected();
    return show(context, {map_json(*machine, *measured), map_text(*measured)}, options_.json,
                options_.output);
  }

  trial::MapOptions options_;
};

}  // namespace

void define_map_options(CLI::App& app, trial::MapOptions& options) {
  define_array(app, options);
  add_choice(app, "--order", options.order, trial::map_orders);
  add_choice(app, "--op", options.operation, trial::map_operations);
  add_choice(app, "--method", options.method, trial::map_methods);
  app.add_option("--threads", options.threads);
  app.add_option("--passes", options.passes)->capture_default_str();
  app.add_option("--overlap", options.overlap_percent);
  add_choice(app, "--team", options.team, trial::map_teams);
  add_choice(app, "--pages", options.pages, trial::page_kinds);
  app.add_option("--seed", options.seed)->capture_default_str();
  app.add_option("--bind", options.bind)->type_name("compact|none|LIST")->capture_default_str();
  define_output_options(app, options.output, options.json);
  app.add_flag("--launched", options.launched)->group("");
}

std::unique_ptr<Verb> make_bench_map() {
  return std::make_unique<BenchMap>();
}

}  // namespace homenode::cli
