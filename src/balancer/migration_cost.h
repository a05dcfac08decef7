// What moving pages costs on this machine: measured on the balancer's own memory at its start, with
// the other CPUs idle and busy. Serves the loop, whose plans have to be worth it.
#pragma once

#include "base/result.h"
#include "machine/machine.h"
#include "os/os.h"
#include "os/pace.h"

namespace homenode::balancer {

/// Of pages that are moved in calls of move_pages.
struct MigrationCost {
  double call_ns = 0;  ///< Of each call, besides what its pages take.
  double page_ns = 0;  ///< Of each page.
};

struct MigrationCosts {
  bool measured = false;  ///< False: guesses, because there is but one node, or the kernel refused.
  MigrationCost idle{500'000, 5'000};
  MigrationCost busy{1'000'000, 20'000};
};

/// Moves a few pages of its own to and fro between the first two nodes that have memory and that
/// this process may use, once with all other CPUs left alone and once while threads of its own keep
/// them busy. Takes the fastest of a few rounds, each timed by `pace`. Gives guesses where it
/// cannot.
MigrationCosts measure_migration(os::Os& os, const machine::Machine& machine, const os::Pace& pace);

}  // namespace homenode::balancer
