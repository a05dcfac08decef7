#include "cli/bench/map.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <CLI/CLI.hpp>

#include <utility>

#include "cli/bench/workload.h"
#include "cli/options.h"
#include "trial/map/patterns.h"
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

}  // namespace homenode::cli
