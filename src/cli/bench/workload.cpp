#include "cli/bench/workload.h"

#include <CLI/CLI.hpp>

#include <algorithm>

#include "cli/draw.h"
#include "machine/load.h"
#include "os/atomic_file.h"
#include "os/lab_clock.h"

namespace homenode::cli {

void Workload::define(CLI::App& app) {
  define_options(app);
  app.add_option("--html", html_, "write a page of the run to look at in a browser")
      ->type_name("FILE");
}

Result<void> Workload::run_with_page(Context& context) {
  if (html_.empty()) return try_run(context);
  if (auto checked = check_drawing(context); !checked) return checked;
  if (auto checked = os::check_output_folder(html_, "--html"); !checked) return checked;
  const auto done = try_run(context);
  if (context.report.empty()) {
    return done ? bad_usage("what was asked for has no report, of which --html makes a page",
                            "leave out --html")
                : done;
  }
  if (std::count(context.report.begin(), context.report.end(), '\n') > 1) {
    return bad_usage("--html shows one report, and here are several", "run them one by one");
  }
  // What a run says of itself holds, be it that its result is wrong.
  const auto drawn = draw_into(context, html_, {"bench", context.report, "html"});
  return drawn ? done : drawn;
}

int Workload::run(Context& context) {
  const auto done = run_with_page(context);
  return done ? exit_done : report(context, "bench " + name_, done.error());
}

Result<machine::Machine> machine_of(const Context& context) {
  return context.full_machine != nullptr ? context.full_machine() : machine::read_live_machine();
}

void define_output_options(CLI::App& app, std::string& file, bool& json) {
  app.add_option("--output", file, "write the JSON to this file")->type_name("FILE");
  app.add_flag("--json", json, "print JSON");
}

Result<void> show(Context& context, const Shown& report, bool json, const std::string& file) {
  context.out << (json ? report.json : report.text);
  context.report += report.json;
  if (file.empty()) return {};
  return os::write_atomically(file, report.json);
}

std::string host_clock_words() {
  return os::in_lab() ? "host clock, not the machine's" : "host clock";
}

}  // namespace homenode::cli
