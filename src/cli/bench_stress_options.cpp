#include "cli/bench_stress_options.h"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <cmath>

#include "cli/atomic_file.h"
#include "cli/choice_option.h"
#include "cli/size_option.h"

namespace homenode::cli {
namespace {

using workloads::stress::Pattern;

constexpr double longest_s = 7.0 * 24 * 3600;
constexpr std::size_t most_samples = std::size_t{1} << 20U;

constexpr Choices<Pattern, 3> stress_patterns{
    {{"1", Pattern::neighbour}, {"2", Pattern::shared}, {"random", Pattern::random}}};
constexpr Choices<bool, 2> stress_operations{{{"read", false}, {"write", true}}};
constexpr Choices<FirstTouch, 3> first_touches{
    {{"thread", FirstTouch::thread}, {"main", FirstTouch::main}, {"bound", FirstTouch::bound}}};
constexpr Choices<PageKind, 3> stress_pages{
    {{"small", PageKind::small}, {"system", PageKind::system}, {"huge", PageKind::huge}}};

void define_memory(CLI::App& app, StressOptions& options) {
  add_size_option(app, "--block", options.block, "memory of each thread", "64M");
  add_choice(app, "--op", options.writes, stress_operations,
             "what a thread does with each word that it uses");
  app.add_option("--stride", options.stride_bytes, "bytes from one word that is used to the next")
      ->capture_default_str();
  add_choice(
      app, "--first-touch", options.first_touch, first_touches,
      "who touches a block first: its thread, which is pinned; one thread for all; its thread "
      "under a policy that binds the block to the start node");
  add_choice(app, "--pages", options.pages, stress_pages,
             "page size: never huge, as the system sets it, or huge where possible");
}

void define_time(CLI::App& app, StressOptions& options) {
  auto* const cycles = app.add_option("--cycles", options.cycles,
                                      "walks of each thread over its blocks, instead of --seconds");
  app.add_option("--seconds", options.seconds, "how long the threads work")
      ->capture_default_str()
      ->excludes(cycles);
  app.add_option_function<std::string>(
         "--hold",
         [&options](const std::string& text) {
           if (text == "forever") {
             options.hold_s.reset();
             return;
           }
           double seconds = 0.0;
           if (!CLI::detail::lexical_cast(text, seconds) || !std::isfinite(seconds)) {
             throw CLI::ValidationError("--hold", "'" + text + "' is no number of seconds");
           }
           options.hold_s = seconds;
         },
         "how long each thread stays pinned to its CPU once the cycles have begun")
      ->type_name("SECONDS|forever")
      ->default_str("3");
  app.add_option("--interval", options.interval_s, "seconds between two looks at the pages")
      ->capture_default_str();
  app.add_option("--samples", options.samples, "pages that are looked at")->capture_default_str();
}

Result<void> check_seconds(const std::string& option, double seconds, double least) {
  if (seconds >= least && seconds <= longest_s) return {};  // Not a number is neither.
  return bad_usage(fmt::format("{} {} is no usable time", option, seconds),
                   fmt::format("give {} to {:.0f} seconds", least, longest_s));
}

}  // namespace

std::string to_string(Pattern pattern) {
  return name_of(stress_patterns, pattern);
}
std::string to_string(FirstTouch first_touch) {
  return name_of(first_touches, first_touch);
}

void define_options(CLI::App& app, StressOptions& options) {
  add_choice(
      app, "--pattern", options.pattern, stress_patterns,
      "1: thread i of a node uses block i of another; random: any block of that node; 2: the "
      "threads of two nodes use all memory of a third");
  app.add_option("--map", options.map,
                 "which node's memory the threads of a node use, as NODE:TARGET,...; others as the "
                 "pattern has it: the next node, or with 2 the one after the pair")
      ->type_name("MAP");
  app.add_option("--threads-per-node", options.threads_per_node,
                 "threads, and blocks, of each node (default: one per allowed CPU)");
  define_memory(app, options);
  define_time(app, options);
  app.add_option("--modes", options.modes,
                 "run once in each of these: plain (nobody moves anything), numad, membind, kernel "
                 "(the kernel's balancing); daemons are switched for it, which takes root")
      ->type_name("LIST");
  app.add_option("--membind", options.membind, "nodes that the mode membind binds all memory to")
      ->type_name("NODES");
  app.add_option("--numad-interval", options.numad_interval_s, "seconds between numad's scans")
      ->capture_default_str();
  app.add_option("--seed", options.seed, "seed of the pattern random")->capture_default_str();
  app.add_option("--output", options.output, "write the JSON to this file")->type_name("FILE");
  app.add_flag("--json", options.json, "print JSON");
}

Result<void> check(const StressOptions& options) {
  if (options.cycles == std::uint64_t{0}) {
    return bad_usage("a run needs at least one cycle", "give --cycles 1 or more");
  }
  if (options.threads_per_node == 0U) {
    return bad_usage("a node needs at least one thread", "give --threads-per-node 1 or more");
  }
  if (options.block.value == 0) {
    return bad_usage("a block of no memory has no page", "give --block 4k or more");
  }
  if (options.numad_interval_s == 0) {
    return bad_usage("numad with an interval of 0 ends at once", "give --numad-interval 1 or more");
  }
  if (options.samples == 0 || options.samples > most_samples) {
    return bad_usage(fmt::format("cannot look at {} pages", options.samples),
                     fmt::format("give --samples 1 to {}", most_samples));
  }
  if (auto usable = check_seconds("--seconds", options.seconds, 0.0); !usable) return usable;
  if (auto usable = check_seconds("--interval", options.interval_s, 0.01); !usable) return usable;
  if (auto usable = check_seconds("--hold", options.hold_s.value_or(0.0), 0.0); !usable) {
    return usable;
  }
  if (options.modes.empty() && !options.membind.empty()) {
    return bad_usage("--membind is of the mode membind",
                     "give --modes membind too, or run this "
                     "under 'homenode run --membind'");
  }
  return check_output_folder(options.output);
}

}  // namespace homenode::cli
