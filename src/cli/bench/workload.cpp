#include "cli/bench/workload.h"

#include <CLI/CLI.hpp>

#include <cstdlib>

#include "machine/load.h"
#include "os/atomic_file.h"
#include "os/lab_clock.h"

namespace homenode::cli {

int Workload::run(Context& context) {
  const auto done = try_run(context);
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
  if (file.empty()) return {};
  return os::write_atomically(file, report.json);
}

std::string host_clock_words() {
  const char* const lab = std::getenv(os::lab_variable);
  return lab != nullptr && *lab != '\0' ? "host clock, not the machine's" : "host clock";
}

}  // namespace homenode::cli
