// The callbacks that QEMU calls while the guest runs. watch_counting.cpp counts memory accesses
// without modelling time; watch_timing.cpp drives the vCPUs' clocks; watch_kernel.cpp tells them of
// the kernel's functions that wake threads up; watch_markers.cpp has the few instructions that are
// watched outside a region of interest too: markers, which begin and end regions, and those that
// change which thread a vCPU runs; watch_pause.cpp lets vCPUs that wait for others give way.
#pragma once

#include <cstdint>
#include <span>

#include "lab/plugin/qemu_plugin_abi.h"
#include "lab/timing/decode.h"

namespace homenode::lab {

/// Has an instruction's accesses counted, as the kernel's or as a user's.
void count_accesses(qemu_plugin_insn* insn, bool kernel);

/// Has an instruction watched if it is such a one.
void watch_execution(qemu_plugin_insn* insn, std::span<const std::uint8_t> code, bool kernel);

/// Has a `pause` watched: what waits for another vCPU lets it have the host's CPU, where QEMU would
/// go round at the price of thousands of instructions each time.
void watch_pause(qemu_plugin_insn* insn, bool kernel);

/// Where the guest's kernel has a function (hn_kernel_function); 0: it has none of that name.
void learn_kernel_function(std::uint64_t function, std::uint64_t address);

/// Has an instruction watched if one of these functions begins with it. pre: time is modelled.
void watch_kernel_functions(qemu_plugin_insn* insn);

/// Called by QEMU as it ends: a region that is open then is written as it is.
void on_exit(qemu_plugin_id_t id, void* data);

/// Whether this QEMU offers what the clocks need.
[[nodiscard]] bool timing_offered(int interface_version);

/// Makes the counters of instructions, and what accesses need; once, at installation.
/// pre: timing_offered(), and there is a timekeeper.
void prepare_timing();
/// A vCPU's counter; its place may change while vCPUs are still being added.
[[nodiscard]] std::uint64_t* instruction_counter(unsigned vcpu);

/// Called by QEMU when a vCPU halts.
void on_halt(qemu_plugin_id_t id, unsigned vcpu);

/// Has a block's execution and its accesses timed. `codes` are its instructions.
void time_block(qemu_plugin_tb* block, std::span<const Code> codes, bool kernel);

}  // namespace homenode::lab
