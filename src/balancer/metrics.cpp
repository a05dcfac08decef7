#include "balancer/metrics.h"

#include <fmt/format.h>

namespace homenode::balancer {
namespace {

/// A value of a label: backslash, quote and end of line are escaped, other control characters and
/// bytes beyond ASCII, which might be no UTF-8, become question marks.
std::string label(const std::string& text) {
  std::string escaped;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '\\' || c == '"') {
      escaped += '\\';
      escaped += c;
    } else if (c == '\n') {
      escaped += "\\n";
    } else {
      escaped += byte < 0x20 || byte >= 0x7f ? '?' : c;
    }
  }
  return escaped;
}

std::string family(const char* name, const char* type, const char* help) {
  return fmt::format("# HELP homenode_balance_{0} {2}\n# TYPE homenode_balance_{0} {1}\n", name,
                     type, help);
}

std::string counter(const char* name, const char* help, std::uint64_t value) {
  return family(name, "counter", help) + fmt::format("homenode_balance_{} {}\n", name, value);
}

}  // namespace

void Metrics::add(const Outcome& outcome, double now_s) {
  now_s_ = now_s;
  ++decisions_[outcome.decision.action];
  bound_ += outcome.bound;
  moved_.moved += outcome.moved.moved;
  moved_.refused += outcome.moved.refused;
  restored_.threads += outcome.restored.threads;
  restored_.pages += outcome.restored.pages;
  errors_ += outcome.errors.size();
  Process& process = processes_[outcome.seen.process];
  process.name = outcome.seen.name;
  process.seen_s = now_s;
  if (!outcome.seen.regions.empty()) {
    process.local_share = outcome.decision.local_before;
    process.measured = true;
  }
  std::erase_if(processes_, [&](const auto& entry) {
    return entry.second.seen_s < now_s - forget_s_ || entry.second.seen_s > now_s;
  });
}

std::string Metrics::to_prometheus() const {
  std::string text = family("decisions_total", "counter", "Decisions by what was to be done.");
  for (const auto& [action, count] : decisions_) {
    text += fmt::format("homenode_balance_decisions_total{{action=\"{}\"}} {}\n",
                        label(to_string(action)), count);
  }
  text += counter("threads_bound_total", "Threads bound to other CPUs.", bound_);
  text += counter("pages_moved_total", "Pages found on their target.", moved_.moved);
  text += counter("pages_refused_total", "Pages that the kernel left.", moved_.refused);
  text += counter("threads_put_back_total", "Threads given their CPUs back by an undo.",
                  restored_.threads);
  text += counter("pages_put_back_total", "Pages moved back by an undo.", restored_.pages);
  text += counter("errors_total", "Calls that failed.", errors_);
  text += family("processes", "gauge", "Processes that are looked at.");
  text += fmt::format("homenode_balance_processes {}\n", processes_.size());
  text += family("local_share", "gauge", "Measured share of local uses, before the decision.");
  for (const auto& [key, process] : processes_) {
    if (!process.measured) continue;
    text += fmt::format("homenode_balance_local_share{{pid=\"{}\",name=\"{}\"}} {}\n", key.id,
                        label(process.name), process.local_share);
  }
  text += family("last_decision_seconds", "gauge", "When the last decision was, since 1970.");
  return text + fmt::format("homenode_balance_last_decision_seconds {:.3f}\n", now_s_);
}

}  // namespace homenode::balancer
