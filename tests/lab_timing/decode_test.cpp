#include "lab/timing/decode.h"

#include <gtest/gtest.h>

namespace homenode::lab {
namespace {

using Bytes = std::vector<std::uint8_t>;

constexpr Register rax = 0;
constexpr Register rcx = 1;
constexpr Register rdx = 2;
constexpr Register rsi = 6;
constexpr Register rdi = 7;
constexpr Register none = AccessShape::none;
constexpr Register nowhere = AccessShape::nowhere;

std::vector<Decoded> decode(const std::vector<Bytes>& block, bool kernel = false) {
  return decode_block(std::vector<Code>(block.begin(), block.end()), kernel);
}

void expect_shape(AccessShape shape, Register base, Register index, Register target) {
  EXPECT_EQ(shape.base(), base);
  EXPECT_EQ(shape.index(), index);
  EXPECT_EQ(shape.target(), target);
}

TEST(DecodeBlock, SeesAPointerChase) {
  const auto block = decode({{0x48, 0x8b, 0x00}});  // mov rax, [rax]
  expect_shape(block[0].shape, rax, none, rax);
}

TEST(DecodeBlock, SeesAnIndexChaseThroughAnExtension) {
  const auto block = decode({{0x8b, 0x04, 0x8f},    // mov eax, [rdi+rcx*4]
                             {0x48, 0x63, 0xc8}});  // movsxd rcx, eax
  expect_shape(block[0].shape, rdi, rax, rax);
}

TEST(DecodeBlock, KeepsIndependentLoadsApart) {
  const auto block = decode({{0x48, 0x8b, 0x04, 0x0f},    // mov rax, [rdi+rcx]
                             {0x48, 0x8b, 0x14, 0x0e},    // mov rdx, [rsi+rcx]
                             {0x48, 0x83, 0xc1, 0x08}});  // add rcx, 8
  expect_shape(block[0].shape, rdi, rcx, rax);
  expect_shape(block[1].shape, rsi, rcx, rdx);
}

TEST(DecodeBlock, FollowsAddressesThroughArithmetic) {
  const auto block = decode({{0x48, 0x8b, 0x07},              // mov rax, [rdi]
                             {0x48, 0x8d, 0x4c, 0xc6, 0x10},  // lea rcx, [rsi+rax*8+16]
                             {0x48, 0x8d, 0x11},              // lea rdx, [rcx]
                             {0x48, 0x8b, 0x32}});            // mov rsi, [rdx]
  expect_shape(block[0].shape, rdi, none, rax);
  // In a loop rsi is loaded after rax, but the round before.
  expect_shape(block[3].shape, rax, none, rsi);
}

TEST(DecodeBlock, WaitsForNothingWhereAnAddressIsANumber) {
  const auto block = decode({{0x48, 0x8b, 0x07},                            // mov rax, [rdi]
                             {0xb8, 0x00, 0x10, 0x00, 0x00},                // mov eax, 0x1000
                             {0x48, 0x8b, 0x08},                            // mov rcx, [rax]
                             {0x48, 0x8b, 0x15, 0x00, 0x01, 0x00, 0x00}});  // mov rdx, [rip+256]
  expect_shape(block[2].shape, none, none, rcx);
  expect_shape(block[3].shape, none, none, rdx);
}

TEST(DecodeBlock, KnowsThatARegisterClearedByItselfIsANumber) {
  const auto block = decode({{0x48, 0x8b, 0x07},          // mov rax, [rdi]
                             {0x31, 0xc0},                // xor eax, eax
                             {0x48, 0x8b, 0x0c, 0x06}});  // mov rcx, [rsi+rax]
  expect_shape(block[2].shape, rsi, none, rcx);
}

TEST(DecodeBlock, DoesNotTakeAStoreForALoad) {
  const auto block = decode({{0x48, 0x89, 0x07},          // mov [rdi], rax
                             {0x48, 0x01, 0x07},          // add [rdi], rax
                             {0xf3, 0x0f, 0x6f, 0x07}});  // movdqu xmm0, [rdi]
  for (const Decoded& item : block) expect_shape(item.shape, rdi, none, nowhere);
}

TEST(DecodeBlock, KnowsAtomicOperations) {
  const auto block = decode({{0xf0, 0x48, 0x0f, 0xb1, 0x0f},  // lock cmpxchg [rdi], rcx
                             {0x48, 0x87, 0x07},              // xchg [rdi], rax
                             {0x48, 0x87, 0xc1},              // xchg rcx, rax
                             {0x48, 0x0f, 0xb1, 0x0f}});      // cmpxchg [rdi], rcx
  EXPECT_TRUE(block[0].shape.is_ordered());
  EXPECT_EQ(block[0].shape.target(), rax);
  EXPECT_TRUE(block[1].shape.is_ordered());
  EXPECT_EQ(block[1].shape.target(), rax);
  EXPECT_FALSE(block[2].shape.is_ordered());
  EXPECT_FALSE(block[3].shape.is_ordered());
}

TEST(DecodeBlock, KnowsStoresPastTheCaches) {
  const auto block = decode({{0x48, 0x0f, 0xc3, 0x07},    // movnti [rdi], rax
                             {0xc5, 0xfd, 0xe7, 0x07},    // vmovntdq [rdi], ymm0
                             {0x66, 0x0f, 0xe7, 0x07},    // movntdq [rdi], xmm0
                             {0x66, 0x0f, 0x7f, 0x07}});  // movdqa [rdi], xmm0
  EXPECT_TRUE(block[0].shape.is_past_caches());
  EXPECT_TRUE(block[1].shape.is_past_caches());
  EXPECT_TRUE(block[2].shape.is_past_caches());
  EXPECT_FALSE(block[3].shape.is_past_caches());
}

TEST(DecodeBlock, NeverWaitsForTheStackPointer) {
  const auto block = decode({{0x58},                            // pop rax
                             {0x50},                            // push rax
                             {0x48, 0x8b, 0x4c, 0x24, 0x08},    // mov rcx, [rsp+8]
                             {0x48, 0x8b, 0x24, 0x24},          // mov rsp, [rsp]
                             {0xc3},                            // ret
                             {0xe8, 0x00, 0x00, 0x00, 0x00}});  // call
  EXPECT_EQ(block[0].shape.target(), rax);
  EXPECT_EQ(block[1].shape.target(), nowhere);
  EXPECT_EQ(block[2].shape.target(), rcx);
  // The stack pointer's number stands for itself, and no load ever fills it.
  for (const Decoded& item : block) {
    EXPECT_NE(item.shape.target(), 4U);
    EXPECT_TRUE(item.shape.base() == 4 || item.shape.base() == none);
  }
}

TEST(DecodeBlock, DoesNotChainTheSteppingOfAString) {
  for (const Bytes& code : {Bytes{0x48, 0xa5},        // movsq
                            Bytes{0xf3, 0x48, 0xa5},  // rep movsq
                            Bytes{0xf3, 0xa4}}) {     // rep movsb
    const AccessShape shape = decode({code})[0].shape;
    EXPECT_EQ(shape.target(), nowhere) << code.size();
  }
}

TEST(DecodeBlock, SeesWhereAnInterruptComesIn) {
  const auto system = decode({{0xfc},        // cld
                              {0x6a, 0xff},  // push -1
                              {0xe8, 0, 0, 0, 0}},
                             true);
  EXPECT_EQ(system[0].event, KernelEvent::interrupt_entry);
  EXPECT_EQ(system[1].event, KernelEvent::none);
  const auto device = decode({{0xf3, 0x0f, 0x1e, 0xfa},  // endbr64
                              {0x6a, 0x23},              // push 0x23
                              {0xe9, 0, 0, 0, 0}},
                             true);  // jmp
  EXPECT_EQ(device[1].event, KernelEvent::interrupt_entry);
  const auto bare = decode({{0x6a, 0x23}, {0xeb, 0x10}}, true);
  EXPECT_EQ(bare[0].event, KernelEvent::interrupt_entry);
  const auto other = decode({{0xfc}, {0x50}, {0x6a, 0x01}, {0x50}}, true);
  for (const Decoded& item : other) EXPECT_EQ(item.event, KernelEvent::none);
}

TEST(DecodeBlock, SeesWhereTheKernelIsLeftOrChangesMappings) {
  const auto block = decode({{0x48, 0xcf},                     // iretq
                             {0x48, 0x0f, 0x07},               // sysretq
                             {0x0f, 0x01, 0x38},               // invlpg [rax]
                             {0x0f, 0x22, 0xe0},               // mov cr4, rax
                             {0x0f, 0x20, 0xe0},               // mov rax, cr4
                             {0x66, 0x0f, 0x38, 0x82, 0x00}},  // invpcid rax, [rax]
                            true);
  EXPECT_EQ(block[0].event, KernelEvent::interrupt_return);
  EXPECT_EQ(block[1].event, KernelEvent::system_return);
  EXPECT_EQ(block[2].event, KernelEvent::mapping_change);
  EXPECT_EQ(block[3].event, KernelEvent::mapping_change);
  EXPECT_EQ(block[4].event, KernelEvent::none);
  EXPECT_EQ(block[5].event, KernelEvent::mapping_change);
}

TEST(DecodeBlock, LeavesUsersCodeItsEventsAndMarksTheKernels) {
  const auto users = decode({{0xfc}, {0x6a, 0xff}, {0x48, 0xcf}});
  for (const Decoded& item : users) {
    EXPECT_EQ(item.event, KernelEvent::none);
    EXPECT_FALSE(item.shape.is_by_kernel());
  }
  EXPECT_TRUE(decode({{0x48, 0x8b, 0x00}}, true)[0].shape.is_by_kernel());
}

TEST(DecodeBlock, GivesWhatItDoesNotUnderstandTheDefaultShape) {
  const auto block = decode({{0x06}, {0x48}, {}, {0x48, 0x8b, 0x00}});
  ASSERT_EQ(block.size(), 4U);
  for (int i = 0; i < 3; ++i)
    expect_shape(block[static_cast<std::size_t>(i)].shape, none, none, nowhere);
  expect_shape(block[3].shape, rax, none, rax);
  EXPECT_TRUE(decode({}).empty());
}

}  // namespace
}  // namespace homenode::lab
