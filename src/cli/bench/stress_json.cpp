#include <map>
#include <nlohmann/json.hpp>

#include "cli/bench/clock.h"
#include "cli/bench/stress_render.h"
#include "cli/json_numbers.h"

namespace homenode::cli {
namespace {

namespace stress = workloads::stress;
using StressJson = nlohmann::ordered_json;

template <class Value>
StressJson number_or_null(const std::optional<Value>& value) {
  return value ? StressJson(*value) : StressJson(nullptr);
}

StressJson stress_options_json(const trial::StressPlan& plan) {
  const trial::StressOptions& options = plan.options;
  StressJson targets = StressJson::object();
  StressJson threads = StressJson::object();
  for (std::size_t i = 0; i < plan.nodes.size(); ++i) {
    const std::string node = std::to_string(plan.nodes[i].value());
    targets[node] = plan.nodes[plan.team.targets[i]].value();
    threads[node] = plan.team.threads_on_node[i];
  }
  return {{"pattern", trial::to_string(options.pattern)},
          {"map", targets},
          {"threads_on_node", threads},
          {"block_bytes", plan.block_bytes},
          {"page_bytes", plan.page_bytes},
          {"op", options.writes ? "write" : "read"},
          {"stride", options.stride_bytes},
          {"first_touch", trial::to_string(options.first_touch)},
          {"pages", trial::to_string(options.pages)},
          {"cycles", number_or_null(options.cycles)},
          {"seconds", options.seconds},
          {"hold_s", number_or_null(options.hold_s)},
          {"interval_s", options.interval_s},
          {"seed", options.seed}};
}

/// How many of the sampled pages are on each node.
StressJson on_nodes(const stress::Sample& sample) {
  std::map<unsigned, std::size_t> pages;
  std::size_t unknown = 0;
  for (const auto& node : sample.node_of_page) {
    if (node) {
      pages[node->value()] += 1;
    } else {
      unknown += 1;
    }
  }
  StressJson counts = StressJson::object();
  for (const auto& [node, count] : pages) counts[std::to_string(node)] = count;
  if (unknown > 0) counts["unknown"] = unknown;
  return counts;
}

StressJson samples_json(const trial::StressReport& report) {
  StressJson samples = StressJson::array();
  for (std::size_t i = 0; i < report.samples.size(); ++i) {
    const stress::Sample& sample = report.samples[i];
    samples.push_back({{"seconds", sample.seconds},
                       {"local_share", report.local_shares[i]},
                       {"pages_on_node", on_nodes(sample)},
                       {"node_of_thread", numbers(sample.node_of_thread)}});
  }
  return samples;
}

}  // namespace

std::string stress_json(const trial::StressReport& report) {
  const stress::MoveCounts& moves = report.moves;
  const StressJson json{
      {"schema", "homenode.bench.stress/1"},
      {"options", stress_options_json(report.plan)},
      {"surroundings",
       {{"kernel_balancing", number_or_null(report.surroundings.kernel_balancing)},
        {"numad", report.surroundings.numad}}},
      {"seconds", {{"wall", report.seconds}, {"clock", host_clock_words()}}},
      {"released_s", number_or_null(report.released_s)},
      {"cycles", report.cycles},
      {"verified", true},
      {"pages", report.plan.bytes() / report.plan.page_bytes},
      {"sampled_pages", report.sampled_pages.size()},
      {"moves",
       {{"pages_moved", moves.pages_moved},
        {"moves", moves.moves()},
        {"nearer", moves.nearer},
        {"same", moves.same},
        {"farther", moves.farther},
        {"useless", moves.useless()}}},
      {"system_moves",
       {{"numa_pages_migrated", number_or_null(report.system_moves.balancing)},
        {"pgmigrate_success", number_or_null(report.system_moves.migrated)}}},
      {"samples", samples_json(report)}};
  return json.dump() + '\n';
}

std::string modes_json(const std::vector<trial::ModeReport>& reports) {
  nlohmann::ordered_json modes = nlohmann::ordered_json::array();
  for (const trial::ModeReport& each : reports) {
    modes.push_back({{"mode", trial::to_string(each.mode)},
                     {"report", nlohmann::ordered_json::parse(stress_json(each.report))}});
  }
  const nlohmann::ordered_json json{{"schema", "homenode.bench.stress.modes/1"}, {"modes", modes}};
  return json.dump() + '\n';
}

}  // namespace homenode::cli
