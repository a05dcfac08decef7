// homenode topology: what the machine is, as text, JSON, a picture or hwloc's XML.
#include <CLI/CLI.hpp>

#include "cli/draw.h"
#include "cli/table.h"
#include "cli/topology/text.h"
#include "machine/export.h"
#include "machine/json.h"
#include "machine/load.h"

namespace homenode::cli {
namespace {

class Topology final : public Verb {
 public:
  [[nodiscard]] std::string name() const override { return "topology"; }
  void define(CLI::App& app) override;
  [[nodiscard]] std::vector<Example> examples() const override;
  int run(Context& context) override;

 private:
  Result<void> try_run(Context& context) const;
  /// Errors: bad_usage when several forms are to be printed.
  [[nodiscard]] Result<void> check_outputs() const;

  std::string input_ = "live";
  bool json_ = false;
  Output svg_;
  Output xml_;
};

void Topology::define(CLI::App& app) {
  app.add_option("--input", input_,
                 "the machine: 'live', an hwloc XML file, or 'synthetic:DESCRIPTION' such as "
                 "'synthetic:pack:2 [numa] core:2 pu:1'")
      ->type_name("MACHINE")
      ->capture_default_str();
  app.add_flag("--json", json_, "print one JSON object (schema homenode.machine/2)");
  svg_.define(app, "--svg", "print a picture, or write it to FILE");
  xml_.define(app, "--xml", "print hwloc's XML, which lstopo reads too, or write it to FILE");
  app.footer(
      "Shows the packages and their NUMA nodes, each with its memory, its CPUs and the devices "
      "near it; then the caches, what affinity and cpuset forbid this process, and the matrices "
      "between nodes: distances, latencies and bandwidths as far as they are known, each with its "
      "source. "
      "Without an option it prints a text tree. It writes a file whole or not at all. "
      "homenode-draw, "
      "of homenode's Python part, draws the picture.");
}

std::vector<Example> Topology::examples() const {
  return {{"homenode topology", "This machine, as a text tree"},
          {"homenode topology --input 'synthetic:pack:2 [numa] core:2 pu:1' --svg=machine.svg",
           "A picture of a machine that is only described"},
          {"homenode topology --machine quad-4x2 --json",
           "What a virtual machine of four nodes looks like from inside"}};
}

int Topology::run(Context& context) {
  return finish(context, name(), try_run(context));
}

Result<void> Topology::check_outputs() const {
  const int streams = (json_ ? 1 : 0) + (svg_.to_stream() ? 1 : 0) + (xml_.to_stream() ? 1 : 0);
  if (streams <= 1) return {};
  return bad_usage("only one of --json, --svg and --xml can be printed",
                   "give the others a file, as in --svg=machine.svg");
}

Result<void> Topology::try_run(Context& context) const {
  if (auto checked = check_outputs(); !checked) return checked;
  const auto machine = input_ == "live" ? machine::read_live_machine() : machine::load(input_);
  if (!machine) return machine.as_unexpected();
  if (svg_.wanted()) {
    const auto svg = draw(context, {"topology", machine::to_json(*machine)});
    if (!svg) return svg.as_unexpected();
    if (auto done = svg_.write(context, *svg); !done) return done;
  }
  if (xml_.wanted()) {
    const auto xml = machine::export_xml(input_);
    if (!xml) return xml.as_unexpected();
    if (auto done = xml_.write(context, *xml); !done) return done;
  }
  if (json_)
    context.out << machine::to_json(*machine);
  else if (!svg_.wanted() && !xml_.wanted())
    context.out << topology_text(*machine);
  return {};
}

}  // namespace

std::unique_ptr<Verb> make_topology() {
  return std::make_unique<Topology>();
}

}  // namespace homenode::cli
