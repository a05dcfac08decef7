// What all verbs share.
#include "cli/verb.h"

namespace homenode::cli {

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
