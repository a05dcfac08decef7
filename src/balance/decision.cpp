#include "balance/decision.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include <array>
#include <utility>

#include "base/json_numbers.h"

namespace homenode::balance {
namespace {

using DecisionJson = nlohmann::ordered_json;

DecisionJson threads_json(const Decision& decision) {
  DecisionJson threads = DecisionJson::array();
  for (const ThreadMove& move : decision.threads) {
    threads.push_back(
        {{"id", move.thread.id}, {"node", move.node.value()}, {"cpus", numbers(move.cpus)}});
  }
  return threads;
}

DecisionJson pages_json(const Decision& decision) {
  std::map<NodeId, std::uint64_t> pages;
  for (const PageMove& move : decision.pages) {
    for (const auto& [node, count] : pages_in_turn(move.home, move.pages)) pages[node] += count;
  }
  return by_node(pages);
}

}  // namespace

std::string to_string(Action action) {
  constexpr std::array names{"nothing", "look", "bind threads", "move pages",
                             "verify",  "undo", "hands off"};
  return names.at(static_cast<std::size_t>(action));
}

NodeId node_of(const Home& home, std::uint64_t address, Bytes page_size) {
  return home[address / page_size.value % home.size()];
}

std::map<NodeId, std::uint64_t> pages_in_turn(const Home& home, std::uint64_t pages) {
  std::map<NodeId, std::uint64_t> by_node;
  for (std::size_t i = 0; i < home.size(); ++i) {
    by_node[home[i]] += pages / home.size() + (i < pages % home.size() ? 1 : 0);
  }
  return by_node;
}

Decision nothing(const Observation& seen, std::string reason) {
  Decision decision;
  decision.process = seen.process;
  decision.reason = std::move(reason);
  return decision;
}

std::string in_percent(double share) {
  constexpr double percent = 100;
  return fmt::format("{:.1f} %", percent * share);
}

std::string to_json(const Decision& decision) {
  const DecisionJson json{{"pid", decision.process.id},
                          {"action", to_string(decision.action)},
                          {"reason", decision.reason},
                          {"local_share", decision.local_before},
                          {"predicted_local_share", decision.local_predicted},
                          {"predicted_benefit_s", decision.benefit_s},
                          {"predicted_cost_s", decision.cost_s},
                          {"threads", threads_json(decision)},
                          {"pages_to_node", pages_json(decision)}};
  return json.dump(-1, ' ', false, DecisionJson::error_handler_t::replace);
}

}  // namespace homenode::balance
