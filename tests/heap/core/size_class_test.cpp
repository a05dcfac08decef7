#include "heap/size_class.h"

#include <gtest/gtest.h>

#include "heap/page.h"

namespace homenode::heap {
namespace {

TEST(SizeClass, HoldsWhatItIsForAndIsTheLeastThatDoes) {
  for (std::size_t bytes = 1; bytes <= medium_bytes; ++bytes) {
    const unsigned c = compute_class(bytes);
    ASSERT_LT(c, class_count) << bytes;
    ASSERT_GE(compute_bytes(c), bytes);
    if (c > 0) {
      ASSERT_LT(compute_bytes(c - 1), bytes);
    }
    if (bytes <= small_bytes) {
      ASSERT_EQ(small_class(bytes), c) << bytes;
    }
  }
  EXPECT_EQ(small_class(0), small_class(1));
}

TEST(SizeClass, LosesAnEighthOrAQuarterAtMost) {
  for (std::size_t bytes = linear_bytes + 1; bytes <= medium_bytes; ++bytes) {
    const std::size_t lost = compute_bytes(compute_class(bytes)) - bytes;
    ASSERT_LT(lost * (bytes <= small_bytes ? 8 : 4), bytes) << bytes;
  }
}

TEST(SizeClass, KeepsTheAlignmentOfARoundedSize) {
  for (std::size_t alignment = 16; alignment <= medium_bytes; alignment *= 2) {
    for (std::size_t bytes = alignment; bytes <= medium_bytes; bytes += alignment) {
      ASSERT_EQ(compute_bytes(compute_class(bytes)) % alignment, 0U) << bytes;
    }
  }
}

TEST(SizeClass, HasRoomForTwoBlocksInAPageAndLosesLittle) {
  for (unsigned c = 0; c < class_count; ++c) {
    const std::size_t bytes = slices_of_class(c) * slice_bytes;
    EXPECT_GE(bytes / compute_bytes(c), 2U) << compute_bytes(c);
    EXPECT_LE(bytes % compute_bytes(c), bytes / 8) << compute_bytes(c);
  }
}

}  // namespace
}  // namespace homenode::heap
