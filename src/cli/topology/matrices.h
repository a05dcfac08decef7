// The matrices of a machine as text, for `topology`.
#pragma once

#include <string>

#include "machine/machine.h"

namespace homenode::cli {

/// Distances, latencies and bandwidths, a table each behind an empty line that says whose they are;
/// '?' for what nobody knows. Tables wider than a line become lists per node.
std::string matrices_text(const machine::Machine& machine);

}  // namespace homenode::cli
