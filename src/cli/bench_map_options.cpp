#include "cli/bench_map_options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <array>
#include <utility>

#include "cli/atomic_file.h"
#include "cli/bench_map_patterns.h"
#include "cli/choice_option.h"
#include "cli/size_option.h"

namespace homenode::cli {
namespace {

using workloads::map::line_bytes;
using workloads::map::Operation;
using workloads::map::Order;
using MapPattern = workloads::map::Pattern;

/// PID_MAX_LIMIT, which bounds the threads of the whole system.
constexpr unsigned most_threads = 4U << 20U;

constexpr const char* multi_patterns = "multi-patterns";

constexpr Choices<Order, 2> orders{{{"sequential", Order::sequential}, {"random", Order::random}}};
constexpr Choices<Operation, 3> operations{
    {{"read", Operation::read}, {"write", Operation::write}, {"readwrite", Operation::readwrite}}};
constexpr Choices<Method, 4> methods{{{"default", Method::standard},
                                      {"command-line", Method::command_line},
                                      {"api", Method::api},
                                      {"rewrite", Method::rewrite}}};
constexpr Choices<TeamKind, 2> teams{
    {{"pthreads", TeamKind::pthreads}, {"openmp", TeamKind::openmp}}};
constexpr Choices<PageKind, 3> page_kinds{
    {{"system", PageKind::system}, {"small", PageKind::small}, {"huge", PageKind::huge}}};

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
void define_array(CLI::App& app, MapOptions& options) {
  std::vector<std::string> names = pattern_names();
  names.emplace_back(multi_patterns);
  const auto read_pattern = [&options](const std::string& text) {
    options.multi_patterns = text == multi_patterns;
    options.pattern = pattern_named(text).value_or(options.pattern);
  };
  app.add_option_function<std::string>(
         "--pattern", read_pattern,
         fmt::format("which elements each thread uses: {}", fmt::join(names, ", ")))
      ->check(CLI::IsMember(names).description(""))
      ->type_name("PATTERN")
      ->default_str(pattern_name(options));
  add_parsed(app, "--phases", parse_phases, options.phases,
             "the patterns of multi-patterns, one after the other on one array; api places it anew "
             "before each, rewrite lays it out anew")
      ->type_name("PATTERN,...")
      ->default_str(to_string(options.phases));
  auto* const size = add_size_option(app, "--size", options.size,
                                     "size of the array, in elements of one cache line of 64 "
                                     "bytes; in 2D and 3D near a square or a cube",
                                     "16M");
  add_parsed(app, "--shape", parse_shape, options.shape,
             "the array's elements along each axis, the last next to each other in memory")
      ->type_name("N|ROWSxCOLUMNS|ZxYxX")
      ->excludes(size);
}

}  // namespace

std::string pattern_name(const MapOptions& options) {
  return options.multi_patterns ? multi_patterns : to_string(options.pattern);
}
std::string to_string(Order order) {
  return name_of(orders, order);
}
std::string to_string(Operation operation) {
  return name_of(operations, operation);
}
std::string to_string(Method method) {
  return name_of(methods, method);
}
std::string to_string(TeamKind team) {
  return name_of(teams, team);
}
std::string to_string(PageKind pages) {
  return name_of(page_kinds, pages);
}

void define_options(CLI::App& app, MapOptions& options) {
  define_array(app, options);
  add_choice(app, "--order", options.order, orders, "in which order it walks them");
  add_choice(app, "--op", options.operation, operations, "what it does with each element");
  add_choice(app, "--method", options.method, methods,
             "how the memory is placed: by the first touch; by 'homenode run --interleave=all'; by "
             "policies set from inside; by laying the array out anew");
  app.add_option("--threads", options.threads, "threads (default: one per allowed CPU)");
  app.add_option("--passes", options.passes, "walks over the array")->capture_default_str();
  app.add_option("--overlap", options.overlap_percent,
                 "percent of each neighbour's part that 'partial' uses too (default: 25), and that "
                 "patterns with parts in 2D and 3D use along each axis that they cut (default: 0)");
  add_choice(app, "--team", options.team, teams, "what starts the threads");
  add_choice(app, "--pages", options.pages, page_kinds,
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

std::vector<std::string> to_arguments(const MapOptions& options) {
  std::vector<std::string> words{
      "--pattern", pattern_name(options),        "--phases", to_string(options.phases),
      "--order",   to_string(options.order),     "--op",     to_string(options.operation),
      "--method",  to_string(options.method),    "--passes", std::to_string(options.passes),
      "--team",    to_string(options.team),      "--pages",  to_string(options.pages),
      "--seed",    std::to_string(options.seed), "--bind",   options.bind};
  const auto add = [&words](const std::string& option, const std::string& value) {
    words.push_back(option);
    words.push_back(value);
  };
  if (options.shape) {
    add("--shape", to_string(*options.shape));
  } else {
    add("--size", std::to_string(options.size.value));
  }
  if (options.overlap_percent) add("--overlap", std::to_string(*options.overlap_percent));
  if (options.threads) add("--threads", std::to_string(*options.threads));
  if (!options.output.empty()) add("--output", options.output);
  if (options.json) words.emplace_back("--json");
  if (options.launched) words.emplace_back("--launched");
  return words;
}

namespace {

/// Every thread needs an element.
Result<void> check_elements(const MapOptions& options) {
  const std::uint64_t threads = options.threads.value_or(1);
  const std::uint64_t elements =
      options.shape ? options.shape->elements() : options.size.value / line_bytes;
  if (elements >= threads) return {};
  if (options.shape) {
    return bad_usage(fmt::format("{} threads need {} elements, and {} has {}", threads, threads,
                                 to_string(*options.shape), elements),
                     "give a larger --shape or fewer --threads");
  }
  return bad_usage(fmt::format("{} threads need {} elements of {} bytes, and {} bytes hold {}",
                               threads, threads, line_bytes, options.size.value, elements),
                   fmt::format("give --size {} or more", threads * line_bytes));
}

}  // namespace

Result<void> check(const MapOptions& options) {
  if (options.threads == 0U) {
    return bad_usage("a run needs at least one thread", "give --threads 1 or more");
  }
  if (options.threads.value_or(1) > most_threads) {
    return bad_usage(fmt::format("{} threads are more than Linux has", *options.threads),
                     fmt::format("give --threads {} or fewer", most_threads));
  }
  if (options.passes == 0) {
    return bad_usage("a run needs at least one pass", "give --passes 1 or more");
  }
  if (options.overlap_percent.value_or(0) > 100) {
    return bad_usage(fmt::format("an overlap of {} % is more than the neighbour's whole part",
                                 *options.overlap_percent),
                     "give --overlap between 0 and 100");
  }
  if (const auto checked = check_elements(options); !checked) return checked.as_unexpected();
  if (const auto checked = check_shape(options); !checked) return checked.as_unexpected();
  const std::vector<MapPattern> phases = phases_of(options);
  const bool needs_nodes = options.method == Method::rewrite ||
                           (options.method == Method::api &&
                            std::any_of(phases.begin(), phases.end(), [](MapPattern one) {
                              return rule_of(one).use == workloads::map::Use::boxes;
                            }));
  if (options.bind == "none" && needs_nodes) {
    return bad_usage(fmt::format("the method {} puts each part near its thread, and threads that "
                                 "are not bound have no place",
                                 to_string(options.method)),
                     "leave out --bind none, or choose the method default or command-line");
  }
  return check_output_folder(options.output);
}

}  // namespace homenode::cli
