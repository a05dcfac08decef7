// Setting, touching and dumping the memory policy of shared memory. Serves the verb `run`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/verb.h"
#include "launch/segment.h"
#include "placement/policies/policy.h"

namespace homenode::cli {

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

/// numactl's lines. Unlike numactl 2.0.16, ranges of one kind of policy with other nodes stay apart
/// and keep their own nodes.
std::string segment_text(const std::vector<SegmentDump>& dumps);

/// Schema "homenode.run.dump/1".
std::string segment_json(const launch::SegmentRequest& request,
                         const std::vector<SegmentDump>& dumps);

/// Does all that the request asks for; what was made for it stays only if all of it was done, and
/// is told on the error stream. `policy` is that of the step `policy`. Errors: those of
/// SegmentMemory and each refusal of the kernel.
Result<std::vector<SegmentDump>> run_segment(Context& context,
                                             const launch::SegmentRequest& request,
                                             const std::optional<placement::Policy>& policy);

}  // namespace homenode::cli
