// homenode topology: what the machine is, as text, JSON, a picture or hwloc's XML.
#include "cli/topology/topology.h"

#include <CLI/CLI.hpp>
#include <optional>
#include <string>

#include "cli/topology/svg.h"
#include "cli/topology/text.h"
#include "machine/export.h"
#include "machine/json.h"
#include "machine/load.h"
#include "os/atomic_file.h"

namespace homenode::cli {
namespace {

/// An output that goes to a file, or to the standard output when no file is named.
struct Output {
  CLI::Option* option = nullptr;
  std::string file;

  [[nodiscard]] bool wanted() const { return option->count() > 0; }
  [[nodiscard]] bool to_stream() const { return wanted() && (file.empty() || file == "-"); }
  [[nodiscard]] bool to_file() const { return wanted() && !to_stream(); }
};

class Topology final : public Verb {
 public:
  [[nodiscard]] std::string name() const override { return "topology"; }

  void define(CLI::App& app) override {
    app.add_option("--input", input_,
                   "the machine: 'live', an hwloc XML file, or 'synthetic:DESCRIPTION' such as "
                   "'synthetic:pack:2 [numa] core:2 pu:1'")
        ->type_name("MACHINE")
        ->capture_default_str();
    app.add_flag("--json", json_, "print one JSON object (schema homenode.machine/1)");
    svg_.option = app.add_option("--svg", svg_.file, "print a picture, or write it to FILE")
                      ->type_name("[FILE]")
                      ->expected(0, 1);
    xml_.option = app.add_option("--xml", xml_.file,
                                 "print hwloc's XML, which lstopo reads too, or write it to FILE")
                      ->type_name("[FILE]")
                      ->expected(0, 1);
    app.footer(
        "Shows packages with their NUMA nodes, each with its memory, its CPUs and the devices near "
        "it, then caches, what the cpuset of this process forbids, and the matrices between nodes: "
        "distances, latencies and bandwidths, as far as they are known and with the word for who "
        "says so. "
        "Without an option it prints a text tree; files are written whole or not at all.");
  }

  [[nodiscard]] std::vector<Example> examples() const override {
    return {{"homenode topology", "This machine, as a text tree"},
            {"homenode topology --input 'synthetic:pack:2 [numa] core:2 pu:1' --svg=machine.svg",
             "A picture of a machine that is only described"},
            {"homenode topology --machine quad-4x2 --json",
             "What a virtual machine of four nodes looks like from inside"}};
  }

  int run(Context& context) override {
    const int streams = (json_ ? 1 : 0) + (svg_.to_stream() ? 1 : 0) + (xml_.to_stream() ? 1 : 0);
    if (streams > 1) {
      return report(context, name(),
                    bad_usage("only one of --json, --svg and --xml can be printed",
                              "give the others a file, as in --svg=machine.svg")
                        .take());
    }
    const auto machine = input_ == "live" ? machine::read_live_machine() : machine::load(input_);
    if (!machine) return report(context, name(), machine.error());
    if (const auto done = write_outputs(context, *machine); !done) {
      return report(context, name(), done.error());
    }
    if (json_)
      context.out << machine::to_json(*machine);
    else if (!svg_.wanted() && !xml_.wanted())
      context.out << topology_text(*machine);
    return exit_done;
  }

 private:
  Result<void> write_outputs(Context& context, const machine::Machine& machine) const {
    if (svg_.wanted()) {
      if (auto done = write(context, svg_, topology_svg(machine)); !done) return done;
    }
    if (!xml_.wanted()) return {};
    const auto xml = machine::export_xml(input_);
    if (!xml) return xml.as_unexpected();
    return write(context, xml_, *xml);
  }

  static Result<void> write(Context& context, const Output& output, const std::string& text) {
    if (output.to_file()) return os::write_atomically(output.file, text);
    context.out << text;
    return {};
  }

  std::string input_ = "live";
  bool json_ = false;
  Output svg_;
  Output xml_;
};

}  // namespace

std::unique_ptr<Verb> make_topology() {
  return std::make_unique<Topology>();
}

}  // namespace homenode::cli
