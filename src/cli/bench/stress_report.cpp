#include "cli/bench/stress_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>

#include "base/json_numbers.h"
#include "cli/bench/workload.h"

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
  return {{"mode", homenode::name_of(trial::stress_modes, options.mode)},
          {"pattern", trial::to_string(options.pattern)},
          {"map", targets},
          {"threads_on_node", threads},
          {"block_bytes", plan.block_bytes},
          {"page_bytes", plan.page_bytes},
          {"op", options.writes ? "write" : "read"},
          {"stride_bytes", options.stride_bytes},
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
  std::map<NodeId, std::size_t> pages;
  for (const auto& node : sample.node_of_page) {
    if (node) pages[*node] += 1;
  }
  return by_node(pages);
}

StressJson samples_json(const trial::StressReport& report) {
  StressJson samples = StressJson::array();
  for (std::size_t i = 0; i < report.samples.size(); ++i) {
    const stress::Sample& sample = report.samples[i];
    samples.push_back({{"seconds", sample.seconds},
                       {"local_share", report.local_shares[i]},
                       {"pages_on_node", on_nodes(sample)},
                       {"unknown_pages", std::count(sample.node_of_page.begin(),
                                                    sample.node_of_page.end(), std::nullopt)},
                       {"node_of_thread", numbers(sample.node_of_thread)}});
  }
  return samples;
}

std::string surroundings_text(const trial::Surroundings& surroundings) {
  const auto balancing = surroundings.kernel_balancing;
  return fmt::format("kernel balancing {}, numad {}\n\n",
                     !balancing       ? "unavailable"
                     : *balancing > 0 ? "on"
                                      : "off",
                     surroundings.numad ? "running" : "not running");
}

std::string share_text(std::size_t part, std::size_t whole) {
  if (whole == 0) return "0";
  return fmt::format("{} ({:.1f} %)", part,
                     100.0 * static_cast<double>(part) / static_cast<double>(whole));
}

std::string added_text(const std::optional<std::uint64_t>& count) {
  return count ? std::to_string(*count) : "not counted";
}

std::string range_of(const std::vector<std::uint64_t>& counts) {
  const auto [least, most] = std::ranges::minmax(counts);
  return least == most ? std::to_string(least) : fmt::format("{} to {}", least, most);
}

}  // namespace

std::string stress_json(const trial::StressReport& report) {
  const stress::MoveCounts& moves = report.moves;
  const StressJson json{
      {"schema", "homenode.bench.stress/2"},
      {"options", stress_options_json(report.plan)},
      {"surroundings",
       {{"kernel_balancing", number_or_null(report.surroundings.kernel_balancing)},
        {"numad", report.surroundings.numad}}},
      {"seconds",
       {{"wall", report.seconds},
        {"clock", host_clock_words()},
        {"modelled_s", number_or_null(report.modelled_s)}}},
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

std::string modes_json(const std::vector<trial::StressReport>& reports) {
  nlohmann::ordered_json modes = nlohmann::ordered_json::array();
  for (const trial::StressReport& report : reports) {
    modes.push_back({{"mode", homenode::name_of(trial::stress_modes, report.plan.options.mode)},
                     {"report", nlohmann::ordered_json::parse(stress_json(report))}});
  }
  const nlohmann::ordered_json json{{"schema", "homenode.bench.stress.modes/2"}, {"modes", modes}};
  return json.dump() + '\n';
}

std::string stress_headline(const trial::StressPlan& plan) {
  std::string map;
  for (std::size_t i = 0; i < plan.nodes.size(); ++i) {
    map += fmt::format(" {}:{}", plan.nodes[i].value(), plan.nodes[plan.team.targets[i]].value());
  }
  return fmt::format(
      "Daemon stress: pattern {}, {}; node:target{}\n"
      "{} threads and blocks of {} KiB on {} nodes; first touch: {}\n",
      trial::to_string(plan.options.pattern), plan.options.writes ? "write" : "read", map,
      plan.team.threads(), plan.block_bytes >> 10U, plan.nodes.size(),
      trial::to_string(plan.options.first_touch));
}

std::string stress_text(const trial::StressReport& report) {
  const auto& moves = report.moves;
  const auto [fewest, most] = std::minmax_element(report.cycles.begin(), report.cycles.end());
  const auto& shares = report.local_shares;
  const double mean =
      std::accumulate(shares.begin(), shares.end(), 0.0) / static_cast<double>(shares.size());
  std::string text = stress_headline(report.plan) + surroundings_text(report.surroundings);
  text += fmt::format("cycles of a thread   {} to {}, contents verified\n", *fewest, *most);
  text += fmt::format(
      "local share          {:.1f} % at the start, {:.1f} % at the end, mean "
      "{:.1f} %\n",
      100.0 * shares.front(), 100.0 * shares.back(), 100.0 * mean);
  text += fmt::format("pages sampled        {} of {}, {} times\n", report.sampled_pages.size(),
                      report.plan.bytes() / report.plan.page_bytes, report.samples.size());
  text += fmt::format("of these moved       {}\n",
                      share_text(moves.pages_moved, report.sampled_pages.size()));
  text += fmt::format(
      "moves seen           {}: {} brought a page nearer to its threads, {} made no difference, "
      "{} farther\n",
      moves.moves(), moves.nearer, moves.same, moves.farther);
  text += fmt::format("useless moves        {}\n", share_text(moves.useless(), moves.moves()));
  text += fmt::format("pages moved, system  {} by the kernel's balancing, {} in all\n",
                      added_text(report.system_moves.balancing),
                      added_text(report.system_moves.migrated));
  if (!report.released_s) text += "The perturbing process did not release the threads.\n";
  if (report.modelled_s) {
    text += fmt::format("time                 {:.6f} s ({})\n", *report.modelled_s, modelled_words);
  }
  return text +
         fmt::format("time                 {:.3f} s ({})\n", report.seconds, host_clock_words());
}

std::string modes_text(const std::vector<trial::StressReport>& reports) {
  std::string text = stress_headline(reports.front().plan);
  text += fmt::format("\n{:<8} {:>14} {:>14} {:>16} {:>20}  {}\n", "mode", "pages moved",
                      "useless moves", "moved, system", "local % start, end", "cycles");
  for (const trial::StressReport& report : reports) {
    const auto& moves = report.moves;
    const auto& migrated = report.system_moves.migrated;
    text += fmt::format("{:<8} {:>14} {:>14} {:>16} {:>20}  {}\n",
                        homenode::name_of(trial::stress_modes, report.plan.options.mode),
                        fmt::format("{} of {}", moves.pages_moved, report.sampled_pages.size()),
                        fmt::format("{} of {}", moves.useless(), moves.moves()),
                        migrated ? std::to_string(*migrated) : "not counted",
                        fmt::format("{:.1f}, {:.1f}", 100.0 * report.local_shares.front(),
                                    100.0 * report.local_shares.back()),
                        range_of(report.cycles));
  }
  return text + "Contents verified in each mode.\n";
}

}  // namespace homenode::cli
