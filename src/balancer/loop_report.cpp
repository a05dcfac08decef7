// What came of a decision, as a line for people and as a line of the log.
#include "balancer/loop.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/words.h"

namespace homenode::balancer {
namespace {

using balance::Action;

std::string done_text(const Outcome& outcome) {
  switch (outcome.decision.action) {
    case Action::bind_threads:
      return fmt::format("bound {} threads", outcome.bound);
    case Action::move_pages:
      return fmt::format("moved {} of {} pages, bound {} threads", outcome.moved.moved,
                         outcome.moved.planned, outcome.bound);
    case Action::undo:
    case Action::hands_off:
      return restored_text(outcome.restored);
    case Action::nothing:
    case Action::look:
    case Action::verify:
      return {};
  }
  return {};
}

std::string planned_text(const balance::Decision& decision) {
  std::uint64_t pages = 0;
  for (const balance::PageMove& move : decision.pages) pages += move.pages;
  if (decision.action == Action::bind_threads) {
    return fmt::format("would bind {} threads", decision.threads.size());
  }
  if (decision.action == Action::move_pages) {
    return fmt::format("would move {} pages and bind {} threads", pages, decision.threads.size());
  }
  return {};
}

}  // namespace

std::string restored_text(const Restored& restored) {
  if (restored.threads == 0 && restored.pages == 0) return {};
  return fmt::format("put back {} threads and {} pages", restored.threads, restored.pages);
}

std::string outcome_text(const Outcome& outcome) {
  const balance::Decision& decision = outcome.decision;
  std::string text =
      fmt::format("{} ({}): {}: {}", outcome.seen.process.id, printable(outcome.seen.name),
                  to_string(decision.action), decision.reason);
  const std::string done = outcome.applied ? done_text(outcome) : planned_text(decision);
  if (!done.empty()) text += "; " + done;
  text += '\n';
  for (const Error& error : outcome.errors) text += "  " + error.message() + '\n';
  for (const Error& error : outcome.moved.refusals) text += "  " + error.message() + '\n';
  for (const Error& error : outcome.restored.refusals) text += "  " + error.message() + '\n';
  return text;
}

std::string outcome_json(const Outcome& outcome, double now_s) {
  using Json = nlohmann::ordered_json;
  Json errors = Json::array();
  for (const Error& error : outcome.errors) errors.push_back(error.message());
  for (const Error& error : outcome.moved.refusals) errors.push_back(error.message());
  for (const Error& error : outcome.restored.refusals) errors.push_back(error.message());
  double samples = 0;
  for (const balance::Region& region : outcome.seen.regions) {
    for (const auto& [thread, uses] : region.uses) samples += uses;
  }
  const Json json{{"schema", "homenode.balance.log/1"},
                  {"time_s", now_s},
                  {"name", outcome.seen.name},
                  {"cpus", outcome.seen.cpus},
                  {"source", outcome.seen.source},
                  {"samples", samples},
                  {"decision", Json::parse(to_json(outcome.decision))},
                  {"applied", outcome.applied},
                  {"threads_bound", outcome.bound},
                  {"pages_moved", outcome.moved.moved},
                  {"pages_refused", outcome.moved.refused},
                  {"threads_put_back", outcome.restored.threads},
                  {"pages_put_back", outcome.restored.pages},
                  {"errors", std::move(errors)}};
  return json.dump(-1, ' ', false, Json::error_handler_t::replace) + '\n';
}

}  // namespace homenode::balancer
