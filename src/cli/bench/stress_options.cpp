#include "cli/bench/stress_options.h"

#include <CLI/CLI.hpp>

#include <cmath>

#include "cli/options.h"

namespace homenode::cli {
namespace {

constexpr Choices<bool, 2> stress_operations{{{"read", false}, {"write", true}}};
constexpr Choices<trial::PageKind, 3> stress_pages{{{"small", trial::PageKind::small},
                                                    {"system", trial::PageKind::system},
                                                    {"huge", trial::PageKind::huge}}};

void define_memory(CLI::App& app, trial::StressOptions& options) {
  add_size_option(app, "--block", options.block, "memory of each thread", "64M");
  add_choice(app, "--op", options.writes, stress_operations,
             "what a thread does with each word that it uses");
  app.add_option("--stride", options.stride_bytes, "bytes from one word that is used to the next")
      ->capture_default_str();
  add_choice(
      app, "--first-touch", options.first_touch, trial::first_touches,
      "who touches a block first: its thread, which is pinned; one thread for all; its thread "
      "under a policy that binds the block to the start node");
  add_choice(app, "--pages", options.pages, stress_pages,
             "page size: never huge, as the system sets it, or huge where possible");
}

void define_time(CLI::App& app, trial::StressOptions& options) {
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

}  // namespace

void define_options(CLI::App& app, trial::StressOptions& options) {
  add_choice(
      app, "--pattern", options.pattern, trial::stress_patterns,
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

}  // namespace homenode::cli
