#include "base/result.h"

#include <gtest/gtest.h>

#include <cerrno>

namespace homenode {
namespace {

Result<int> half(int value) {
  if (value % 2 != 0) return bad_usage("cannot halve an odd number", "give an even one");
  return value / 2;
}

TEST(Result, CarriesAValueOrAnError) {
  EXPECT_EQ(*half(4), 2);
  const auto odd = half(3);
  ASSERT_FALSE(odd.has_value());
  EXPECT_EQ(odd.error().code, ErrorCode::bad_usage);
  EXPECT_EQ(odd.error().message(), "cannot halve an odd number; give an even one");
}

TEST(Result, MessageNamesTheErrno) {
  const Result<void> denied = not_supported("mbind was refused", "add CAP_SYS_NICE", EPERM);
  ASSERT_FALSE(denied.has_value());
  EXPECT_EQ(denied.error().message(),
            "mbind was refused: Operation not permitted; add CAP_SYS_NICE");
}

}  // namespace
}  // namespace homenode
