// What the balancer has done so far, as counters and gauges in Prometheus' text format, for a
// collector that reads files. Serves `homenode balance --metrics`.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "balancer/loop.h"

namespace homenode::balancer {

/// Sums over outcomes, and the last of each process. A value; its text comes from to_prometheus().
class Metrics {
 public:
  /// Processes that were not seen for longer than `forget_s` are left out from then on.
  explicit Metrics(double forget_s) : forget_s_(forget_s) {}

  /// `now_s` is since 1970.
  void add(const Outcome& outcome, double now_s);

  /// Text format 0.0.4: each family with its help and type, names of processes escaped.
  [[nodiscard]] std::string to_prometheus() const;

 private:
  struct Process {
    std::string name;
    double local_share = 0;  ///< Measured; only where it was looked at closely.
    bool measured = false;
    double seen_s = 0;
  };
  double forget_s_;
  double now_s_ = 0;
  std::map<balance::Action, std::uint64_t> decisions_;
  std::map<balance::TaskKey, Process> processes_;
  MoveReceipt moved_;  ///< Sums, without the refusals.
  Restored restored_;  ///< Likewise.
  std::uint64_t bound_ = 0;
  std::uint64_t errors_ = 0;
};

}  // namespace homenode::balancer
