// A thread's stack in a mapping that it shares with an array.
#include "sensing/stack_extent.h"

#include <gtest/gtest.h>

#include <array>

#include "sensing/control_block.h"

namespace homenode::sensing {
namespace {

constexpr const char* limits =
    "Limit                     Soft Limit           Hard Limit           Units     \n"
    "Max cpu time              unlimited            unlimited            seconds   \n"
    "Max stack size            8388608              unlimited            bytes     \n";

/// A guard of 4 KiB, 8 MiB of stack, and an array above in the same mapping.
const std::vector<MapsEntry> entries = parse_maps(
    "7f0000000000-7f0000001000 ---p 00000000 00:00 0\n"
    "7f0000001000-7f0004000000 rw-p 00000000 00:00 0\n");
constexpr std::uint64_t first = 0x7f0000001000;
constexpr std::uint64_t end = 0x7f0004000000;
constexpr std::uint64_t top = 0x7f0000801000;

TEST(StackExtent, TheUsualSizeIsTheLimit) {
  EXPECT_EQ(usual_stack_bytes(limits), 8U << 20U);
  EXPECT_EQ(usual_stack_bytes("Max stack size  unlimited  unlimited  bytes\n"), 2U << 20U);
  EXPECT_FALSE(usual_stack_bytes("Max cpu time unlimited\n"));
  EXPECT_FALSE(usual_stack_bytes(""));
}

constexpr std::uint64_t usual = 8U << 20U;
constexpr std::uint64_t block = first + (16U << 20U) - 0x900;

TEST(StackExtent, WithoutAControlBlockAStackEndsItsUsualSizeAboveTheGuard) {
  EXPECT_EQ(stack_extent(entries, {first, end}, {top - 64, usual, {}}), (Extent{first, top}));
}

TEST(StackExtent, AStackOfAnotherSizeEndsWithItsControlBlock) {
  const Extent larger{first, first + (16U << 20U)};
  EXPECT_EQ(stack_extent(entries, {first, end}, {block - 512, usual, block}), larger);
  EXPECT_EQ(stack_extent(entries, {first, end}, {first + 64, 0, first + 0x700}),
            (Extent{first, first + 4096}));
}

TEST(StackExtent, AStackWithoutAGuardBeginsItsUsualSizeBelowItsEnd) {
  EXPECT_EQ(stack_extent({}, {first, end}, {block - 512, usual, block}),
            (Extent{first + usual, first + 2 * usual}));
  EXPECT_EQ(stack_extent({}, {first, end}, {first + 4100, usual, block}),
            (Extent{first + 4096, first + 2 * usual}))
      << "its pointer shows that it is larger";
}

TEST(StackExtent, NothingIsCutWhereItsEndIsNotKnown) {
  const auto found = [](const std::vector<MapsEntry>& maps, Extent mapping, std::uint64_t pointer,
                        std::uint64_t bytes) {
    return stack_extent(maps, mapping, {pointer, bytes, {}});
  };
  EXPECT_FALSE(found(entries, {first, top}, top - 64, usual)) << "nothing is above it";
  EXPECT_FALSE(found(entries, {first, end}, top + 64, usual)) << "it is a larger one";
  EXPECT_FALSE(found(entries, {first, end}, top - 64, 0)) << "no size is known";
  EXPECT_FALSE(found({}, {first, end}, top - 64, usual)) << "no guard is seen";
}

TEST(StackExtent, AControlBlockPointsToItselfTwice) {
  std::array<std::uint64_t, 64> words{};
  const std::string_view bytes(reinterpret_cast<const char*>(words.data()), sizeof words);
  EXPECT_FALSE(control_block_in(bytes, first));
  words[8] = words[9] = first + 128;  // A list that is empty, elsewhere.
  words[16] = first + 128;
  EXPECT_FALSE(control_block_in(bytes, first)) << "only once";
  words[18] = first + 128;
  EXPECT_EQ(control_block_in(bytes, first), first + 128);
  EXPECT_FALSE(control_block_in(bytes.substr(0, 8 * 18), first)) << "cut off";
  EXPECT_FALSE(control_block_in({}, first));
}

}  // namespace
}  // namespace homenode::sensing
