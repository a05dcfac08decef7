// The nodes with what sysfs says of them at the moment: free memory and distances. Serves
// `run --hardware`.
#pragma once

#include <vector>

#include "base/result.h"
#include "machine/machine.h"
#include "os/os.h"

namespace homenode::machine {

struct NodeHardware {
  Node node;
  Bytes free;
  std::vector<unsigned> distances;  ///< To the nodes, in their order; empty when unknown.
};

/// One entry for each node of the machine. Errors: failed when a file cannot be read.
Result<std::vector<NodeHardware>> read_hardware(os::Os& os, const Machine& machine);

}  // namespace homenode::machine
