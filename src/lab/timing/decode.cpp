#include "lab/timing/decode.h"

#include <array>

#include <Zydis/Zydis.h>

namespace homenode::lab {
namespace {

struct Instruction {
  ZydisDecodedInstruction head;
  std::array<ZydisDecodedOperand, ZYDIS_MAX_OPERAND_COUNT> all_operands;
  bool known = false;

  [[nodiscard]] std::span<const ZydisDecodedOperand> operands() const {
    return {all_operands.data(), head.operand_count};
  }
};

Instruction decode(const ZydisDecoder& decoder, Code code) {
  Instruction result;
  result.known = ZYAN_SUCCESS(ZydisDecoderDecodeFull(&decoder, code.data(), code.size(),
                                                     &result.head, result.all_operands.data()));
  return result;
}

/// The number of the general register that holds this one; none for others.
Register general(ZydisRegister reg) {
  const ZydisRegister whole = ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, reg);
  if (ZydisRegisterGetClass(whole) != ZYDIS_REGCLASS_GPR64) return AccessShape::none;
  return static_cast<Register>(ZydisRegisterGetId(whole));
}

bool is_past_caches(ZydisMnemonic mnemonic) {
  switch (mnemonic) {
    case ZYDIS_MNEMONIC_MOVNTDQ:
    case ZYDIS_MNEMONIC_MOVNTI:
    case ZYDIS_MNEMONIC_MOVNTPD:
    case ZYDIS_MNEMONIC_MOVNTPS:
    case ZYDIS_MNEMONIC_MOVNTQ:
    case ZYDIS_MNEMONIC_VMOVNTDQ:
    case ZYDIS_MNEMONIC_VMOVNTPD:
    case ZYDIS_MNEMONIC_VMOVNTPS:
      return true;
    default:
      return false;
  }
}

/// `xor eax, eax` and its like: the result depends on nothing.
bool clears_register(const Instruction& instruction) {
  const ZydisMnemonic mnemonic = instruction.head.mnemonic;
  if (mnemonic != ZYDIS_MNEMONIC_XOR && mnemonic != ZYDIS_MNEMONIC_SUB) return false;
  const ZydisDecodedOperand& to = instruction.all_operands[0];
  const ZydisDecodedOperand& from = instruction.all_operands[1];
  return to.type == ZYDIS_OPERAND_TYPE_REGISTER && from.type == ZYDIS_OPERAND_TYPE_REGISTER &&
         to.reg.value == from.reg.value;
}

/// For each register, the register whose last load its value comes from.
class Origins {
 public:
  Origins() {
    for (Register i = 0; i < AccessShape::none; ++i) origin_[i] = i;
    origin_[AccessShape::none] = AccessShape::none;
  }

  /// Follows one instruction; returns the shape of its accesses.
  AccessShape follow(const Instruction& instruction) {
    if (!instruction.known) return {};
    AccessShape shape;
    bool reads_memory = false;
    Register source = AccessShape::none;
    for (const ZydisDecodedOperand& operand : instruction.operands()) {
      if (operand.type == ZYDIS_OPERAND_TYPE_MEMORY) {
        const Register base = origin_[general(operand.mem.base)];
        const Register index = origin_[general(operand.mem.index)];
        if (operand.mem.type == ZYDIS_MEMOP_TYPE_AGEN) {
          source = later(later(base, index), source);
          continue;
        }
        shape = shape.waiting_for(base, index);
        reads_memory |= (operand.actions & ZYDIS_OPERAND_ACTION_MASK_READ) != 0;
      } else if (operand.type == ZYDIS_OPERAND_TYPE_REGISTER &&
                 (operand.actions & ZYDIS_OPERAND_ACTION_MASK_READ) != 0) {
        source = later(origin_[general(operand.reg.value)], source);
      }
    }
    if (clears_register(instruction)) source = AccessShape::none;
    if (is_past_caches(instruction.head.mnemonic)) shape = shape.past_caches();
    const bool exchange = instruction.head.mnemonic == ZYDIS_MNEMONIC_XCHG && reads_memory;
    if ((instruction.head.attributes & ZYDIS_ATTRIB_HAS_LOCK) != 0 || exchange) {
      shape = shape.ordered();
    }
    return write(instruction, reads_memory, source, shape);
  }

