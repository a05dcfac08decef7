#include "cli/bench/map_options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <CLI/CLI.hpp>

#include <utility>

#include "cli/choice_option.h"
#include "cli/size_option.h"
#include "trial/map/patterns.h"
#include "workloads/map/patterns/pattern.h"

namespace homenode::cli {
namespace {

/// An option whose text is parsed by `parse` into `target`.
template <class Value, class Target>
CLI::Option* add_parsed(CLI::App& app, const std::string& option,
                        Result<Value> (*parse)(std::string_view), Target& target,
                        const std::string& description) {
  const auto read = [option, parse, &target](const std::string& text) {
    auto value = parse(text);
    if (!value) throw CLI::ValidationError(option, value.error().message());
    target = *std::move(value);
  };
  return app.add_option_function<std::string>(option, read, description);
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
  add_parsed(app, "--phases", trial::parse_phases, options.phases,
             "the patterns of multi-patterns, one after the other on one array; api places it anew "
             "before each, rewrite lays it out anew")
      ->type_name("PATTERN,...")
      ->default_str(trial::to_string(options.phases));
  auto* const size = add_size_option(app, "--size", options.size,
                                     "size of the array, in elements of one cache line of 64 "
                                     "bytes; in 2D and 3D near a square or a cube",
                                     "16M");
  add_parsed(app, "--shape", trial::parse_shape, options.shape,
             "the array's elements along each axis, the last next to each other in memory")
      ->type_name("N|ROWSxCOLUMNS|ZxYxX")
      ->excludes(size);
}

}  // namespace

void define_options(CLI::App& app, trial::MapOptions& options) {
  define_array(app, options);
  add_choice(app, "--order", options.order, trial::map_orders, "in which order it walks them");
  add_choice(app, "--op", options.operation, trial::map_operations,
             "what it does with each element");
  add_choice(app, "--method", options.method, trial::map_methods,
             "how the memory is placed: by the first touch; by 'homenode run --interleave=all'; by "
             "policies set from inside; by laying the array out anew");
  app.add_option("--threads", options.threads, "threads (default: one per allowed CPU)");
  app.add_option("--passes", options.passes, "walks over the array")->capture_default_str();
  app.add_option("--overlap", options.overlap_percent,
                 "percent of each neighbour's part that 'partial' uses too (default: 25), and that "
                 "patterns with parts in 2D and 3D use along each axis that they cut (default: 0)");
  add_choice(app, "--team", options.team, trial::map_teams, "what starts the threads");
  add_choice(app, "--pages", options.pages, trial::page_kinds,
             "page size: as the system sets it, never huge, or huge where possible");
  app.add_option("--seed", options.seed, "seed of the random order")->capture_default_str();
  app.add_option("--bind", options.bind,
                 "thread i on the i-th CPU, node by node (compact); left to the system (none); or "
                 "CPUs in rank order, such as 0,4,8-11")
      ->type_name("compact|none|LIST")
      ->capture_default_str();
  app.add_option("--output", options.output, "write the JSON to this file")->type_name("FILE");
  app.add_flag("--json", options.json, "print JSON");
  app.add_flag("--launched", options.launched)->group("");
}

}  // namespace homenode::cli
