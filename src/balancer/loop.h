// The small loop around balance/step.h: looks, decides, does it, checks it, and puts all back in
// the end. Serves the verb `balance`.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "balance/step.h"
#include "balancer/changes.h"
#include "balancer/migration_cost.h"
#include "balancer/observer.h"

namespace homenode::balancer {

struct LoopOptions {
  ObserverOptions observer;
  std::chrono::nanoseconds interval = std::chrono::seconds(5);
  bool dry_run = false;
  bool once = false;  ///< Until there is a verdict on each process; what was changed stays then.
  bool stop_kernel_balancing = false;
  /// Waits between two looks, and may serve others meanwhile; null: the pace's pause.
  std::function<void(std::chrono::nanoseconds)> wait;
};

/// One decision and what came of it.
struct Outcome {
  balance::Observation seen;
  balance::Decision decision;
  bool applied = false;  ///< False for a dry run, and where there was nothing to do.
  std::size_t bound = 0;
  MoveReceipt moved;
  Restored restored;
  std::vector<Error> errors;
};

// As text; loop_report.cpp.

/// Ends with the end of a line; a line more for each error.
std::string outcome_text(const Outcome& outcome);

/// One line, schema homenode.balance.log/1. `now_s` is since 1970.
std::string outcome_json(const Outcome& outcome, double now_s);

/// "put back 8 threads and 1024 pages"; empty where there was nothing.
std::string restored_text(const Restored& restored);

/// Gets each decision when it is done.
using Tell = std::function<void(const Outcome&)>;

class Loop {
 public:
  Loop(const sensing::SystemFiles& files, const machine::Machine& machine, const os::Pace& pace,
       Changes& changes, LoopOptions options, MigrationCosts costs);

  /// Goes on until it is stopped, or what was chosen by number has ended, or `once` is done; then
  /// puts all back unless `once`. `over` may end it too. Errors: what cannot be put back.
  Result<Restored> run(const Tell& tell, const std::function<bool()>& over);

  /// Other options from the next look on; what is known, promised and changed stays. To be called
  /// from the wait between two looks.
  void use(std::chrono::nanoseconds interval, ObserverOptions options);

 private:
  bool round(const Tell& tell);
  [[nodiscard]] bool is_settled(const Outcome& outcome) const;
  std::vector<balance::Decision> decide(std::vector<balance::Observation>& seen);
  void look_closely(std::vector<balance::Observation>& seen,
                    const std::vector<balance::Decision>& decisions, std::vector<Outcome>& all);
  void apply(Outcome& outcome);
  void bind(Outcome& outcome);
  void move(Outcome& outcome);
  void undo(Outcome& outcome);

  const machine::Machine& machine_;
  const os::Pace& pace_;
  Changes& changes_;
  LoopOptions options_;
  balance::Costs costs_;
  Observer observer_;
  balance::State state_;
};

}  // namespace homenode::balancer
