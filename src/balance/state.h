// What the balancer remembers from one window to the next: uses with decay, the verdict that waits
// for a second window, the promise that waits for fresh samples, and what has to rest. The part of
// step.h that its caller keeps. Pure; what was changed, and how to put it back, is in
// balancer/journal.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>

#include "balance/decision.h"
#include "balance/limits.h"
#include "balance/observation.h"

namespace homenode::balance {

/// Pages of a region by the node that they are on.
using PagesByNode = std::map<NodeId, std::uint64_t>;

/// Where regions are to be, by their first addresses.
using RegionHomes = std::map<std::uint64_t, Home>;

/// What a plan promised, until fresh samples show whether it holds.
struct Promise {
  Action action = Action::nothing;
  double gain = 0;       ///< Of the local share, or what the busiest node is to be relieved of.
  bool spreads = false;  ///< It is the latter.
  // Where what it moves was, and where it is to be.
  std::map<TaskKey, NodeId> threads_before;
  std::map<TaskKey, NodeId> threads;
  std::map<std::uint64_t, PagesByNode> pages_before;
  RegionHomes pages;
};

/// Pairs of uses in different windows, and those of them that are by threads of one node. Two uses
/// in one window tell little: a thread that walks through a page uses it several times in a row.
struct Pairs {
  double all = 0;
  double same = 0;
};

/// What the windows so far saw of a region: its uses with decay, all else as it was seen last, or
/// moved since. A window sees but a part of a large memory, so that one without it says little.
struct RememberedRegion {
  Region region;
  Pairs of_region;        ///< Of uses of the region,
  Pairs of_pages;         ///< and of the same page.
  bool is_split = false;  ///< Its pages are decided on one by one.
  /// Threads that had it to themselves in a window each, the latest, and how often it was another.
  std::set<TaskKey> users;
  std::optional<TaskKey> user;
  int handovers = 0;
  int windows_unseen = 0;
};

/// A region that was moved: it rests, and one that went to and fro counts as shared.
struct MovedRegion {
  Home home;
  double quiet_until_s = 0;
  int bounces = 0;  ///< Times that it went to another home than the time before.
};

/// What a process was when it was left alone: its next phase looks different.
struct Phase {
  std::uint64_t resident_bytes = 0;
  std::size_t threads = 0;
};

struct ProcessMemory {
  std::map<std::uint64_t, RememberedRegion> regions;  ///< By their first addresses.
  /// What the last window would have done, and how many in a row.
  RegionHomes page_targets;
  std::map<TaskKey, NodeId> thread_targets;
  Action verdict = Action::nothing;
  int windows = 0;
  int windows_short_of_samples = 0;  ///< In a row, of those with a close look.
  std::optional<Promise> promise;
  std::map<std::uint64_t, MovedRegion> moved;
  double quiet_until_s = 0;
  double spent_s = 0;  ///< Predicted cost of all moves so far.
  /// A plan held, and less than all that it was for has been done yet.
  bool goes_on = false;
  int failed_plans = 0;
  bool hands_off = false;
  Phase phase;  ///< When it was left alone.
  double seen_s = 0;
  std::map<NodeId, double> cpus;  ///< Processor time that its threads took on each node.
};

struct State {
  std::map<TaskKey, ProcessMemory> processes;
};

/// Adds a window's uses of a region to those before, which count limits.decay of what they did.
/// Regions that limits.most_unseen windows did not see are forgotten.
void remember(ProcessMemory& memory, const Observation& seen, const Limits& limits);

/// Of what a window used, only who handed memory on to whom still counts.
void forget_uses(ProcessMemory& memory);

/// A window with the regions of all windows so far, those that are split as their pages, and those
/// that are handed on as used by all that had them.
Observation evidence(const ProcessMemory& memory, const Observation& seen, const Limits& limits);

/// A window with the regions that are split as their pages.
Observation in_pieces(const ProcessMemory& memory, Observation seen);

/// Processor time of all processes on each node, as they were seen last.
std::map<NodeId, double> cpus_of_all(const State& state, double now_s);

/// The next window is the first to come to its verdict.
void forget_verdict(ProcessMemory& memory);

/// The region rests now, for twice as long after each time that it went to yet another home.
void remember_move(ProcessMemory& memory, std::uint64_t region, const Home& home, double now_s,
                   const Limits& limits);

/// Whether a process that was left alone has changed much since; then it gets another chance.
bool is_new_phase(ProcessMemory& memory, const Observation& seen, const Limits& limits);

}  // namespace homenode::balance
