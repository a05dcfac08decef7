// A thread's stack in a mapping that it shares with an array.
#include "sensing/stack_extent.h"

#include <gtest/gtest.h>

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

TEST(StackExtent, AStackEndsItsSizeAboveTheGuard) {
  EXPECT_EQ(stack_end(entries, first, end, top - 64, 8U << 20U), top);
}

TEST(StackExtent, NothingIsCutWhereItsEndIsNotKnown) {
  EXPECT_FALSE(stack_end(entries, first, top, top - 64, 8U << 20U)) << "nothing is above it";
  EXPECT_FALSE(stack_end(entries, first, end, top + 64, 8U << 20U)) << "it is a larger one";
  EXPECT_FALSE(stack_end(entries, first, end, top - 64, 0)) << "no size is known";
  EXPECT_FALSE(stack_end({}, first, end, top - 64, 8U << 20U)) << "no guard is seen";
}

}  // namespace
}  // namespace homenode::sensing
