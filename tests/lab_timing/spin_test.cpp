#include "lab/timing/spin.h"

#include <gtest/gtest.h>

namespace homenode::lab {
namespace {

std::optional<std::size_t> point(const std::vector<std::vector<std::uint8_t>>& block) {
  return spin_point(std::vector<Code>(block.begin(), block.end()));
}

TEST(SpinPoint, IsAPauseWhereverItStands) {
  EXPECT_EQ(point({{0x90}, {0xf3, 0x90}}), 1U);
  EXPECT_EQ(point({{0xf3, 0x90}, {0xc3}}), 0U);
  EXPECT_EQ(point({{0x90}}), std::nullopt);
}

TEST(SpinPoint, IsTheJumpOfALoopThatOnlyLooks) {
  EXPECT_EQ(point({{0x8b, 0x07}, {0x85, 0xc0}, {0x74, 0xfa}}), 2U);  // mov eax, [rdi]; test; je
  EXPECT_EQ(point({{0x39, 0x07}, {0x0f, 0x85, 0xf8, 0xff, 0xff, 0xff}}), 1U);  // cmp [rdi], eax
  // mov rax, [rbp-8]; mov eax, [rax]; cmp eax, ecx; jne
  EXPECT_EQ(point({{0x48, 0x8b, 0x45, 0xf8}, {0x8b, 0x00}, {0x39, 0xc8}, {0x75, 0xf6}}), 3U);
}

TEST(SpinPoint, IsNotInALoopThatWalksOrWritesOrCounts) {
  // mov rax, [rax]; test rax, rax; jne
  EXPECT_EQ(point({{0x48, 0x8b, 0x00}, {0x48, 0x85, 0xc0}, {0x75, 0xf8}}), std::nullopt);
  EXPECT_EQ(point({{0x89, 0x07}, {0x85, 0xc0}, {0x74, 0xfa}}), std::nullopt);  // mov [rdi], eax
  EXPECT_EQ(point({{0x8b, 0x07}, {0xff, 0xc9}, {0x75, 0xfa}}), std::nullopt);  // dec ecx
  EXPECT_EQ(point({{0x85, 0xc0}, {0x74, 0xfc}}), std::nullopt);  // It looks at nothing.
}

TEST(SpinPoint, IsNotWhereTheJumpGoesElsewhere) {
  EXPECT_EQ(point({{0x8b, 0x07}, {0x85, 0xc0}, {0x74, 0xfc}}), std::nullopt);
  EXPECT_EQ(point({{0x8b, 0x07}, {0xeb, 0xfc}}), std::nullopt);
}

}  // namespace
}  // namespace homenode::lab
