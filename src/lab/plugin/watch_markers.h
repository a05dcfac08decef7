// The callbacks of the few instructions that are watched outside a region of interest, too:
// markers, which begin and end regions, and those that change which thread a vCPU runs.
#pragma once

#include <cstdint>
#include <span>

#include "lab/plugin/qemu_plugin_abi.h"

namespace homenode::lab {

/// Has an instruction watched if it is such a one.
void watch_execution(qemu_plugin_insn* insn, std::span<const std::uint8_t> code, bool kernel);

/// Called by QEMU as it ends: a region that is open then is written as it is.
void on_exit(qemu_plugin_id_t id, void* data);

}  // namespace homenode::lab
