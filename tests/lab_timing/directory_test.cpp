#include "lab/timing/directory.h"

#include <gtest/gtest.h>

#include <utility>

namespace homenode::lab {
namespace {

constexpr unsigned highest_vcpu = 4093;

TEST(LineState, IsHeldByNobodyWhereAllBitsAreZero) {
  constexpr LineState state;
  EXPECT_EQ(state.bits(), 0U);
  EXPECT_EQ(state.version(), 0U);
  EXPECT_EQ(state.holder(), LineState::nobody);
  EXPECT_FALSE(state.shared() || state.dirty());
  EXPECT_FALSE(state.writable_by(0) || state.writable_by(highest_vcpu));
}

TEST(LineState, GivesBackWhatItWasMadeOf) {
  for (const unsigned version : {0U, 1U, 0x8000U, 0xffffU}) {
    for (const unsigned holder : {0U, 1U, 255U, highest_vcpu, LineState::nobody}) {
      for (unsigned flags = 0; flags < 4; ++flags) {
        const auto state = LineState::of(static_cast<std::uint16_t>(version), holder,
                                         (flags & 1U) != 0, (flags & 2U) != 0);
        EXPECT_EQ(state.version(), version);
        EXPECT_EQ(state.holder(), holder);
        EXPECT_EQ(state.shared(), (flags & 1U) != 0);
        EXPECT_EQ(state.dirty(), (flags & 2U) != 0);
        EXPECT_EQ(LineState(state.bits()), state);
      }
    }
  }
}

TEST(LineState, MayBeWrittenOnlyByWhoHoldsItAlone) {
  const LineState alone = LineState().held_by(5);
  EXPECT_TRUE(alone.writable_by(5));
  EXPECT_FALSE(alone.writable_by(4));
  EXPECT_FALSE(alone.with_sharers().writable_by(5));
  EXPECT_TRUE(alone.written().writable_by(5));
  EXPECT_FALSE(alone.written().let_go().writable_by(5));
}

TEST(LineState, ChangesItsVersionOnlyWhenOthersCopiesBecomeStale) {
  for (const unsigned version : {0U, 77U, 0xffffU}) {
    const auto next = static_cast<std::uint16_t>(version + 1);
    const auto state = LineState::of(static_cast<std::uint16_t>(version), 3, false, true);
    EXPECT_EQ(state.taken_by(4), LineState::of(next, 4, false, true));
    EXPECT_EQ(state.bypassed(), LineState::of(next, LineState::nobody, false, false));
    for (const LineState same :
         {state.held_by(4), state.with_sharers(), state.written(), state.let_go()}) {
      EXPECT_EQ(same.version(), version);
    }
  }
}

TEST(LineState, IsCleanOnceShared) {
  const LineState shared = LineState().taken_by(9).with_sharers();
  EXPECT_TRUE(shared.shared());
  EXPECT_FALSE(shared.dirty());
  EXPECT_EQ(shared.holder(), 9U);
}

TEST(Directory, BeginsWithLinesThatNobodyHolds) {
  auto directory = Directory::create(std::uint64_t{1} << 20);
  ASSERT_TRUE(directory);
  EXPECT_EQ(directory->lines(), std::uint64_t{1} << 20);
  for (const std::uint64_t line : {0U, 1U, 4095U, (1U << 20) - 1}) {
    EXPECT_EQ((*directory)[line].load(), 0U);
  }
}

TEST(Directory, ForgetsEveryLineWhenCleared) {
  auto directory = Directory::create(100'000);
  ASSERT_TRUE(directory);
  for (std::uint64_t line = 0; line < 100'000; ++line) (*directory)[line] = ~0U;
  directory->clear();
  for (std::uint64_t line = 0; line < 100'000; ++line) ASSERT_EQ((*directory)[line].load(), 0U);
}

TEST(Directory, TakesItsLinesAlongWhenMoved) {
  auto made = Directory::create(4096);
  ASSERT_TRUE(made);
  (*made)[17] = 42;
  const Directory moved = *std::move(made);
  EXPECT_EQ(moved[17].load(), 42U);
  EXPECT_EQ(moved.lines(), 4096U);
}

TEST(Directory, SaysWhenThereIsNoRoom) {
  const auto directory = Directory::create(std::uint64_t{1} << 60);
  ASSERT_FALSE(directory);
  EXPECT_EQ(directory.error().code, ErrorCode::failed);
  EXPECT_NE(directory.error().next.find("--node-memory"), std::string::npos);
}

}  // namespace
}  // namespace homenode::lab
