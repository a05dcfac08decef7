// Recognises, at translation time, the few guest instructions that the plugin must see executed:
// the markers, and those that change the address space or the thread of a vCPU.
#pragma once

#include <cstdint>
#include <span>

namespace homenode::lab {

enum class InstructionKind {
  other,
  marker,           ///< operand = the marker's kind, as in base/marker.h.
  write_cr3,        ///< mov %reg,%cr3; operand = the register's number.
  write_fs_base,    ///< wrfsbase %reg, 64 bits; operand = the register's number.
  write_fs_base32,  ///< wrfsbase %reg, 32 bits; operand = the register's number.
  pause,            ///< What a loop that waits for another CPU does in each round.
  write_msr,        ///< wrmsr: index in ecx, value in edx:eax.
};

struct Instruction {
  InstructionKind kind = InstructionKind::other;
  unsigned operand = 0;
};

/// Recognises one whole x86-64 instruction. Register numbers are those of the encoding (rax, rcx,
/// rdx, rbx, rsp, rbp, rsi, rdi, r8 to r15).
[[nodiscard]] Instruction recognise(std::span<const std::uint8_t> code);

/// Whether this is a string instruction (movs, cmps, stos, lods, scas) with a repeat prefix.
[[nodiscard]] bool is_repeated_string(std::span<const std::uint8_t> code);

}  // namespace homenode::lab
