// The nodes with their CPUs, sizes and distances as numactl --hardware prints them, or as JSON.
// Serves the verb `run`.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "machine/machine.h"
#include "os/os.h"

namespace homenode::cli {

struct HardwareNode {
  machine::Node node;
  Bytes free;
  std::vector<unsigned> distances;  ///< To the nodes, in their order; empty when unknown.
};

/// The machine's nodes, with what sysfs says of each at the moment. Errors: failed when a file
/// cannot be read.
Result<std::vector<HardwareNode>> read_hardware(os::Os& os, const machine::Machine& machine);

/// The lines of numactl 2.0.19; `compress` writes CPUs as ranges with their number
/// (--cpu-compress).
std::string hardware_text(const std::vector<HardwareNode>& nodes, bool compress);

/// Schema "homenode.run.hardware/1".
std::string hardware_json(const std::vector<HardwareNode>& nodes);

}  // namespace homenode::cli
