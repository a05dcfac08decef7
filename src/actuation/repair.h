// Moving the pages and binding the threads of a live process, with a receipt of what the kernel
// really did. Serves the verb `where`; cli/where/receipt.h shows it.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "os/pace.h"
#include "placement/policies/memory_rule.h"
#include "placement/threads/map.h"
#include "sensing/survey.h"
#include "sensing/system_files.h"

namespace homenode::actuation {

struct RepairRequest {
  placement::MemoryRule rule;
  std::set<sensing::Group> groups;
  std::optional<std::uint64_t> at;  ///< Only the mapping that starts here.
  std::optional<double> rate_mibs;
  bool move_shared = false;  ///< Pages that other processes map too (MPOL_MF_MOVE_ALL).
  bool dry_run = false;
};

/// Pages of one target that the kernel refused for one reason.
struct RefusedMove {
  Error error;
  std::uint64_t bytes = 0;
};

/// planned == moved + kept_shared + vanished + refused + not_tried, unless it was a dry run.
struct RepairReceipt {
  std::uint64_t looked_at_bytes = 0;  ///< Present pages of the chosen mappings.
  std::uint64_t planned_bytes = 0;    ///< Of these, on another node than the rule says.
  std::uint64_t moved_bytes = 0;      ///< Found on their node afterwards, page by page.
  std::uint64_t kept_shared_bytes = 0;
  std::uint64_t vanished_bytes = 0;  ///< Given back by the program meanwhile.
  std::uint64_t refused_bytes = 0;
  std::uint64_t not_tried_bytes = 0;  ///< Because of Ctrl-C, or because the process ended.
  std::map<std::pair<NodeId, NodeId>, std::uint64_t> plan;  ///< Bytes by node before and target.
  std::vector<RefusedMove> refusals;
  std::vector<std::string> notes;
  bool stopped = false;
  bool ended = false;  ///< The process ended.
  double seconds = 0;
};

/// Says how far a repair is: bytes looked at, bytes of all chosen mappings' pages, bytes moved.
using SayRepair = std::function<void(std::uint64_t, std::uint64_t, std::uint64_t)>;

/// Moves what is not where the rule says, mapping by mapping, in batches, and asks the kernel
/// afterwards where each page is. Where a mapping has transparent huge pages the rule counts in
/// huge pages. `survey` must have the amounts of smaps.
///
/// System calls: move_pages. Memory: a few bytes a page of the largest mapping for distributions.
/// Errors: bad_usage when the rule or `at` fits no mapping; failed or not_supported when the
/// kernel does not even say where the pages are.
Result<RepairReceipt> repair_pages(os::Os& os, const sensing::Survey& survey,
                                   const RepairRequest& request, const os::Pace& pace,
                                   const SayRepair& say);

struct ThreadRepair {
  pid_t id = 0;
  std::string name;
  CpuSet wanted;
  bool bound = false;              ///< Verified by asking again. False for a dry run.
  bool ended = false;              ///< The thread ended meanwhile.
  std::optional<Error> refusal{};  ///< Why it is not bound.
};

/// Binds each thread of the survey, by rank in the order in which they were started.
std::vector<ThreadRepair> repair_threads(os::Os& os, const sensing::Survey& survey,
                                         const placement::ThreadMap& map, bool dry_run);

}  // namespace homenode::actuation
