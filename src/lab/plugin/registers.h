// Reads a vCPU's registers, and what they point to, through QEMU's plugin interface, where it
// offers that (QEMU 9.0 and later). The lab needs them to tell processes (cr3) and threads
// (fs_base) apart.
#pragma once

#include <cstdint>
#include <optional>

namespace homenode::lab {

// The general registers are numbered as instructions encode them (0 = rax to 15 = r15).
inline constexpr unsigned rax = 0;
inline constexpr unsigned rcx = 1;
inline constexpr unsigned rdx = 2;
inline constexpr unsigned rsi = 6;
inline constexpr unsigned rdi = 7;
inline constexpr unsigned cr3 = 16;
inline constexpr unsigned fs_base = 17;
inline constexpr unsigned register_count = 18;

/// Whether this QEMU has the interface at all.
[[nodiscard]] bool registers_offered();

/// Learns QEMU's handles of the registers above. Called from a vCPU's initialisation callback.
/// False: a register is missing.
[[nodiscard]] bool learn_registers();

/// The value of a register of the vCPU whose thread calls, from a callback that asked for
/// registers. Nothing: QEMU refused.
[[nodiscard]] std::optional<std::uint64_t> read_register(unsigned number);

/// Whether this QEMU lets a plugin read the guest's memory, which read_tid() does.
[[nodiscard]] bool memory_offered();

/// The id of the thread that the calling vCPU runs, by its descriptor, which glibc keeps at the
/// thread pointer: thread and process identifiers are the kernel's own, and no register holds them.
/// 0: it is no descriptor of glibc's, or the thread's id is not in it yet. pre: memory_offered().
[[nodiscard]] std::uint32_t read_tid(std::uint64_t fs_base);

}  // namespace homenode::lab
