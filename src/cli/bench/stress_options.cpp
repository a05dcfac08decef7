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
  add_size_option(app, "--block", options.block, "", "64M");
  add_choice(app, "--op", options.writes, stress_operations);
  app.add_option("--stride", options.stride_bytes)->capture_default_str();
  add_choice(app, "--first-touch", options.first_touch, trial::first_touches);
  add_choice(app, "--pages", options.pages, stress_pages);
}

void define_time(CLI::App& app, trial::StressOptions& options) {
  auto* const cycles = app.add_option("--cycles", options.cycles);
  app.add_option("--seconds", options.seconds)->capture_default_str()->excludes(cycles);
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
         })
      ->type_name("SECONDS|forever")
      ->default_str("3");
  app.add_option("--interval", options.interval_s)->capture_default_str();
  app.add_option("--samples", options.samples)->capture_default_str();
}

}  // namespace

void define_options(CLI::App& app, trial::StressOptions& options) {
  add_choice(app, "--pattern", options.pattern, trial::stress_patterns);
  app.add_option("--map", options.map)->type_name("MAP");
  app.add_option("--threads-per-node", options.threads_per_node);
  define_memory(app, options);
  define_time(app, options);
  app.add_option("--modes", options.modes)->type_name("LIST");
  app.add_option("--membind", options.membind)->type_name("NODES");
  app.add_option("--numad-interval", options.numad_interval_s)->capture_default_str();
  app.add_option("--seed", options.seed)->capture_default_str();
  app.add_option("--output", options.output, "write the JSON to this file")->type_name("FILE");
  app.add_flag("--json", options.json, "print JSON");
}

}  // namespace homenode::cli
