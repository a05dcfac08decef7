// The callbacks that count memory accesses without modelling time.
#pragma once

#include "lab/plugin/qemu_plugin_abi.h"

namespace homenode::lab {

/// Has an instruction's accesses counted, as the kernel's or as a user's.
void count_accesses(qemu_plugin_insn* insn, bool kernel);

}  // namespace homenode::lab
