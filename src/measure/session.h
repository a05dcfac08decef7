// What all measurements of one run share: the clock, the threads, the memory, and what is left of
// the time.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "measure/memory.h"
#include "measure/team.h"
#include "os/clock.h"

namespace homenode::measure {

/// How far a measurement is.
struct Progress {
  std::size_t done = 0;
  std::size_t figures = 0;
  std::string what;  ///< "read latency", "copy, all CPUs", …
};
using SayProgress = std::function<void(const Progress&)>;

struct Session {
  os::Clock& clock;
  Team& team;
  const Plan& plan;
  const workloads::probe::KernelSet& kernels;
  std::map<NodeId, NodeMemory>& memory;
  SayProgress say;             ///< May be empty.
  std::uint64_t begin_ps = 0;  ///< When the measurement began, preparations included.
  std::size_t done = 0;        ///< Figures so far.
  /// The form of each kernel that a trial chose, for one CPU and for all of a node.
  std::map<std::pair<Kernel, Scope>, workloads::probe::Variant> chosen = {};

  /// The members of the team on a node's CPUs.
  [[nodiscard]] std::vector<std::size_t> members_of(NodeId node) const;
  /// The seconds of one run of the next figure. On a modelled clock: nothing, because there bytes
  /// are chosen, not time.
  std::optional<double> next_run_seconds();
  void figure_done(const std::string& what);
};

/// One member's part of a run: from its own clock.
struct Interval {
  std::uint64_t begin_ps = 0;
  std::uint64_t end_ps = 0;
  /// How much of it its CPU did other work, of `host_s` seconds on the host's clock; both 0 where
  /// the clock is modelled.
  double away_s = 0.0;
  double host_s = 0.0;
};

/// Times a member's part of a run. `slot`: the member's own.
Interval timed(os::Clock& clock, std::size_t slot, const std::function<void()>& part);

/// The share of the parts' time in which their CPUs did other work: what no repetition shows, where
/// the other work is always there.
double away_share(std::span<const Interval> intervals);

/// From the first start to the last end, in seconds. pre: not empty.
double elapsed_s(std::span<const Interval> intervals);

/// A run that took no time at all has no speed: the clock stands still.
Error clock_stands_still();

}  // namespace homenode::measure
