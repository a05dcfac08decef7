#include "cli/bench_map_options.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <filesystem>
#include <limits>
#include <utility>

namespace homenode::cli {
namespace {

using workloads::map::line_bytes;
using workloads::map::Operation;
using workloads::map::Order;
using workloads::map::Pattern;

/// PID_MAX_LIMIT, which bounds the threads of the whole system.
constexpr unsigned most_threads = 4U << 20U;

/// The choices of an option, in the order of the help.
template <class Value, std::size_t count>
using Choices = std::array<std::pair<const char*, Value>, count>;

constexpr Choices<Pattern, 4> patterns{{{"shared", Pattern::shared},
                                        {"divided", Pattern::divided},
                                        {"interleaved", Pattern::interleaved},
                                        {"partial", Pattern::partial}}};
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

template <class Value, std::size_t count>
std::string name_of(const Choices<Value, count>& choices, Value value) {
  for (const auto& [name, choice] : choices) {
    if (choice == value) return name;
  }
  return {};
}

template <class Value, std::size_t count>
void add_choice(CLI::App& app, const std::string& option, Value& target,
                const Choices<Value, count>& choices, const std::string& description) {
  std::vector<std::string> names;
  for (const auto& choice : choices) names.emplace_back(choice.first);
  const auto read = [&target, &choices](const std::string& text) {
    for (const auto& [name, value] : choices) {
      if (text == name) target = value;
    }
  };
  app.add_option_function<std::string>(option, read, description)
      ->check(CLI::IsMember(names))
      ->default_str(name_of(choices, target));
}

}  // namespace

std::string to_string(Pattern pattern) {
  return name_of(patterns, pattern);
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
  add_choice(app, "--pattern", options.pattern, patterns, "which elements each thread uses");
  add_choice(app, "--order", options.order, orders, "in which order it walks them");
  add_choice(app, "--op", options.operation, operations, "what it does with each element");
  add_choice(app, "--method", options.method, methods,
             "how the memory is placed: by the first touch; by 'homenode run --interleave=all'; by "
             "policies set from inside; by laying the array out anew");
  app.add_option("--threads", options.threads, "threads (default: one per allowed CPU)");
  app.add_option_function<std::string>(
         "--size",
         [&options](const std::string& text) {
           const auto size = parse_size(text);
           if (!size) throw CLI::ValidationError("--size", size.error().message());
           options.size = *size;
         },
         "size of the array, in elements of one cache line of 64 bytes")
      ->type_name("SIZE[k|m|g|t]")
      ->default_str("16M");
  app.add_option("--passes", options.passes, "walks over the array")->capture_default_str();
  app.add_option("--overlap", options.overlap_percent,
                 "percent of each neighbour's part that 'partial' uses too")
      ->capture_default_str();
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
  std::vector<std::string> words{"--pattern", to_string(options.pattern),
                                 "--order",   to_string(options.order),
                                 "--op",      to_string(options.operation),
                                 "--method",  to_string(options.method),
                                 "--size",    std::to_string(options.size.value),
                                 "--passes",  std::to_string(options.passes),
                                 "--overlap", std::to_string(options.overlap_percent),
                                 "--team",    to_string(options.team),
                                 "--pages",   to_string(options.pages),
                                 "--seed",    std::to_string(options.seed),
                                 "--bind",    options.bind};
  const auto add = [&words](const std::string& option, const std::string& value) {
    words.push_back(option);
    words.push_back(value);
  };
  if (options.threads) add("--threads", std::to_string(*options.threads));
  if (!options.output.empty()) add("--output", options.output);
  if (options.json) words.emplace_back("--json");
  if (options.launched) words.emplace_back("--launched");
  return words;
}

Result<Bytes> parse_size(std::string_view text) {
  const auto wrong = [text] {
    return bad_usage(fmt::format("cannot read the size '{}'", text),
                     "write a number of bytes, with k, m, g or t for powers of 1024, such as 16M");
  };
  std::uint64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, status] = std::from_chars(text.data(), end, number);
  if (status != std::errc{} || end - rest > 1) return wrong();
  unsigned shift = 0;
  if (rest != end) {
    const std::size_t unit = std::string_view("kmgtKMGT").find(*rest);
    if (unit == std::string_view::npos) return wrong();
    shift = 10 * (static_cast<unsigned>(unit) % 4 + 1);
  }
  if (number > std::numeric_limits<std::uint64_t>::max() >> shift) return wrong();
  return Bytes{number << shift};
}

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
  if (options.overlap_percent > 100) {
    return bad_usage(fmt::format("an overlap of {} % is more than the neighbour's whole part",
                                 options.overlap_percent),
                     "give --overlap between 0 and 100");
  }
  const std::uint64_t elements = options.size.value / line_bytes;
  if (elements < options.threads.value_or(1)) {
    const std::uint64_t threads = options.threads.value_or(1);
    return bad_usage(fmt::format("{} threads need {} elements of {} bytes, and {} bytes hold {}",
                                 threads, threads, line_bytes, options.size.value, elements),
                     fmt::format("give --size {} or more", threads * line_bytes));
  }
  const bool needs_nodes = options.method == Method::rewrite ||
                           (options.method == Method::api && (options.pattern == Pattern::divided ||
                                                              options.pattern == Pattern::partial));
  if (options.bind == "none" && needs_nodes) {
    return bad_usage(fmt::format("the method {} puts each part near its thread, and threads that "
                                 "are not bound have no place",
                                 to_string(options.method)),
                     "leave out --bind none, or choose the method default or command-line");
  }
  if (!options.output.empty()) {
    const auto folder = std::filesystem::absolute(options.output).parent_path();
    std::error_code ignored;
    if (!std::filesystem::is_directory(folder, ignored)) {
      return bad_usage("there is no folder " + folder.string() + " for --output",
                       "make it, or name a file elsewhere");
    }
  }
  return {};
}

}  // namespace homenode::cli
