// Binding threads and moving pages of other processes so that each change can be undone: it is
// written to the journal first, checked afterwards, and only what really changed stays in there.
#pragma once

#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "balance/decision.h"
#include "balancer/journal.h"
#include "base/result.h"
#include "sensing/page_query.h"
#include "sensing/system_files.h"

namespace homenode::balancer {

/// Pages of one call of move_pages: longer ones hold the lists of all CPUs for longer.
inline constexpr std::uint64_t pages_of_a_call = 512;
inline constexpr const char* kernel_balancing_file = "/proc/sys/kernel/numa_balancing";

/// planned == moved + vanished + refused.
struct MoveReceipt {
  bool ended = false;          ///< The process ended.
  std::uint64_t planned = 0;   ///< Pages of the ranges that were on another node.
  std::uint64_t moved = 0;     ///< Found on the target afterwards.
  std::uint64_t vanished = 0;  ///< Given back by the program meanwhile.
  std::uint64_t refused = 0;
  std::vector<Error> refusals;  ///< The first of each call.
};

/// The pages of moves by the node that they go to, as Changes::move() takes them.
std::map<NodeId, std::vector<sensing::PageRange>> ranges_by_node(
    std::span<const balance::PageMove> moves);

struct Restored {
  std::size_t threads = 0;
  std::uint64_t pages = 0;
  std::vector<Error> refusals;
  std::size_t gone = 0;           ///< Of what has ended there is nothing to put back.
  std::size_t changed_since = 0;  ///< Threads that somebody else has bound meanwhile.
};

/// Not thread safe. What fails leaves the journal as true as it was.
class Changes {
 public:
  /// `journal` is what an earlier balancer left; restore() puts it back.
  Changes(const sensing::SystemFiles& files, Save save, Journal journal)
      : files_(files), save_(std::move(save)), journal_(std::move(journal)) {}

  /// Binds a thread; false where it has these CPUs already or has ended. Errors: the journal cannot
  /// be saved, which changes nothing; the kernel's refusals.
  Result<bool> bind(const TaskKey& process, const TaskKey& thread, const CpuSet& cpus);

  /// Moves the pages of the ranges that are present elsewhere to `target`, in batches, at most
  /// `most` of them. Shared pages stay (MPOL_MF_MOVE). Errors: the journal cannot be saved, which
  /// changes nothing; the pages cannot be asked for.
  Result<MoveReceipt> move(const TaskKey& process, std::span<const sensing::PageRange> ranges,
                           NodeId target, std::uint64_t most);

  /// Switches the kernel's balancing off until restore(); false where it is off. Errors: as above.
  Result<bool> stop_kernel_balancing();

  /// Undoes what is in the journal, latest first. What is refused stays in the journal. Errors: the
  /// journal cannot be saved.
  Result<Restored> restore();

  /// What is changed of the process from here on is one plan, for take_back().
  void begin_plan(const TaskKey& process);
  /// Undoes the latest plan of the process; what plans before it changed stays. What is refused
  /// stays in the journal. Errors: as restore().
  Result<Restored> take_back(const TaskKey& process);

  /// The CPUs that the thread had before; null where it was not changed.
  [[nodiscard]] const ThreadChange* change_of(const TaskKey& thread) const;
  [[nodiscard]] const Journal& journal() const { return journal_; }

 private:
  Result<void> save() { return save_(to_json(journal_)); }
  [[nodiscard]] bool lives(const TaskKey& process) const;
  [[nodiscard]] bool lives(const TaskKey& process, const TaskKey& thread) const;
  /// Whether the change is to be kept for another try.
  bool restore(const ThreadChange& change, Restored& restored);
  bool restore(const PageChange& change, Restored& restored);
  void move_batch(const TaskKey& process, std::span<void* const> pages, NodeId target,
                  MoveReceipt& receipt);

  /// What the journal says of a process when its latest plan began.
  struct Mark {
    std::size_t pages = 0;
    std::map<TaskKey, CpuSet> threads;
  };
  void take_back_threads(const TaskKey& process, const Mark& mark, Restored& restored);
  /// Changes of its pages in the journal.
  [[nodiscard]] std::size_t pages_of(const TaskKey& process) const;
  /// Those that are chosen; it is asked once of each, the latest first.
  void restore_pages(const std::function<bool(const PageChange&)>& chosen, Restored& restored);

  sensing::SystemFiles files_;
  Save save_;
  Journal journal_;
  std::map<TaskKey, Mark> marks_;
};

}  // namespace homenode::balancer
