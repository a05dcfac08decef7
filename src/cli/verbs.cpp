// The table of built-in verbs.
#include "cli/cmd_bench.h"
#include "cli/cmd_measure.h"
#include "cli/cmd_run.h"
#include "cli/cmd_topology.h"
#include "cli/verb.h"

namespace homenode::cli {

std::vector<std::unique_ptr<Verb>> built_in_verbs() {
  std::vector<std::unique_ptr<Verb>> verbs;
  verbs.push_back(make_topology());
  verbs.push_back(make_measure());
  verbs.push_back(make_bench());
  verbs.push_back(make_run());
  return verbs;
}

std::vector<ExternalVerb> external_verbs() {
  return {{"lab", "run a command in a virtual NUMA machine, on any host"},
          {"study", "run a declared experiment, resume it where it stopped"},
          {"report", "turn a study's records into one self-contained HTML page"}};
}

void define_machine_option(CLI::App& app, std::string& machine) {
  app.add_option("--machine", machine, "run inside the lab on this virtual machine (name or file)")
      ->type_name("NAME|FILE");
}

int report(Context& context, const std::string& verb, const Error& error) {
  context.err << "homenode " << verb << ": " << error.message() << '\n';
  switch (error.code) {
    case ErrorCode::bad_usage:
      return exit_usage;
    case ErrorCode::not_supported:
      return exit_not_supported;
    case ErrorCode::failed:
      break;
  }
  return exit_failed;
}

}  // namespace homenode::cli
