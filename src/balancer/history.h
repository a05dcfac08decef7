// What a running balancer has decided about each process, for those who ask it. Serves control.h;
// the text that people read is made from its JSON by the client.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "balancer/loop.h"
#include "balancer/request.h"

namespace homenode::balancer {

/// Decisions of a process that are kept; equal ones in a row are one.
inline constexpr std::size_t kept_decisions = 8;

/// What the balancer that answers is.
struct Service {
  pid_t pid = 0;
  double started_s = 0;  ///< Since 1970, as all times here.
  double interval_s = 0;
  bool dry_run = false;
  double forget_s = 60;  ///< Processes that were not seen for longer are forgotten.
};

class History {
 public:
  explicit History(Service service) : service_(service) {}

  void add(const Outcome& outcome, double now_s);
  void set_interval(double interval_s) { service_.interval_s = interval_s; }

  /// "looks at 3 processes; 8 threads are bound and 1024 pages moved", for the service manager.
  [[nodiscard]] std::string summary(const Journal& journal) const;

  /// A line of JSON: schema homenode.balance.status/1 or homenode.balance.explain/1. `journal` is
  /// what is changed now. Errors: failed where nothing is known of the process.
  [[nodiscard]] Result<std::string> answer(const Request& request, const Journal& journal,
                                           double now_s) const;

 private:
  struct Entry {
    balance::Action action = balance::Action::nothing;
    std::string reason;
    bool applied = false;
    double first_s = 0;
    std::uint64_t times = 1;
    std::string record;  ///< Of the latest, schema homenode.balance.log/1.
  };
  struct Process {
    std::string name;
    double cpus = 0;
    double seen_s = 0;
    std::optional<double> local_share;  ///< As last measured by samples.
    std::deque<Entry> entries;          ///< The latest last.
  };
  [[nodiscard]] std::string status(const Journal& journal, double now_s) const;
  [[nodiscard]] Result<std::string> explain(pid_t pid, double now_s) const;

  Service service_;
  std::map<balance::TaskKey, Process> processes_;
};

// As text, from answers; history_text.cpp.

/// A line about the balancer and one for each process. Errors: failed where it is no such document.
Result<std::string> status_text(std::string_view status);

/// The decisions with how long ago they were, the latest last. Errors: likewise.
Result<std::string> explain_text(std::string_view explanation);

}  // namespace homenode::balancer
