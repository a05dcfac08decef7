#include "cli/measure/measure.h"

#include <fmt/format.h>
#include <unistd.h>
#include <CLI/CLI.hpp>

#include <cstdlib>

#include "cli/draw.h"
#include "cli/measure/options.h"
#include "cli/measure/records.h"
#include "cli/measure/text.h"
#include "cli/table.h"
#include "machine/load.h"
#include "measure/gpus/driver.h"
#include "measure/measure.h"
#include "os/atomic_file.h"
#include "os/lab_clock.h"

namespace homenode::cli {
namespace {

constexpr std::chrono::nanoseconds redrawn_after = std::chrono::milliseconds(100);
constexpr std::chrono::nanoseconds said_after = std::chrono::seconds(5);
constexpr const char* erase_line = "\r\033[K";

/// Shading by colour where a person looks at a terminal that has not asked for none.
bool wants_colour() {
  const char* const refused = std::getenv("NO_COLOR");
  return isatty(STDOUT_FILENO) == 1 && (refused == nullptr || *refused == '\0');
}

}  // namespace

MeasureProgress::MeasureProgress(std::ostream& err, bool terminal, Now now)
    : err_(err), terminal_(terminal), now_(now), last_(now()) {}

void MeasureProgress::say(const measure::Progress& progress) {
  const auto now = now_();
  if (now - last_ < (terminal_ ? redrawn_after : said_after)) return;
  last_ = now;
  const auto line = fmt::format("measuring: {} of {} figures ({})", progress.done, progress.figures,
                                progress.what);
  if (terminal_) {
    err_ << erase_line << line << std::flush;
    drawn_ = true;
  } else {
    err_ << line << '\n' << std::flush;
  }
}

void MeasureProgress::finish() {
  if (drawn_) err_ << erase_line << std::flush;
  drawn_ = false;
}

std::chrono::nanoseconds progress_now() {
  return std::chrono::steady_clock::now().time_since_epoch();
}

bool error_stream_is_terminal() {
  return isatty(STDERR_FILENO) == 1;
}

namespace {

/// The GPUs' driver where they are wanted; null where there is none. Asked for by name they have to
/// be there. Errors: not_supported then; failed for a driver that does not start.
Result<std::unique_ptr<measure::GpuDriver>> open_gpus(const measure::Request& request,
                                                      const os::Clock& clock, bool by_name) {
  if (!request.gpus || clock.modelled()) return std::unique_ptr<measure::GpuDriver>();
  auto driver = measure::open_cuda();
  if (!driver || *driver != nullptr || !by_name) return driver;
  return not_supported(
      "there is no GPU to measure: NVIDIA's driver (libcuda.so.1) is not here, or "
      "has none",
      "leave gpus out of --only; 'homenode topology' lists the devices");
}

class Measure final : public Verb {
 public:
  [[nodiscard]] std::string name() const override { return "measure"; }
  void define(CLI::App& app) override;
  [[nodiscard]] std::vector<Example> examples() const override;
  int run(Context& context) override;

 private:
  Result<void> try_run(Context& context) const;
  Result<measure::Report> measured(Context& context) const;
  Result<void> write_files(Context& context, const measure::Report& report) const;

  MeasureOptions options_;
};

void Measure::define(CLI::App& app) {
  define_measure_options(app, options_);
  app.footer(
      "Measures, from the CPUs of every node to the memory of every node: the idle latency of "
      "reads "
      "and of writes, the bandwidth of each kernel on one CPU and on all CPUs of a node, and the "
      "latency under load; then all nodes at once, NUMA factors, and weights for weighted "
      "interleave; where NVIDIA's driver is, copies between each node's memory and each GPU and "
      "the latency of "
      "the GPU's loads; and with --only cores what a line costs that another CPU has modified. It "
      "binds "
      "the memory to its node and audits where the pages are; it needs no "
      "privilege. Inside the lab the times are modelled, and the output says so. It writes a file "
      "whole or not at all. homenode-draw, of homenode's Python part, draws the picture.");
}

std::vector<Example> Measure::examples() const {
  return {{"homenode measure --quick", "This machine in tables, in under 20 seconds"},
          {"homenode measure --output machine.xml --svg=machine.svg",
           "All of it, kept as a file for lstopo and for the lab, and as a picture"},
          {"homenode measure --machine quad-4x2 --quick --only latency,weights --json",
           "What the model of a virtual machine gives, for a program"}};
}

int Measure::run(Context& context) {
  return finish(context, name(), try_run(context));
}

Result<void> Measure::try_run(Context& context) const {
  if (options_.json && options_.csv.to_stream()) {
    return bad_usage("only one of --json and --csv can be printed",
                     "give --csv a file, as in --csv=machine.csv");
  }
  if (!options_.svg.empty()) {
    if (auto checked = check_drawing(context); !checked) return checked;
  }
  const auto report = measured(context);
  if (!report) return report.as_unexpected();
  if (auto done = write_files(context, *report); !done) return done;
  if (options_.json) context.out << measure_json(*report);
  if (options_.json || options_.csv.to_stream()) return {};
  context.out << measure_text(*report, wants_colour());
  return {};
}

Result<measure::Report> Measure::measured(Context& context) const {
  const auto machine = machine::read_live_machine();
  if (!machine) return machine.as_unexpected();
  const auto request = make_request(options_, *machine);
  if (!request) return request.as_unexpected();
  const auto clock = os::open_clock();
  if (!clock) return clock.as_unexpected();

  auto gpus = open_gpus(*request, **clock, !options_.only.empty());
  if (!gpus && !options_.only.empty()) return gpus.as_unexpected();
  measure::GpuDriver* const driver = gpus ? gpus->get() : nullptr;

  MeasureProgress progress(context.err, error_stream_is_terminal(), progress_now);
  measure::SayProgress say;
  if (!options_.no_progress) say = [&](const measure::Progress& at) { progress.say(at); };
  auto report = measure::measure_machine({context.os, **clock, say, driver}, *machine, *request);
  progress.finish();
  if (report && !gpus) report->notes.push_back("GPUs are left out: " + gpus.error().message());
  return report;
}

Result<void> Measure::write_files(Context& context, const measure::Report& report) const {
  if (options_.csv.wanted()) {
    if (auto done = options_.csv.write(context, measure_csv(report)); !done) return done;
  }
  if (!options_.output.empty()) {
    const auto xml = measure_xml(report);
    if (!xml) return xml.as_unexpected();
    if (auto done = os::write_atomically(options_.output, *xml); !done) return done;
  }
  if (options_.svg.empty()) return {};
  return draw_into(context, options_.svg, {"measure", measure_json(report)});
}

}  // namespace

std::unique_ptr<Verb> make_measure() {
  return std::make_unique<Measure>();
}

}  // namespace homenode::cli
