// What could be done for one process: threads to the memory that they use, or else memory to its
// only users; and how local its use of memory is then. Pure; serves step.h.
#pragma once

#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "balance/step.h"

namespace homenode::balance {

using ThreadNodes = std::map<TaskKey, NodeId>;

/// The node of each thread's CPU.
ThreadNodes nodes_of(const Observation& seen);

/// All samples of all threads that are there.
double uses_of(const Observation& seen);

/// All samples of a region, by whomever.
double uses_of(const Region& region);

/// Adds more uses by thread, so much of each.
void add_uses(std::map<TaskKey, double>& uses, const std::map<TaskKey, double>& more,
              double factor = 1);

/// The share of uses that stay on their thread's node, were threads and regions there; regions that
/// are not named stay. 1 without any use.
double local_share(const Observation& seen, const ThreadNodes& threads, const RegionHomes& regions);

/// The same where nothing is known of addresses: all threads use all pages alike.
double coarse_local_share(const Observation& seen);

/// The part of a region's present pages that is on a node.
double part_on(const Region& region, NodeId node);
/// The part that is to be there.
double part_on(const Home& home, NodeId node);
std::uint64_t pages_of(const Region& region);

/// How far a use of one node's memory by another's threads goes: 0 is local, 1 the mean of the
/// machine's remote distances, or any remote use where it declares none.
class Remoteness {
 public:
  explicit Remoteness(const machine::Machine& machine);
  [[nodiscard]] double of(NodeId from, NodeId to) const;

 private:
  std::map<std::pair<NodeId, NodeId>, double> values_;
};

/// What the plans of all processes of a step have to share.
struct Setting {
  const machine::Machine& machine;
  Remoteness remoteness = Remoteness(machine);
  std::map<NodeId, double> cpus_taken = {};   ///< By other processes.
  std::map<NodeId, double> bytes_taken = {};  ///< By plans for other processes of this step.
};

/// The mean remoteness of all uses; 1 - local_share() where all remote nodes are equally far.
double mean_remoteness(const Observation& seen, const Remoteness& remoteness,
                       const ThreadNodes& threads, const RegionHomes& regions);

/// Threads to nodes that have CPUs left, so that uses are as near as possible: pairs of a thread
/// and a node are taken in the order of what they bring, where the node that the last window
/// `wanted` for a thread, and the one that it is on, count a fifth more or two. Only threads that
/// move are named.
ThreadNodes plan_threads(const Observation& seen, const Setting& setting,
                         const ThreadNodes& wanted);

/// Threads that use the same memory to one node, as far as it has CPUs left, so that the memory
/// can follow: by the cosine of their uses, the largest groups first, each to the node with most of
/// its memory and of its threads. Only threads that move are named.
ThreadNodes plan_groups(const Observation& seen, const Setting& setting, const Limits& limits);

/// Whose threads use a region most.
struct Owner {
  NodeId node;
  double share = 0;
  double uses = 0;  ///< Of all nodes.
  std::map<NodeId, double> by_node;
};

/// Nothing where none of the threads is there.
std::optional<Owner> owner_of(const std::map<TaskKey, double>& uses, const ThreadNodes& threads);

struct PageBounds {
  double now_s = 0;
  double most_pages = 0;
};

/// Regions that one node's threads use nearly alone, were the threads there, and that are partly
/// elsewhere: surely enough, and within what nodes have free and the bounds; those with most uses a
/// page first. Regions that rest, or that went to and fro (`before`), stay. A region with other
/// heavy users goes only where it is no farther for any of them.
RegionHomes plan_pages(const Observation& seen, const ProcessMemory& before,
                       const ThreadNodes& threads, const Setting& setting, const Limits& limits,
                       const PageBounds& bounds);

/// The share of all uses that the memory of the node that serves most would serve, were regions
/// there; 0 without any use.
double busiest_share(const Observation& seen, const RegionHomes& regions);

/// Regions that no node's threads use nearly alone and that were never moved: their pages in turn
/// over the nodes whose threads share them, within what nodes have free and the bounds.
RegionHomes plan_spread(const Observation& seen, const ProcessMemory& before,
                        const Setting& setting, const Limits& limits, const PageBounds& bounds);

/// What plans may still move: pages of the bounds, and bytes that nodes have free.
class Space {
 public:
  Space(const Observation& seen, const Setting& setting, const Limits& limits,
        const PageBounds& bounds);

