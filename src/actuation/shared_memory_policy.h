// Setting, touching and reading back the memory policy of shared memory. Serves `run --shm` and
// `run --file`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "actuation/shared_memory.h"
#include "base/result.h"
#include "os/os.h"
#include "placement/policies/policy.h"

namespace homenode::actuation {

/// What holds for a run of pages: their policy, or the node that they are on.
struct SegmentRange {
  std::uint64_t first = 0;  ///< Bytes from the segment's beginning.
  std::uint64_t end = 0;
  int mode = 0;                               ///< MPOL_* with flags; of a dump of policies.
  NodeSet nodes = {};                         ///< The policy's.
  std::optional<NodeId> node = std::nullopt;  ///< Of a dump of nodes.
  friend bool operator==(const SegmentRange&, const SegmentRange&) = default;
};

/// One --dump or --dump-nodes.
struct SegmentDump {
  bool of_nodes = false;
  std::vector<SegmentRange> ranges;
};

/// What was found, and what was made for it, one sentence each.
struct SegmentReceipt {
  std::vector<SegmentDump> dumps;
  std::vector<std::string> made;
};

/// Does all that the request asks for; what was made for it stays only if all of it was done.
/// `policy` is that of the step `policy`. Errors: those of SegmentMemory and each refusal of the
/// kernel.
Result<SegmentReceipt> treat_segment(os::Os& os, const SegmentRequest& request,
                                     const std::optional<placement::Policy>& policy);

}  // namespace homenode::actuation
