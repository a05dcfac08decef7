// What every workload of `bench` is on the command line: a verb that takes its name and its summary
// from the workload's description, and shows one report as text or as JSON.
#pragma once

#include <string>

#include "base/result.h"
#include "cli/options.h"
#include "cli/verb.h"
#include "machine/machine.h"
#include "workloads/program/description.h"

namespace homenode::cli {

class Workload : public Verb {
 public:
  explicit Workload(const workloads::Description& description)
      : name_(description.name), summary_(description.summary) {}

  [[nodiscard]] std::string name() const final { return name_; }
  [[nodiscard]] std::string summary() const final { return summary_; }
  /// The workload's own options, and --html.
  void define(CLI::App& app) final;
  /// Runs it and writes the page, where one is wanted. Prints the error, if there is one, under the
  /// workload's name.
  int run(Context& context) final;

 protected:
  /// As Verb::define().
  virtual void define_options(CLI::App& app) = 0;
  [[nodiscard]] const std::string& page() const { return html_; }
  virtual Result<void> try_run(Context& context) = 0;

 private:
  Result<void> run_with_page(Context& context);

  std::string name_;
  std::string summary_;
  std::string html_;  ///< A file for the page, or empty.
};

/// The machine as the context has it, else the one that this runs on. Errors: those of
/// machine::read_live_machine().
Result<machine::Machine> machine_of(const Context& context);

/// --output and --json, which every workload has; they are read into the two targets.
void define_output_options(CLI::App& app, std::string& file, bool& json);

/// A report in both its forms.
struct Shown {
  std::string json;
  std::string text;
};

/// Prints one of the two forms, keeps the JSON in the context for the page, and writes the JSON to
/// the file if one is named. Errors: those of write_atomically().
Result<void> show(Context& context, const Shown& report, bool json, const std::string& file);

/// What times are called, since no figure is without its provenance: "host clock"; in the lab,
/// whose emulated CPUs that clock does not know, "host clock, not the machine's".
std::string host_clock_words();

/// What a model of the lab made.
inline constexpr const char* modelled_words = "modelled";

}  // namespace homenode::cli