  /// Takes what the region needs to go to its home; false, and nothing, where that is too much.
  bool take(const Region& region, const Home& home);

 private:
  std::map<NodeId, double> room_;  ///< Bytes.
  double pages_;
};

/// CPUs of each node that the process may use and neither other processes have nor its own threads
/// that have to stay.
std::map<NodeId, double> free_cpus(const Observation& seen, const Setting& setting);
/// Whether a thread may be bound and runs enough to be worth a CPU.
bool is_movable(const Thread& thread);

/// Pages of a region that are on other nodes; of several in turn, as many as are to be expected.
std::uint64_t pages_elsewhere(const Region& region, const Home& home);
/// Of all regions that have targets.
std::uint64_t pages_to_move(const Observation& seen, const RegionHomes& targets);

/// What a plan for one process saves and what it costs, in seconds of processor time. Views all
/// that it is made of.
class Worth {
 public:
  Worth(const Observation& seen, const Setting& setting, const Costs& costs, const Limits& limits)
      : seen_(seen), setting_(setting), costs_(costs), limits_(limits) {}

  /// Where this share of all uses need not wait for as long as a remote one, for as long as the
  /// program may run on.
  [[nodiscard]] double saved_s(double share_of_uses) const;
  /// What uses that become nearer save.
  [[nodiscard]] double nearer_s(const ThreadNodes& threads, const RegionHomes& regions) const;
  [[nodiscard]] double cost_s(std::uint64_t pages) const;

 private:
  const Observation& seen_;
  const Setting& setting_;
  const Costs& costs_;
  const Limits& limits_;
};

/// Adds the pairs of a window's uses and those before, which are in `remembered`; earlier pairs
/// count limits.decay of what they did.
void add_pairs(RememberedRegion& remembered, const Region& now, const ThreadNodes& threads,
               const Limits& limits);
/// Whether a region's pages are to be decided on one by one: two uses of a page are by threads of
/// one node mostly, and clearly more often than two of the region (after E. H. Simpson, Nature 163,
/// 1949).
bool is_to_split(const RememberedRegion& remembered, const Limits& limits);
/// Adds its used pages as regions of their own.
void append_pages(std::vector<Region>& regions, const Region& region);

/// The lower end of the confidence interval of a share of so many samples (E. B. Wilson, JASA 22,
/// 1927).
double surely_at_least(double share, double samples, double quantile);

/// Counts a handover where a window shows a region to be another thread's than the window before.
void note_user(RememberedRegion& remembered, const Region& now, const ThreadNodes& threads,
               const Limits& limits);
/// Whether a region counts as shared by the threads that it went between.
bool is_handed_on(const RememberedRegion& remembered, const Limits& limits);
/// The regions, those that are handed on as if all threads had used them alike that they went
/// between, or that memory went on to from these.
std::vector<Region> used_in_turn(const std::map<std::uint64_t, RememberedRegion>& remembered,
                                 const Limits& limits);

/// What a plan promises that gains so much in the window that it was made of.
Promise promise_of(const Decision& decision, double gain, const Observation& seen);

/// What a plan brings to the uses of one window: windows see different parts of a large memory, so
/// only of the same samples can be said how they would be without it.
struct Effect {
  double without = 0;  ///< The local share, or the busiest node's where the plan spreads.
  double now = 0;
  double planned = 0;  ///< Were all that was planned in its place.
  /// How much better it is.
  double gained = 0;
  double promised = 0;
  /// Of the uses of the pages that were to go to one node each, those that are local.
  double moved_local = 1;
};
Effect effect_of(const Promise& promise, const Observation& seen);

/// The part of the use that may be remote. What was begun is brought to its end: with the same
/// bound for both, a plan whose cost is spread over time would stop short of it.
double tolerated_share(const ProcessMemory& memory, const Limits& limits);

/// What a process is judged with: what is remembered of it, which changes, what other processes
/// take, and what all share.
struct Context {
  ProcessMemory& memory;
  double now_s;
  const Setting& setting;
  const Costs& costs;
  const Limits& limits;
};

/// The best that there is to do for one process by the evidence of all windows so far, once two in
/// a row want it; a look before that.
Decision plan(const Observation& evidence, const Context& context);

/// What the windows of one process come to.
Decision judge(const Observation& seen, const Context& context);

}  // namespace homenode::balance