 private:
  AccessShape write(const Instruction& instruction, bool reads_memory, Register source,
                    AccessShape shape) {
    for (const ZydisDecodedOperand& operand : instruction.operands()) {
      if (operand.type != ZYDIS_OPERAND_TYPE_REGISTER) continue;
      if ((operand.actions & ZYDIS_OPERAND_ACTION_MASK_WRITE) == 0) continue;
      const Register target = general(operand.reg.value);
      // The stack pointer is never waited for: hardware keeps track of it apart.
      if (target == AccessShape::none || target == stack_pointer) continue;
      // String instructions step pointers and a counter; only the accumulator may be loaded.
      if (instruction.head.meta.category == ZYDIS_CATEGORY_STRINGOP && target != accumulator) {
        continue;
      }
      if (!reads_memory) {
        origin_[target] = source;
        continue;
      }
      shape = shape.filling(target);
      origin_[target] = target;
      loaded_[target] = ++loads_;
    }
    return shape;
  }

  /// Of two origins the one that was loaded later in this block.
  [[nodiscard]] Register later(Register a, Register b) const {
    if (a == AccessShape::none || a == stack_pointer) return b;
    if (b == AccessShape::none || b == stack_pointer) return a;
    return loaded_[a] >= loaded_[b] ? a : b;
  }

  static constexpr Register accumulator = 0;
  static constexpr Register stack_pointer = 4;
  std::array<Register, AccessShape::none + 1> origin_;
  std::array<unsigned, AccessShape::none + 1> loaded_{};
  unsigned loads_ = 0;
};

bool pushes_number(const Instruction& instruction) {
  return instruction.known && instruction.head.mnemonic == ZYDIS_MNEMONIC_PUSH &&
         instruction.operands().front().type == ZYDIS_OPERAND_TYPE_IMMEDIATE;
}

/// Linux enters an interrupt through a stub that pushes a number (the CPU pushes one only for
/// faults, which are the program's own doing): "cld; push -1" for the system's vectors, "push N;
/// jmp" for devices'.
bool enters_interrupt(std::span<const Instruction> block, std::size_t at) {
  if (at + 1 >= block.size() || !block[at + 1].known) return false;
  const Instruction& next = block[at + 1];
  if (block[at].head.mnemonic == ZYDIS_MNEMONIC_CLD) return pushes_number(next);
  return at <= 1 && pushes_number(block[at]) && next.head.mnemonic == ZYDIS_MNEMONIC_JMP;
}

/// Changing the bits of cr4 is how the kernel flushes everything.
bool moves_to_cr4(const Instruction& instruction) {
  const auto& target = instruction.operands().front();
  return target.type == ZYDIS_OPERAND_TYPE_REGISTER && target.reg.value == ZYDIS_REGISTER_CR4;
}

KernelEvent event_of(std::span<const Instruction> block, std::size_t at) {
  const Instruction& here = block[at];
  if (!here.known) return KernelEvent::none;
  switch (here.head.mnemonic) {
    case ZYDIS_MNEMONIC_CLD:
    case ZYDIS_MNEMONIC_PUSH:
      return enters_interrupt(block, at) ? KernelEvent::interrupt_entry : KernelEvent::none;
    case ZYDIS_MNEMONIC_IRETQ:
      return KernelEvent::interrupt_return;
    case ZYDIS_MNEMONIC_SYSRET:
      return KernelEvent::system_return;
    case ZYDIS_MNEMONIC_INVLPG:
    case ZYDIS_MNEMONIC_INVPCID:
      return KernelEvent::mapping_change;
    case ZYDIS_MNEMONIC_MOV:
      return moves_to_cr4(here) ? KernelEvent::mapping_change : KernelEvent::none;
    default:
      return KernelEvent::none;
  }
}

}  // namespace

std::vector<Decoded> decode_block(std::span<const Code> block, bool kernel) {
  ZydisDecoder decoder;
  ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
  std::vector<Instruction> instructions;
  instructions.reserve(block.size());
  for (const Code code : block) instructions.push_back(decode(decoder, code));

  Origins origins;
  // Most blocks that matter are loops: the first pass finds out what a round leaves to the next.
  for (const Instruction& instruction : instructions) (void)origins.follow(instruction);
  std::vector<Decoded> result;
  result.reserve(block.size());
  for (std::size_t i = 0; i < instructions.size(); ++i) {
    const AccessShape shape = origins.follow(instructions[i]);
    result.push_back({kernel ? shape.by_kernel() : shape,
                      kernel ? event_of(instructions, i) : KernelEvent::none});
  }
  return result;
}

}  // namespace homenode::lab
