#include "lab/timing/access_shape.h"

#include <gtest/gtest.h>

namespace homenode::lab {
namespace {

TEST(AccessShape, WaitsForNothingAndFillsNothingAtFirst) {
  const AccessShape shape;
  EXPECT_EQ(shape.base(), AccessShape::none);
  EXPECT_EQ(shape.index(), AccessShape::none);
  EXPECT_EQ(shape.target(), AccessShape::nowhere);
  EXPECT_FALSE(shape.is_past_caches() || shape.is_ordered() || shape.is_by_kernel());
}

TEST(AccessShape, KeepsEachPartApart) {
  for (Register base = 0; base <= AccessShape::none; ++base) {
    for (Register target = 0; target < AccessShape::registers; ++target) {
      const Register index = AccessShape::none - base;
      const AccessShape first = AccessShape().waiting_for(3, 5).past_caches().filling(target);
      const AccessShape shape = first.by_kernel().waiting_for(base, index);
      EXPECT_EQ(shape.base(), base);
      EXPECT_EQ(shape.index(), index);
      EXPECT_EQ(shape.target(), target);
      EXPECT_TRUE(shape.is_past_caches() && shape.is_by_kernel());
      EXPECT_FALSE(shape.is_ordered());
      EXPECT_TRUE(shape.ordered().is_ordered());
      EXPECT_EQ(AccessShape(shape.bits()).bits(), shape.bits());
    }
  }
}

}  // namespace
}  // namespace homenode::lab
