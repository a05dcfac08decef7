// Every threshold of the balancer, with what it is for and where it comes from. Serves step.h; the
// command line and the configuration change them.
//
// Sources: [Carrefour] Dashti et al., ASPLOS 2013; [AsymSched] Lepers et al., ATC 2015; [kernel]
// kernel/sched/fair.c; [statistics] a formula that the code names; [chosen] a round figure of our
// own, which no measurement backs yet.
#pragma once

#include "base/units.h"

namespace homenode::balance {

struct Limits {
  // The gate: what is smaller, younger or idler is not looked at.
  double least_cpus = 0.5;      ///< [chosen] numad takes as much, and 300 MB.
  double least_age_s = 5;       ///< [chosen] One interval: memory has been set up.
  Bytes least_memory = 64_MiB;  ///< [chosen] 32 regions, so that their shares mean something.
  /// A process is looked at more closely where more than this of its use may be remote; once a plan
  /// has held, until no more than least_more_gain is.
  double least_remote_share = 0.2;  ///< [Carrefour] It migrates below 80 % of local accesses.

  // Evidence.
  double least_samples = 200;       ///< [chosen] In a window; fewer where pages are huge.
  double least_region_samples = 2;  ///< [chosen] Of a region, in a window.
  double exclusive_share = 0.8;     ///< [chosen] One node's share of a region's uses, to move it.
  double mostly_share = 0.5;        ///< [chosen] From here only if no heavy user loses.
  int windows = 2;                  ///< [chosen] In a row that have to come to the same verdict.
  double agreed_share = 0.9;  ///< [chosen] Of the uses, by threads that both windows place alike.
  double least_split = 0.2;   ///< [chosen] By so much more are pages one node's than their region.
  double heavy_share = 0.1;   ///< [chosen] A node with this share of the uses is a heavy user.
  double least_sure_share = 0.6;  ///< [statistics] Wilson's lower bound of one node's share.
  double sureness = 1.645;        ///< [statistics] Its quantile: one side, 95 %.
  double alike = 0.1;             ///< [chosen] Cosine of two threads' uses, to try them together.
  double decay = 0.5;             ///< [kernel] Hint faults are halved in each window as well.
  int most_unseen = 4;            ///< [chosen] Windows for which a region is remembered unseen.
  int most_handovers = 1;         ///< [chosen] Then a region counts as its threads' in turn.
  int most_failed_plans = 2;      ///< [chosen] Then the process is left alone.

  // What a plan has to be worth.
  double least_gain = 0.05;  ///< [Carrefour] It splits huge pages for as many points.
  /// [chosen] Of further pages, once a plan has held; of threads that are brought together.
  double least_more_gain = 0.01;
  double benefit_over_cost = 2;  ///< [chosen] Predictions are not better than that.
  double most_horizon_s = 60;    ///< [chosen] A program runs on as long as it has, at most.
  /// Points of the busiest node's share of all uses for which one of the local share may go.
  double local_over_busiest = 2;   ///< [chosen]
  double least_spread_cpus = 4;    ///< [chosen] Fewer hardly fill one node's bandwidth.
  double misses_per_cpu_s = 5e6;   ///< [chosen] Accesses to memory of a CPU in a second; a guess.
  double most_cost_share = 0.05;   ///< [AsymSched] Of the program's run time, spent in moving.
  int most_bounces = 1;            ///< [chosen] Then a region counts as shared.
  double least_free_share = 0.05;  ///< [chosen] Of a node's memory that stays free.

  // Afterwards.
  double least_of_promise = 0.5;   ///< [chosen] Of the predicted gain, or the plan is taken back.
  double new_phase = 2;            ///< [chosen] Times the memory or threads, or a part: no longer.
  double cool_down_s = 30;         ///< [chosen] After a plan, doubled for each that failed.
  double region_cool_down_s = 30;  ///< [chosen] After a region's move, doubled for each bounce.
};

}  // namespace homenode::balance
