// One step of the balancer: from what it remembers and what a window saw to what is to be done and
// why. Pure: no clock, no system call; the loop (balancer/loop.h) does what it decides.
#pragma once

#include <string>
#include <vector>

#include "balance/decision.h"
#include "balance/limits.h"
#include "balance/observation.h"
#include "balance/state.h"
#include "machine/machine.h"

namespace homenode::balance {

/// What moving costs here.
struct Costs {
  double call_s = 1e-3;  ///< Of a batch of pages.
  double page_s = 2e-5;
  double pages_of_a_call = 512;
  double remote_penalty_s = 60e-9;  ///< What a remote use waits longer than a local one.
};

struct Step {
  State state;
  std::vector<Decision> decisions;  ///< One for each observation, in their order.
};

/// Why a process is not looked at; empty where it is.
std::string gate(const Observation& seen, const machine::Machine& machine, const Limits& limits);

/// Whether a close look has so many samples that it can be judged by.
bool has_enough_samples(const Observation& seen, const Limits& limits);

/// Why nothing follows from a close look with so few samples, the `windows`th in a row. One is
/// chance; from the second on it says what the source does not see, and what sees more.
std::string too_few_samples(const Observation& seen, double samples, int windows);

/// `now_s` is of any clock that never goes back; one that does makes no plan fail.
Step step(State state, double now_s, const std::vector<Observation>& seen,
          const machine::Machine& machine, const Costs& costs, const Limits& limits);

}  // namespace homenode::balance
