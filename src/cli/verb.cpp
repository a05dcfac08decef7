// What all verbs share.
#include "cli/verb.h"

#include <CLI/CLI.hpp>
#include <string_view>

namespace homenode::cli {
namespace {

struct Row {
  std::string_view name;
  std::string_view language;
  const char* summary;
};

constexpr Row table[] = {
#include "verbs.inc"
};

}  // namespace

std::string Verb::summary() const {
  for (const Row& row : table) {
    if (row.name == name()) return row.summary;
  }
  return {};
}

std::vector<ExternalVerb> external_verbs() {
  std::vector<ExternalVerb> verbs;
  for (const Row& row : table) {
    if (row.language == "Python") verbs.push_back({std::string(row.name), row.summary});
  }
  return verbs;
}

std::vector<std::string> verb_names() {
  std::vector<std::string> names;
  for (const Row& row : table) names.emplace_back(row.name);
  return names;
}

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

int finish(Context& context, const std::string& verb, const Result<void>& done) {
  return done ? exit_done : report(context, verb, done.error());
}

}  // namespace homenode::cli
