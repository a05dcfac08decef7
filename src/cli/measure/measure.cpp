// homenode measure: latency and bandwidth of every pair of nodes, without root.
#include "cli/measure/measure.h"

#include <unistd.h>
#include <CLI/CLI.hpp>

#include <cstdlib>
#include <optional>

#include "cli/measure/options.h"
#include "cli/measure/progress.h"
#include "cli/measure/render.h"
#include "machine/load.h"
#include "measure/measure.h"
#include "os/atomic_file.h"
#include "os/lab_clock.h"

namespace homenode::cli {
namespace {

/// Shading by colour where a person looks at a terminal that has not asked for none.
bool wants_colour() {
  const char* const refused = std::getenv("NO_COLOR");
  return isatty(STDOUT_FILENO) == 1 && (refused == nullptr || *refused == '\0');
}

class Measure final : public Verb {
 public:
  [[nodiscard]] std::string name() const override { return "measure"; }

  void define(CLI::App& app) override {
    define_measure_options(app, options_);
    app.footer(
        "Measures, for every node that asks and every node whose memory is asked: idle latency of "
        "reads and of writes, bandwidth of each kernel by one CPU and by all of a node, and "
        "latency under load; then all nodes at once, NUMA factors, and weights for weighted "
        "interleave. Memory is placed on its node and audited; no privilege is needed. Inside the "
        "lab the times are modelled, and everything says so. Files are written whole or not at "
        "all.");
  }

  [[nodiscard]] std::vector<Example> examples() const override {
    return {{"homenode measure --quick", "This machine in tables, in under 20 seconds"},
            {"homenode measure --output machine.xml --svg=machine.svg",
             "All of it, kept as a file for lstopo and for the lab, and as a picture"},
            {"homenode measure --machine quad-4x2 --quick --only latency,weights --json",
             "What the model of a virtual machine gives, for a program"}};
  }

  int run(Context& context) override {
    const auto done = try_run(context);
    return done ? exit_done : report(context, name(), done.error());
  }

 private:
  Result<void> try_run(Context& context) {
    const auto machine = machine::read_live_machine();
    if (!machine) return machine.as_unexpected();
    const auto request = make_request(options_, *machine);
    if (!request) return request.as_unexpected();
    const auto clock = os::open_clock();
    if (!clock) return clock.as_unexpected();

    MeasureProgress progress(context.err, error_stream_is_terminal(), progress_now);
    measure::SayProgress say;
    if (!options_.no_progress) say = [&](const measure::Progress& at) { progress.say(at); };
    const auto measured = measure::measure_machine({context.os, **clock, say}, *machine, *request);
    progress.finish();
    if (!measured) return measured.as_unexpected();

    if (!options_.output.empty()) {
      const auto xml = measure_xml(*measured);
      if (!xml) return xml.as_unexpected();
      if (auto done = os::write_atomically(options_.output, *xml); !done) return done;
    }
    if (!options_.svg.empty()) {
      if (auto done = os::write_atomically(options_.svg, measure_svg(*measured)); !done)
        return done;
    }
    context.out << (options_.json ? measure_json(*measured)
                                  : measure_text(*measured, wants_colour()));
    return {};
  }

  MeasureOptions options_;
};

}  // namespace

std::unique_ptr<Verb> make_measure() {
  return std::make_unique<Measure>();
}

}  // namespace homenode::cli
