#include "lab/plugin/instruction.h"

#include <cstring>

#include "base/marker.h"
#include "lab/timing/spin.h"

namespace homenode::lab {
namespace {

bool starts_with(std::span<const std::uint8_t> code, std::initializer_list<std::uint8_t> bytes) {
  if (code.size() < bytes.size()) return false;
  return std::memcmp(code.data(), bytes.begin(), bytes.size()) == 0;
}

Instruction recognise_marker(std::span<const std::uint8_t> code) {
  std::uint32_t displacement = 0;
  std::memcpy(&displacement, code.data() + 4, sizeof displacement);
  if ((displacement & 0xffff0000U) != HN_MARKER_MAGIC) return {};
  return {InstructionKind::marker, displacement & 0xffffU};
}

/// The register operand of a ModRM byte 11 /extension reg; rex.B is the register's upper bit.
bool register_operand(std::uint8_t modrm, unsigned extension, std::uint8_t rex, unsigned& number) {
  if ((modrm & 0xf8U) != (0xc0U | (extension << 3U))) return false;
  number = (modrm & 7U) | ((rex & 1U) << 3U);
  return true;
}

/// Removes a REX prefix and returns it; 0 where there is none.
std::uint8_t take_rex(std::span<const std::uint8_t>& code) {
  if (code.empty() || (code[0] & 0xf0U) != 0x40U) return 0;
  const std::uint8_t rex = code[0];
  code = code.subspan(1);
  return rex;
}

/// mov to cr3, and wrfsbase after its prefix: two bytes of opcode and a ModRM byte.
Instruction recognise_register_write(std::span<const std::uint8_t> code) {
  const bool repeat = starts_with(code, {0xf3});
  if (repeat) code = code.subspan(1);
  const std::uint8_t rex = take_rex(code);
  if (code.size() != 3) return {};
  unsigned number = 0;
  // rex.R would make it cr11.
  if (!repeat && (rex & 4U) == 0 && starts_with(code, {0x0f, 0x22}) &&
      register_operand(code[2], 3, rex, number)) {
    return {InstructionKind::write_cr3, number};
  }
  if (repeat && starts_with(code, {0x0f, 0xae}) && register_operand(code[2], 2, rex, number)) {
    return {(rex & 8U) != 0 ? InstructionKind::write_fs_base : InstructionKind::write_fs_base32,
            number};
  }
  return {};
}

}  // namespace

Instruction recognise(std::span<const std::uint8_t> code) {
  if (code.size() == 8 && starts_with(code, {0x0f, 0x1f, 0x84, 0x00}))
    return recognise_marker(code);
  if (is_pause(code)) return {InstructionKind::pause, 0};
  if (code.size() == 2 && starts_with(code, {0x0f, 0x30})) return {InstructionKind::write_msr, 0};
  return recognise_register_write(code);
}

bool is_repeated_string(std::span<const std::uint8_t> code) {
  if (code.empty() || (code[0] != 0xf2 && code[0] != 0xf3)) return false;
  // Between the two there may be an operand-size prefix and then a REX prefix.
  code = code.subspan(1);
  if (!code.empty() && code[0] == 0x66) code = code.subspan(1);
  take_rex(code);
  if (code.size() != 1) return false;
  const unsigned opcode = code[0];
  return (opcode >= 0xa4 && opcode <= 0xa7) || (opcode >= 0xaa && opcode <= 0xaf);
}

}  // namespace homenode::lab
