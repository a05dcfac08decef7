#include "balancer/history.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace homenode::balancer {
namespace {

using HistoryJson = nlohmann::ordered_json;

std::string line(const HistoryJson& json) {
  return json.dump(-1, ' ', false, HistoryJson::error_handler_t::replace) + '\n';
}

/// What has to be put back.
HistoryJson changed_json(const Journal& journal) {
  std::uint64_t pages = 0;
  for (const PageChange& change : journal.pages) pages += change.pages;
  return {{"threads", journal.threads.size()},
          {"pages", pages},
          {"kernel_balancing", journal.kernel_balancing.has_value()}};
}

}  // namespace

void History::add(const Outcome& outcome, double now_s) {
  Process& process = processes_[outcome.seen.process];
  process.name = outcome.seen.name;
  process.cpus = outcome.seen.cpus;
  process.seen_s = now_s;
  if (!outcome.seen.regions.empty()) process.local_share = outcome.decision.local_before;
  const balance::Decision& decision = outcome.decision;
  Entry entry{
      decision.action, decision.reason, outcome.applied, now_s, 1, outcome_json(outcome, now_s)};
  auto& entries = process.entries;
  if (!entries.empty() && !entry.applied && !entries.back().applied &&
      entries.back().action == entry.action && entries.back().reason == entry.reason) {
    entry.first_s = entries.back().first_s;
    entry.times = entries.back().times + 1;
    entries.pop_back();
  }
  entries.push_back(std::move(entry));
  if (entries.size() > kept_decisions) entries.pop_front();
  std::erase_if(processes_,
                [&](const auto& known) { return known.second.seen_s < now_s - service_.forget_s; });
}

Result<std::string> History::answer(const Request& request, const Journal& journal,
                                    double now_s) const {
  if (request.kind == Request::Kind::explain) return explain(request.pid, now_s);
  return status(journal, now_s);
}

std::string History::summary(const Journal& journal) const {
  std::uint64_t pages = 0;
  for (const PageChange& change : journal.pages) pages += change.pages;
  return fmt::format("looks at {} processes; {} threads are bound and {} pages moved",
                     processes_.size(), journal.threads.size(), pages);
}

std::string History::status(const Journal& journal, double now_s) const {
  HistoryJson processes = HistoryJson::array();
  for (const auto& [key, process] : processes_) {
    const Entry& latest = process.entries.back();
    processes.push_back(
        {{"pid", key.id},
         {"name", process.name},
         {"seen_s", process.seen_s},
         {"cpus", process.cpus},
         {"local_share", process.local_share ? HistoryJson(*process.local_share) : HistoryJson()},
         {"action", to_string(latest.action)},
         {"reason", latest.reason},
         {"applied", latest.applied}});
  }
  return line({{"schema", "homenode.balance.status/1"},
               {"time_s", now_s},
               {"pid", service_.pid},
               {"started_s", service_.started_s},
               {"interval_s", service_.interval_s},
               {"dry_run", service_.dry_run},
               {"changed", changed_json(journal)},
               {"processes", std::move(processes)}});
}

Result<std::string> History::explain(pid_t pid, double now_s) const {
  // A number that was used again: the latest start.
  const auto after =
      std::ranges::find_if(processes_, [&](const auto& known) { return known.first.id > pid; });
  if (after == processes_.begin() || std::prev(after)->first.id != pid) {
    return failed(fmt::format("the balancer knows nothing of process {}", pid),
                  "'homenode balance status' lists the processes that it looks at");
  }
  const Process& process = std::prev(after)->second;
  HistoryJson decisions = HistoryJson::array();
  for (const Entry& entry : process.entries) {
    decisions.push_back({{"first_s", entry.first_s},
                         {"times", entry.times},
                         {"latest", HistoryJson::parse(entry.record)}});
  }
  return line({{"schema", "homenode.balance.explain/1"},
               {"time_s", now_s},
               {"pid", pid},
               {"name", process.name},
               {"decisions", std::move(decisions)}});
}

}  // namespace homenode::balancer
