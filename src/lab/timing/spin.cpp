#include "lab/timing/spin.h"

#include <algorithm>
#include <array>
#include <bitset>
#include <cstring>

#include <Zydis/Zydis.h>

namespace homenode::lab {
namespace {

/// Whether a block's last instruction is a conditional jump to its first.
bool jumps_to_start(std::span<const Code> block) {
  std::int64_t bytes = 0;
  for (const Code code : block) bytes += static_cast<std::int64_t>(code.size());
  const Code last = block.back();
  if (last.size() == 2 && (last[0] & 0xf0U) == 0x70) {
    return static_cast<std::int8_t>(last[1]) == -bytes;
  }
  if (last.size() != 6 || last[0] != 0x0f || (last[1] & 0xf0U) != 0x80) return false;
  std::int32_t distance = 0;
  std::memcpy(&distance, last.data() + 2, sizeof distance);
  return distance == -bytes;
}

using Registers = std::bitset<ZYDIS_REGISTER_MAX_VALUE + 1>;

ZydisRegister whole_of(ZydisRegister part) {
  return ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, part);
}

/// One round of a loop, instruction by instruction.
class Round {
 public:
  /// False: the instruction does more than load, move and compare.
  bool take(const ZydisDecodedInstruction& head, std::span<const ZydisDecodedOperand> operands) {
    if (head.mnemonic == ZYDIS_MNEMONIC_NOP) return true;
    for (const ZydisDecodedOperand& operand : operands) {
      if (operand.type != ZYDIS_OPERAND_TYPE_MEMORY) continue;
      if ((operand.actions & ZYDIS_OPERAND_ACTION_MASK_WRITE) != 0) return false;
      loads_ = true;
      use(operand.mem.base);
      use(operand.mem.index);
    }
    switch (head.mnemonic) {
      case ZYDIS_MNEMONIC_CMP:
      case ZYDIS_MNEMONIC_TEST:
        return true;
      case ZYDIS_MNEMONIC_MOV:
      case ZYDIS_MNEMONIC_MOVZX:
      case ZYDIS_MNEMONIC_MOVSX:
      case ZYDIS_MNEMONIC_MOVSXD:
        if (operands[0].type != ZYDIS_OPERAND_TYPE_REGISTER) return false;
        if (operands[1].type == ZYDIS_OPERAND_TYPE_REGISTER) use(operands[1].reg.value);
        written_.set(whole_of(operands[0].reg.value));
        return true;
      default:
        return false;
    }
  }

  /// Whether it loads, and takes no address from the round before it, as a walk along a list does.
  [[nodiscard]] bool repeats_itself() const { return loads_ && (carried_ & written_).none(); }

 private:
  void use(ZydisRegister part) {
    const ZydisRegister whole = whole_of(part);
    if (whole != ZYDIS_REGISTER_NONE && !written_.test(whole)) carried_.set(whole);
  }

  Registers written_;
  Registers carried_;  ///< Used before this round wrote them.
  bool loads_ = false;
};

bool only_looks(std::span<const Code> block) {
  ZydisDecoder decoder;
  ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
  Round round;
  for (const Code code : block) {
    ZydisDecodedInstruction head;
    std::array<ZydisDecodedOperand, ZYDIS_MAX_OPERAND_COUNT> operands;
    if (ZYAN_FAILED(
            ZydisDecoderDecodeFull(&decoder, code.data(), code.size(), &head, operands.data())) ||
        !round.take(head, {operands.data(), head.operand_count_visible})) {
      return false;
    }
  }
  return round.repeats_itself();
}

}  // namespace

bool is_pause(Code code) {
  return code.size() == 2 && code[0] == 0xf3 && code[1] == 0x90;
}

std::optional<std::size_t> spin_point(std::span<const Code> block) {
  const auto pause = std::ranges::find_if(block, is_pause);
  if (pause != block.end()) return static_cast<std::size_t>(pause - block.begin());
  if (block.size() < 2 || !jumps_to_start(block)) return std::nullopt;
  if (!only_looks(block.first(block.size() - 1))) return std::nullopt;
  return block.size() - 1;
}

}  // namespace homenode::lab
