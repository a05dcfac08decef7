#include "lab/plugin/instruction.h"

#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "base/marker.h"
#include "homenode/roi.h"

namespace homenode::lab {
namespace {

using Code = std::vector<std::uint8_t>;

void expect(const Code& code, InstructionKind kind, unsigned operand) {
  const Instruction found = recognise(code);
  EXPECT_EQ(found.kind, kind);
  EXPECT_EQ(found.operand, operand);
}

TEST(Instruction, RecognisesMarkers) {
  expect({0x0f, 0x1f, 0x84, 0x00, 0x01, 0x00, 0x4e, 0x48}, InstructionKind::marker, 1);
  expect({0x0f, 0x1f, 0x84, 0x00, 0x04, 0x00, 0x4e, 0x48}, InstructionKind::marker, 4);
}

TEST(Instruction, RecognisesNoMarkerInOtherLongNops) {
  expect({0x0f, 0x1f, 0x84, 0x00, 0, 0, 0, 0}, InstructionKind::other, 0);
  expect({0x0f, 0x1f, 0x84, 0x00, 0x01, 0x00, 0x4e, 0x49}, InstructionKind::other, 0);
  expect({0x0f, 0x1f, 0x44, 0x00, 0x00}, InstructionKind::other, 0);
}

#if defined(__x86_64__)
/// The first marker within the first bytes of a function's code.
Instruction first_marker(void (*function)()) {
  Code code(64);
  std::memcpy(code.data(), reinterpret_cast<void*>(function), code.size());
  for (std::size_t at = 0; at + 8 <= code.size(); ++at) {
    const Instruction found = recognise({code.data() + at, 8});
    if (found.kind == InstructionKind::marker) return found;
  }
  return {};
}

void begin() {
  hn_marker_begin();
}
void end() {
  hn_marker_end();
}
void thread() {
  hn_marker_thread(7);
}
void begin_all() {
  hn_marker_begin_all();
}
void end_any() {
  hn_marker_end_any();
}
void clock_of_slot() {
  hn_marker_clock(3);
}

TEST(Instruction, RecognisesTheMarkersThatProgramsExecute) {
  EXPECT_EQ(first_marker(begin).operand, unsigned{HN_MARKER_BEGIN});
  EXPECT_EQ(first_marker(end).operand, unsigned{HN_MARKER_END});
  EXPECT_EQ(first_marker(thread).operand, unsigned{HN_MARKER_THREAD});
  EXPECT_EQ(first_marker(begin_all).operand, unsigned{HN_MARKER_BEGIN_ALL});
  EXPECT_EQ(first_marker(end_any).operand, unsigned{HN_MARKER_END_ANY});
  EXPECT_EQ(first_marker(clock_of_slot).operand, unsigned{HN_MARKER_CLOCK});
}

void roi_begin() {
  hn_roi_begin();
}
void roi_begin_all() {
  hn_roi_begin_all();
}
void roi_end() {
  hn_roi_end();
}
void roi_thread() {
  hn_roi_thread(7);
}

TEST(Instruction, RecognisesThoseOfTheHeaderForOnesOwnProgram) {
  EXPECT_EQ(first_marker(roi_begin).operand, unsigned{HN_MARKER_BEGIN});
  EXPECT_EQ(first_marker(roi_begin_all).operand, unsigned{HN_MARKER_BEGIN_ALL});
  EXPECT_EQ(first_marker(roi_end).operand, unsigned{HN_MARKER_END});
  EXPECT_EQ(first_marker(roi_thread).operand, unsigned{HN_MARKER_THREAD});
}

TEST(Instruction, MarkersDoNothingWhenExecuted) {
  hn_marker_begin();
  hn_marker_begin_all();
  hn_marker_thread(3);
  hn_marker_end();
}
#endif

TEST(Instruction, RecognisesWritesOfCr3) {
  expect({0x0f, 0x22, 0xd8}, InstructionKind::write_cr3, 0);         // mov %rax,%cr3
  expect({0x0f, 0x22, 0xdf}, InstructionKind::write_cr3, 7);         // mov %rdi,%cr3
  expect({0x41, 0x0f, 0x22, 0xdc}, InstructionKind::write_cr3, 12);  // mov %r12,%cr3
}

TEST(Instruction, RecognisesNoWriteOfOtherControlRegisters) {
  expect({0x0f, 0x22, 0xe0}, InstructionKind::other, 0);        // mov %rax,%cr4
  expect({0x0f, 0x20, 0xd8}, InstructionKind::other, 0);        // mov %cr3,%rax
  expect({0x44, 0x0f, 0x22, 0xd8}, InstructionKind::other, 0);  // mov %rax,%cr11
}

TEST(Instruction, RecognisesWritesOfFsBase) {
  expect({0xf3, 0x48, 0x0f, 0xae, 0xd7}, InstructionKind::write_fs_base, 7);  // wrfsbase %rdi
  expect({0xf3, 0x49, 0x0f, 0xae, 0xd0}, InstructionKind::write_fs_base, 8);  // wrfsbase %r8
  expect({0xf3, 0x0f, 0xae, 0xd0}, InstructionKind::write_fs_base32, 0);      // wrfsbase %eax
  expect({0xf3, 0x48, 0x0f, 0xae, 0xdf}, InstructionKind::other, 0);          // wrgsbase %rdi
  expect({0xf3, 0x48, 0x0f, 0xae, 0xc7}, InstructionKind::other, 0);          // rdfsbase %rdi
  expect({0x0f, 0xae, 0x17}, InstructionKind::other, 0);                      // ldmxcsr (%rdi)
  expect({0x0f, 0x30}, InstructionKind::write_msr, 0);
  expect({0xf3, 0x90}, InstructionKind::pause, 0);
  expect({0x90}, InstructionKind::other, 0);        // nop
  expect({0x0f, 0x32}, InstructionKind::other, 0);  // rdmsr
}

TEST(Instruction, IsNothingSpecialWhenEmptyOrCutShort) {
  expect({}, InstructionKind::other, 0);
  expect({0xf3}, InstructionKind::other, 0);
  expect({0x48}, InstructionKind::other, 0);
  expect({0x0f, 0x22}, InstructionKind::other, 0);
  EXPECT_FALSE(is_repeated_string(Code{}));
  EXPECT_FALSE(is_repeated_string(Code{0xf3}));
  EXPECT_FALSE(is_repeated_string(Code{0xf3, 0x48}));
}

TEST(Instruction, TellsRepeatedStringInstructions) {
  EXPECT_TRUE(is_repeated_string(Code{0xf3, 0xa4}));               // rep movsb
  EXPECT_TRUE(is_repeated_string(Code{0xf3, 0x48, 0xa5}));         // rep movsq
  EXPECT_TRUE(is_repeated_string(Code{0xf3, 0x48, 0xab}));         // rep stosq
  EXPECT_TRUE(is_repeated_string(Code{0xf3, 0x66, 0xab}));         // rep stosw
  EXPECT_TRUE(is_repeated_string(Code{0xf2, 0xae}));               // repne scasb
  EXPECT_FALSE(is_repeated_string(Code{0xa4}));                    // movsb
  EXPECT_FALSE(is_repeated_string(Code{0xf3, 0xc3}));              // rep ret
  EXPECT_FALSE(is_repeated_string(Code{0xf3, 0x0f, 0x1e, 0xfa}));  // endbr64
  EXPECT_FALSE(is_repeated_string(Code{0xf3, 0xa8}));              // test $imm,%al
}

}  // namespace
}  // namespace homenode::lab
