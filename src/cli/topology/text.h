// A machine as a text tree.
#pragma once

#include <string>

#include "machine/machine.h"

namespace homenode::cli {

/// Packages, nodes, caches, devices, limits, then the matrices; lines of up to 100 columns where
/// lists allow it. Ends in a newline.
std::string topology_text(const machine::Machine& machine);

}  // namespace homenode::cli
