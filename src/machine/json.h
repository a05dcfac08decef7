// A machine as JSON, schema "homenode.machine/2".
#pragma once

#include <string>

#include "machine/machine.h"

namespace homenode::machine {

/// One object, indented, ending in a newline. Unknown figures are null.
std::string to_json(const Machine& machine);

}  // namespace homenode::machine
