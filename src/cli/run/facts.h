// What `run` prints of what holds now, as text and as JSON: the policy of the calling process
// (--show), the nodes (--hardware), and the policies of shared memory (--dump, --dump-nodes). Pure.
#pragma once

#include <string>
#include <vector>

#include "actuation/process_state.h"
#include "actuation/shared_memory_policy.h"
#include "machine/hardware.h"

namespace homenode::cli {

/// numactl --show's format, line by line, but right where numactl 2.0.16 has known slips: there,
/// `preferred node:` has no value and no line end for local and for a balanced bind, and is 0 for
/// every preferred-many; a balanced bind's policy is a number in brackets and its membind all
/// nodes.
std::string show_text(const actuation::PolicyState& state);

/// Schema "homenode.run.show/1".
std::string show_json(const actuation::PolicyState& state);

/// The lines of numactl 2.0.19; `compress` writes CPUs as ranges with their number
/// (--cpu-compress).
std::string hardware_text(const std::vector<machine::NodeHardware>& nodes, bool compress);

/// Schema "homenode.run.hardware/2".
std::string hardware_json(const std::vector<machine::NodeHardware>& nodes);

/// numactl's lines. Unlike numactl 2.0.16, ranges of one kind of policy with other nodes stay apart
/// and keep their own nodes.
std::string segment_text(const std::vector<actuation::SegmentDump>& dumps);

/// Schema "homenode.run.dump/1".
std::string segment_json(const actuation::SegmentRequest& request,
                         const std::vector<actuation::SegmentDump>& dumps);

}  // namespace homenode::cli
