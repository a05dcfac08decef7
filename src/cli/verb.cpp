// What all verbs share.
#include "cli/verb.h"

#include <CLI/CLI.hpp>

namespace homenode::cli {

void define_lab_options(CLI::App& app, LabOptions& options) {
  app.add_option("--machine", options.machine,
                 "run inside the lab on this virtual machine (name or file)")
      ->type_name("NAME|FILE");
  app.add_option("--scale", options.scale,
                 "with --machine: divide its caches and memory by N, so that a small problem shows "
                 "what a large one would")
      ->type_name("N");
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
