// The callbacks that drive the vCPUs' clocks: instructions, memory accesses, interrupts.
#pragma once

#include <span>

#include "lab/plugin/qemu_plugin_abi.h"
#include "lab/timing/decode.h"

namespace homenode::lab {

/// Whether this QEMU offers what the clocks need.
[[nodiscard]] bool timing_offered(int interface_version);

/// Makes the counter of instructions; once, at installation. pre: timing_offered().
void make_instruction_counter();
/// A vCPU's counter; its place may change while vCPUs are still being added.
[[nodiscard]] std::uint64_t* instruction_counter(unsigned vcpu);

/// Called by QEMU when a vCPU halts.
void on_halt(qemu_plugin_id_t id, unsigned vcpu);

/// Has a block's execution and its accesses timed. `codes` are its instructions.
void time_block(qemu_plugin_tb* block, std::span<const Code> codes, bool kernel);

}  // namespace homenode::lab
