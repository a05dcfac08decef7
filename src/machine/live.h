// The machine that this runs on, as all but the small command needs it.
#pragma once

#include "base/result.h"
#include "machine/machine.h"

namespace homenode::machine {

/// machine::load_live(), held against the kernel's files. Errors: as there.
Result<machine::Machine> read_live_machine();

}  // namespace homenode::machine
