// A machine as JSON, schema "homenode.machine/1".
#pragma once

#include <string>

#include "machine/machine.h"

namespace homenode::machine {

/// One object, indented, ending in a newline. Unknown figures are null; id sets are lists such as
/// "0-3,8".
std::string to_json(const Machine& machine);

}  // namespace homenode::machine
