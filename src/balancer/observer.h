// Looks at live processes: cheaply at all that are chosen, and closely at those that the step asks
// for. Gives the observations of balance/.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "balance/advise.h"
#include "balance/limits.h"
#include "balance/observation.h"
#include "balancer/burst.h"
#include "balancer/process_facts.h"

namespace homenode::balancer {

/// Processes by whose they are and what they run: those that any of it names.
struct Whose {
  std::set<unsigned> users;
  std::vector<std::string> cgroups;  ///< And those below them.
  std::set<std::string> programs;
  [[nodiscard]] bool empty() const { return users.empty() && cgroups.empty() && programs.empty(); }
  [[nodiscard]] bool names(const ProcessFacts& process) const;
};

/// Which processes are looked at: those that any of it names.
struct Selection {
  std::set<pid_t> pids;
  std::set<unsigned> users;
  std::vector<std::string> cgroups;  ///< And those below them.
  bool all = false;
};

struct ObserverOptions {
  Selection selection;
  Whose only;   ///< Where it is not empty, all others are left alone.
  Whose never;  ///< Left alone.
  balance::Limits limits;
  std::string scratch;            ///< A file for samples.
  std::string source = "auto";    ///< Of samples: its name, or the best that works.
  InnerSamples* inner = nullptr;  ///< Of the program that was started; null: from outside.
  std::chrono::nanoseconds burst = std::chrono::milliseconds(500);
  double overhead = 0.1;  ///< Of sampling, as long as a burst lasts.
};

using balance::Observation;

class Observer {
 public:
  Observer(const sensing::SystemFiles& files, const machine::Machine& machine, const os::Pace& pace,
           ObserverOptions options)
      : files_(files), machine_(machine), pace_(pace), options_(std::move(options)) {}

  /// One observation of each chosen process that was there the time before too; what uses too
  /// little processor time comes without the rest.
  std::vector<balance::Observation> look(const Changes& changes);
  /// Adds which thread uses which memory, and where that is. Errors: those of the source; the
  /// process has ended.
  Result<void> look_closely(balance::Observation& seen);
  /// Whether a process that samples itself has sampled too little to be judged after a close look:
  /// the next one will have that too. All else is judged, and what was seen is past then.
  bool waits_for_samples(const balance::Observation& seen);
  /// What a process has sampled of itself until now is past: its memory or threads have changed
  /// places, or nobody looks at it closely.
  void forget_samples(pid_t pid);
  /// Looks by other options from now on; what is known of processes stays.
  void use(ObserverOptions options) { options_ = std::move(options); }
  /// A process that was chosen by its number still runs, or others are chosen.
  [[nodiscard]] bool anything_left() const;

 private:
  struct Before {
    std::uint64_t ticks = 0;
    std::map<pid_t, std::uint64_t> threads;
  };
  [[nodiscard]] std::vector<pid_t> candidates() const;
  [[nodiscard]] bool is_chosen(const ProcessFacts& process) const;
  balance::Observation observe(const Changes& changes, ProcessFacts process, double window_s);
  void add_threads(balance::Observation& seen, const ProcessFacts& process, Before& before) const;
  void add_pages(balance::Observation& seen) const;

  sensing::SystemFiles files_;
  const machine::Machine& machine_;
  const os::Pace& pace_;
  ObserverOptions options_;
  std::map<balance::TaskKey, Before> before_;
  std::optional<std::chrono::nanoseconds> looked_;
};

/// Which nodes a program that is about to start should get: looks for half a second which CPUs are
/// idle. Errors: failed when /proc/stat cannot be read.
Result<balance::Advice> advise_now(os::Os& os, const machine::Machine& machine,
                                   const balance::Demand& demand, const os::Pace& pace);

}  // namespace homenode::balancer
