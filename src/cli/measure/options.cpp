#include "cli/measure/options.h"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <map>
#include <string_view>

#include "base/sizes.h"
#include "cli/options.h"
#include "placement/policies/list_syntax.h"

namespace homenode::cli {
namespace {

constexpr unsigned most_runs = 1000;

std::string kernel_names() {
  std::string names;
  for (const auto& entry : workloads::probe::kernels()) {
    names += (names.empty() ? "" : ", ") + std::string(entry.name);
  }
  return names;
}

std::string isa_names() {
  std::string names;
  for (const auto& set : workloads::probe::kernel_sets()) {
    names += (names.empty() ? "" : ", ") + std::string(set.name);
  }
  return names;
}

Result<void> choose_parts(const std::vector<std::string>& only, measure::Request& request) {
  if (only.empty()) return {};
  request.latency = request.bandwidth = request.loaded = request.weights = request.gpus = false;
  const std::map<std::string_view, bool*> parts{
      {"latency", &request.latency}, {"bandwidth", &request.bandwidth}, {"loaded", &request.loaded},
      {"weights", &request.weights}, {"gpus", &request.gpus},           {"cores", &request.cores}};
  for (const std::string& name : only) {
    const auto part = parts.find(name);
    if (part == parts.end()) {
      return bad_usage(fmt::format("--only: there is no part '{}'", name),
                       "choose among latency, bandwidth, loaded, weights, gpus and cores");
    }
    *part->second = true;
  }
  return {};
}

Result<void> choose_kernels(const std::vector<std::string>& names, measure::Request& request) {
  for (const std::string& name : names) {
    const auto kernel = workloads::probe::find_kernel(name);
    if (!kernel) {
      return bad_usage(fmt::format("there is no kernel '{}'", name),
                       "choose among " + kernel_names());
    }
    const auto known = std::find(request.kernels.begin(), request.kernels.end(), *kernel);
    if (known == request.kernels.end()) request.kernels.push_back(*kernel);
  }
  return {};
}

}  // namespace

void define_measure_options(CLI::App& app, MeasureOptions& options) {
  app.add_flag("--quick", options.quick,
               "fewer kernels and runs: under 20 s for 8 nodes instead of under 60 s");
  app.add_option(
         "--only", options.only,
         "measure only these: latency, bandwidth, loaded (latency under load), weights, gpus "
         "(between each node's memory and each GPU that NVIDIA's driver has); and cores (core to "
         "core: lines that another CPU's cache has modified), which is "
         "measured only where it is named")
      ->type_name("WHAT")
      ->delimiter(',');
  app.add_option("--from", options.from,
                 "measure from the CPUs of these nodes: a list, as numactl -N takes it")
      ->type_name("NODES");
  app.add_option("--to", options.to,
                 "measure to the memory of these nodes: a list, as numactl -m takes it")
      ->type_name("NODES");
  app.add_option("--kernel", options.kernels, "measure only these kernels: " + kernel_names())
      ->type_name("KERNEL")
      ->delimiter(',');
  app.add_option("--runs", options.runs, "runs of each figure (3 with --quick, else 5)")
      ->type_name("N")
      ->check(CLI::Range(1U, most_runs));
  app.add_option("--size", options.size,
                 "bytes of each of a node's two arrays (default: four times its last-level "
                 "caches, at most a quarter of its free memory)")
      ->type_name("SIZE");
  app.add_option("--isa", options.isa,
                 "use only kernels for this instruction set: " + isa_names() +
                     " (default: of all that the CPU has, the fastest of a short trial)")
      ->type_name("ISA");
  app.add_flag("--json", options.json, "print one JSON object (schema homenode.measure/2)");
  options.csv.define(app, "--csv",
                     "print comma-separated values, a line for each figure, or write them to FILE");
  app.add_option("--output", options.output,
                 "write the machine as hwloc's XML with what was measured as memory attributes; "
                 "'lstopo -i FILE --memattrs' shows them")
      ->type_name("FILE");
  app.add_option("--svg", options.svg, "write the heat maps as an SVG picture")->type_name("FILE");
  app.add_flag("--no-progress", options.no_progress, "do not report progress");
}

Result<measure::Request> make_request(const MeasureOptions& options,
                                      const machine::Machine& machine) {
  measure::Request request;
  request.quick = options.quick;
  if (auto done = choose_parts(options.only, request); !done) return done.as_unexpected();
  if (auto done = choose_kernels(options.kernels, request); !done) return done.as_unexpected();
  if (!options.from.empty()) {
    auto nodes = placement::parse_cpu_nodes(machine, options.from);
    if (!nodes) return nodes.as_unexpected();
    request.from = *std::move(nodes);
  }
  if (!options.to.empty()) {
    auto nodes = placement::parse_nodes(machine, options.to);
    if (!nodes) return nodes.as_unexpected();
    request.to = *std::move(nodes);
  }
  if (!options.size.empty()) {
    const auto size = parse_size(options.size);
    if (!size) return size.as_unexpected();
    if (size->value == 0)
      return bad_usage("--size must be at least 1 byte", "give a size such as 256M");
    request.size = *size;
  }
  if (options.runs > 0) request.runs = options.runs;
  request.isa = options.isa;
  return request;
}

}  // namespace homenode::cli
