// Numbers and sizes as people write them: what is read, what is refused, and by which words.
#include "base/sizes.h"

#include <gtest/gtest.h>

#include <fmt/format.h>

namespace homenode {
namespace {

TEST(Numbers, AreTheWholeText) {
  EXPECT_EQ(number_in("0"), 0U);
  EXPECT_EQ(number_in("18446744073709551615"), 18446744073709551615U);
  EXPECT_EQ(number_in<unsigned>("ff", 16), 255U);
  for (const char* text : {"", " 1", "1 ", "+1", "-1", "1x", "0x1", "18446744073709551616"}) {
    EXPECT_FALSE(number_in(text)) << text;
  }
  EXPECT_FALSE(number_in<unsigned>("4294967296"));
}

TEST(Numbers, MayBeRealAndAreFinite) {
  EXPECT_EQ(real_in("0.5"), 0.5);
  EXPECT_EQ(real_in("-2e3"), -2000.0);
  for (const char* text : {"", " 1", "1s", "nan", "inf", "1e999"}) {
    EXPECT_FALSE(real_in(text)) << text;
  }
}

TEST(Numbers, AreOctalBehindAZeroOnlyWhereThatIsAsked) {
  EXPECT_EQ(c_number_in("010", LeadingZero::decimal), 10U);
  EXPECT_EQ(c_number_in("010", LeadingZero::octal), 8U);
  EXPECT_EQ(c_number_in("0x1F", LeadingZero::decimal), 31U);
  EXPECT_EQ(c_number_in("0X1f", LeadingZero::octal), 31U);
  EXPECT_EQ(c_number_in("0", LeadingZero::octal), 0U);
  EXPECT_FALSE(c_number_in("08", LeadingZero::octal));
  EXPECT_FALSE(c_number_in("0x", LeadingZero::octal));
}

TEST(Sizes, AreBytesOrPowersOf1024) {
  EXPECT_EQ(parse_size("64")->value, 64U);
  EXPECT_EQ(parse_size("3k")->value, 3072U);
  EXPECT_EQ(parse_size("16M")->value, 16U << 20U);
  EXPECT_EQ(parse_size("2g")->value, std::uint64_t{2} << 30U);
  EXPECT_EQ(parse_size("1T")->value, std::uint64_t{1} << 40U);
}

TEST(Sizes, MayNameBytesBehindTheirPower) {
  EXPECT_EQ(parse_size("16MB")->value, 16U << 20U);
  EXPECT_EQ(parse_size("16MiB")->value, 16U << 20U);
  EXPECT_EQ(parse_size("1kiB")->value, 1024U);
}

TEST(Sizes, AreReadInHexadecimalToo) {
  EXPECT_EQ(parse_size("0x1000")->value, 4096U);
  EXPECT_EQ(parse_size("0x10k")->value, 16384U);
  EXPECT_EQ(parse_size("0x1B")->value, 27U);
  EXPECT_EQ(parse_size("0x1kB")->value, 1024U);
}

TEST(Sizes, HaveOctalDigitsOnlyWhereNumactlsOptionsAreRead) {
  EXPECT_EQ(parse_size("010k")->value, 10240U);
  EXPECT_EQ(parse_size("010k", LeadingZero::octal)->value, 8192U);
}

TEST(Sizes, AreRefusedInOneWay) {
  for (const char* text :
       {"", "M", "B", "iB", "kB", "-1", "1.5M", "1 k", "1kk", "16x", "16B", "16iB", "16Mi", "16Mib",
        " 16", "0x", "18446744073709551616", "16777216t", "17179869184g"}) {
    const auto size = parse_size(text);
    ASSERT_FALSE(size) << text;
    EXPECT_EQ(size.error().code, ErrorCode::bad_usage);
    EXPECT_EQ(size.error().message(),
              fmt::format("cannot read the size '{}'; {}", text, size_advice));
  }
}

}  // namespace
}  // namespace homenode
