#include "lab/plugin/arguments.h"

#include <gtest/gtest.h>

namespace homenode::lab {
namespace {

Result<Arguments> parse(std::vector<std::string_view> words) {
  return parse_arguments(words);
}

/// The sound arguments with one of them replaced or, when empty, left out.
Result<Arguments> parse_with(std::string_view key, std::string_view word) {
  std::vector<std::string_view> words = {"out=/tmp/counts", "ranges=0:0:4096", "vcpus=2",
                                         "cache=524288:16:64"};
  std::erase_if(words, [key](std::string_view w) { return w.substr(0, w.find('=')) == key; });
  if (!word.empty()) words.push_back(word);
  return parse_arguments(words);
}

TEST(Arguments, AreReadWhole) {
  const auto parsed = parse({"out=/tmp/a b=c", "ranges=0:0x0:0x80000000+8:0x100000000:4096",
                             "vcpus=16", "cache=1310720:20:64"});
  ASSERT_TRUE(parsed);
  EXPECT_EQ(parsed->out, "/tmp/a b=c");
  ASSERT_EQ(parsed->ranges.size(), 2U);
  EXPECT_EQ(parsed->ranges[0].size, 0x80000000U);
  EXPECT_EQ(parsed->ranges[1].node, NodeId(8));
  EXPECT_EQ(parsed->ranges[1].base, 0x100000000U);
  EXPECT_EQ(parsed->ranges[1].size, 4096U);
  EXPECT_EQ(parsed->vcpus, 16U);
  EXPECT_EQ(parsed->cache.bytes, 1310720U);
  EXPECT_EQ(parsed->cache.ways, 20U);
  EXPECT_EQ(parsed->cache.line_bytes, 64U);
  EXPECT_FALSE(parsed->addresses);
}

TEST(Arguments, MayAskForNoCache) {
  for (const std::string_view word : {"cache=0", "cache=0:0:64", "cache=0:16:64"}) {
    const auto parsed = parse_with("cache", word);
    ASSERT_TRUE(parsed) << word;
    EXPECT_EQ(parsed->cache.bytes, 0U);
    EXPECT_EQ(parsed->cache.line_bytes, 64U);
  }
}

TEST(Arguments, MayNameTheFormOfAddresses) {
  EXPECT_EQ(parse_with("addresses", "addresses=ram-block")->addresses, AddressForm::ram_block);
  EXPECT_EQ(parse_with("addresses", "addresses=guest-physical")->addresses,
            AddressForm::guest_physical);
  EXPECT_FALSE(parse_with("addresses", "addresses=virtual"));
}

TEST(Arguments, MayAskForCountsByUnitOfMemory) {
  EXPECT_EQ(parse_with("", "")->samples, "");
  const auto pages = parse_with("samples", "samples=/tmp/s");
  ASSERT_TRUE(pages);
  EXPECT_EQ(pages->samples, "/tmp/s");
  EXPECT_EQ(pages->unit_bytes, 4096U);
  const std::vector<std::string_view> words = {"out=/tmp/counts", "ranges=0:0:4096", "vcpus=2",
                                               "cache=0", "samples=/tmp/s"};
  for (const std::string_view unit : {"unit=64", "unit=2097152"}) {
    auto more = words;
    more.push_back(unit);
    EXPECT_TRUE(parse(more)) << unit;
  }
  for (const std::string_view unit : {"unit=32", "unit=96", "unit=4194304", "unit=", "unit=64k"}) {
    auto more = words;
    more.push_back(unit);
    EXPECT_FALSE(parse(more)) << unit;
  }
  EXPECT_FALSE(parse_with("unit", "unit=64"));
}

TEST(Arguments, MayNameTheTimingFileAndTheClock) {
  EXPECT_EQ(parse_with("", "")->timing, "");
  EXPECT_EQ(parse_with("", "")->clock, "");
  const auto timing = parse_with("timing", "timing=/tmp/a b=c");
  ASSERT_TRUE(timing);
  EXPECT_EQ(timing->timing, "/tmp/a b=c");
  EXPECT_EQ(timing->clock, "");
  const auto clock = parse_with("clock", "clock=/tmp/clock");
  ASSERT_TRUE(clock);
  EXPECT_EQ(clock->clock, "/tmp/clock");
  EXPECT_EQ(clock->timing, "");
}

TEST(Arguments, AreAllNeeded) {
  EXPECT_TRUE(parse_with("", ""));
  for (const std::string_view key : {"out", "ranges", "vcpus", "cache"}) {
    const auto parsed = parse_with(key, "");
    ASSERT_FALSE(parsed) << key;
    EXPECT_EQ(parsed.error().code, ErrorCode::bad_usage);
    EXPECT_NE(parsed.error().tried.find(key), std::string::npos) << parsed.error().tried;
  }
}

TEST(Arguments, AreRefusedWhenMalformed) {
  for (const std::string_view word : {"out=",
                                      "ranges=",
                                      "ranges=0:0",
                                      "ranges=0:0:0",
                                      "ranges=0:0:4096:1",
                                      "ranges=x:0:4096",
                                      "ranges=0:0:4096+",
                                      "ranges=1024:0:4096",
                                      "ranges=0:0xffffffffffffffff:2",
                                      "ranges=0:0:99999999999999999999",
                                      "ranges=0:-1:4096",
                                      "vcpus=0",
                                      "vcpus=two",
                                      "vcpus=2x",
                                      "vcpus=4095",
                                      "cache=",
                                      "cache=524288",
                                      "cache=524288:0:64",
                                      "cache=524288:16:48",
                                      "cache=524288:16:8",
                                      "cache=524288:7:64",
                                      "cache=1073741824:16:64",
                                      "timing=",
                                      "clock=",
                                      "size=3"}) {
    EXPECT_FALSE(parse_with(word.substr(0, word.find('=')), word)) << word;
  }
  EXPECT_FALSE(parse_with("", "cache"));
}

TEST(Arguments, AreRefusedWhenGivenTwice) {
  EXPECT_FALSE(parse_with("", "vcpus=2"));
}

TEST(Arguments, KeepToTheLimitsOfTheTable) {
  struct Edge {
    const char* key;
    const char* kept;
    const char* beyond;
    const char* why;
  };
  for (const Edge& edge : {
           Edge{"vcpus", "vcpus=4094", "vcpus=4095", "not a whole number of CPUs from 1 to 4094"},
           Edge{"cache", "cache=536870912:16:64", "cache=536871936:16:64",
                "not a whole number of bytes of the private cache that counts are made with from "
                "16 to "
                "536870912"},
           Edge{"cache", "cache=524288:4096:64", "cache=1048832:4097:64",
                "not a whole number of ways of a cache from 1 to 4096"},
           Edge{"cache", "cache=524288:16:4096", "cache=524288:16:8192",
                "not a whole number of bytes of a line from 16 to 4096"},
           Edge{"cache", "cache=524288:16:16", "cache=524288:16:8",
                "not a whole number of bytes of a line from 16 to 4096"},
       }) {
    EXPECT_TRUE(parse_with(edge.key, edge.kept)) << edge.kept;
    const auto refused = parse_with(edge.key, edge.beyond);
    ASSERT_FALSE(refused) << edge.beyond;
    EXPECT_NE(refused.error().tried.find(edge.why), std::string::npos) << refused.error().tried;
  }
}

TEST(Arguments, MayNotGiveOneAddressToTwoNodes) {
  EXPECT_FALSE(parse_with("ranges", "ranges=0:0:8192+1:4096:4096"));
  EXPECT_FALSE(parse_with("ranges", "ranges=1:4096:4096+0:0:4097"));
  EXPECT_TRUE(parse_with("ranges", "ranges=1:4096:4096+0:0:4096"));
}

}  // namespace
}  // namespace homenode::lab
