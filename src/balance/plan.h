// What could be done for one process: threads to the memory that they use, or else memory to its
// only users; and how local its use of memory is then. Pure; serves step.h.
#pragma once

#include <map>
#include <optional>
#include <utility>

#include "balance/step.h"

namespace homenode::balance {

using ThreadNodes = std::map<TaskKey, NodeId>;
/// Regions that go to a node as wholes, by their first address.
using RegionNodes = std::map<std::uint64_t, NodeId>;

/// The node of each thread's CPU.
ThreadNodes nodes_of(const Observation& seen);

/// All samples of all threads that are there.
double uses_of(const Observation& seen);

/// The share of uses that stay on their thread's node, were threads and regions there; regions that
/// are not named stay. 1 without any use.
double local_share(const Observation& seen, const ThreadNodes& threads, const RegionNodes& regions);

/// The same where nothing is known of addresses: all threads use all pages alike.
double coarse_local_share(const Observation& seen);

/// The part of a region's present pages that is on a node.
double part_on(const Region& region, NodeId node);
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
                       const ThreadNodes& threads, const RegionNodes& regions);

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
/// elsewhere: in this window and in `before` (decayed uses), surely enough, and within what nodes
/// have free and the bounds; those with most uses a page first. Regions that rest, or that went to
/// and fro, stay. A region with other heavy users goes only where it is no farther for any of them.
RegionNodes plan_pages(const Observation& seen, const ProcessMemory& before,
                       const ThreadNodes& threads, const Setting& setting, const Limits& limits,
                       const PageBounds& bounds);

/// The share of all uses that the memory of the node that serves most would serve, were regions
/// there; 0 without any use.
double busiest_share(const Observation& seen, const RegionNodes& regions);

/// Regions that no node's threads use nearly alone and that were never moved, by their addresses in
/// turn over the nodes with CPUs and memory that the process may use; within what nodes have free
/// and the bounds.
RegionNodes plan_spread(const Observation& seen, const ProcessMemory& before,
                        const Setting& setting, const Limits& limits, const PageBounds& bounds);

/// Bytes of each node that may be filled.
std::map<NodeId, double> room_of(const Observation& seen, const Setting& setting,
                                 const Limits& limits);

/// CPUs of each node that the process may use and neither other processes have nor its own threads
/// that have to stay.
std::map<NodeId, double> free_cpus(const Observation& seen, const Setting& setting);
/// Whether a thread may be bound and runs enough to be worth a CPU.
bool is_movable(const Thread& thread);

/// Pages of a region that are on other nodes.
std::uint64_t pages_elsewhere(const Region& region, NodeId target);
/// Of all regions that have targets.
std::uint64_t pages_to_move(const Observation& seen, const RegionNodes& targets);

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
  [[nodiscard]] double nearer_s(const ThreadNodes& threads, const RegionNodes& regions) const;
  [[nodiscard]] double cost_s(std::uint64_t pages) const;

 private:
  const Observation& seen_;
  const Setting& setting_;
  const Costs& costs_;
  const Limits& limits_;
};

/// What the windows of one process come to. Changes what is remembered of it; `setting` has what
/// other processes take.
Decision judge(const Observation& seen, ProcessMemory& memory, double now_s, const Setting& setting,
               const Costs& costs, const Limits& limits);

}  // namespace homenode::balance
