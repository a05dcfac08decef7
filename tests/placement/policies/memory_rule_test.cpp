#include "placement/policies/memory_rule.h"

#include <gtest/gtest.h>

#include <random>

#include "placement/distributions/table.h"

namespace homenode::placement {
namespace {

const NodeSet four = NodeSet::range(NodeId(0), NodeId(3));
const NodeSet odd{NodeId(1), NodeId(70)};

MemoryRule parsed(std::string_view text) {
  const auto rule = parse_memory_rule(text, four);
  EXPECT_TRUE(rule) << rule.error().message();
  return rule ? *rule : MemoryRule{};
}

PageMap map_of(std::string_view text, std::size_t pages) {
  const auto resolved = resolve(parsed(text), pages);
  EXPECT_TRUE(resolved) << resolved.error().message();
  if (!resolved || !std::holds_alternative<PageMap>(*resolved)) return {};
  return std::get<PageMap>(*resolved);
}

TEST(MemoryRule, NamesThePoliciesOfTheKernel) {
  EXPECT_EQ(parsed("default"), (MemoryRule{Policy{PolicyKind::default_policy, {}}}));
  EXPECT_EQ(parsed("local"), (MemoryRule{Policy{PolicyKind::local, {}}}));
  EXPECT_EQ(parsed("interleave"), (MemoryRule{Policy{PolicyKind::interleave, four}}));
  EXPECT_EQ(parsed("weighted-interleave@1,70"),
            (MemoryRule{Policy{PolicyKind::weighted_interleave, odd}}));
  EXPECT_EQ(parsed("preferred@70"), (MemoryRule{Policy{PolicyKind::preferred, {NodeId(70)}}}));
  EXPECT_EQ(parsed("bind:balancing"), (MemoryRule{Policy{PolicyKind::bind, four, true}}));
  EXPECT_EQ(parsed("bind:home=70,balancing@1,70"),
            (MemoryRule{Policy{PolicyKind::bind, odd, true, NodeId(70)}}));
  EXPECT_EQ(parsed("preferred-many:home=9@1,70"),
            (MemoryRule{Policy{PolicyKind::preferred_many, odd, false, NodeId(9)}}));
}

TEST(MemoryRule, NamesTheDistributions) {
  const std::vector<NodeId> nodes = four.to_vector();
  EXPECT_EQ(map_of("block", 10), block(10, nodes));
  EXPECT_EQ(map_of("cyclic:3", 10), cyclic(10, nodes, 3));
  EXPECT_EQ(map_of("skew@1,70", 10), skew(10, odd.to_vector()));
  EXPECT_EQ(map_of("prime", 10), prime(10, nodes, {5, 1}));
  EXPECT_EQ(map_of("prime:7,2", 40), prime(40, nodes, {7, 2}));
  EXPECT_EQ(map_of("random:9", 40), random(40, nodes, {9, 1}));
  const std::vector<std::uint64_t> weights{3, 0, 1, 1};
  EXPECT_EQ(map_of("weighted:3,0,1,1", 11), weighted(11, nodes, weights));
  EXPECT_EQ(map_of("map:2x70,0x5,1x0", 3), (PageMap{NodeId(70), NodeId(70), NodeId(0)}));
}

TEST(MemoryRule, ResolvesAPolicyToItself) {
  const auto resolved = resolve(parsed("interleave@1"), 10);
  ASSERT_TRUE(resolved);
  EXPECT_EQ(std::get<Policy>(*resolved), (Policy{PolicyKind::interleave, {NodeId(1)}}));
}

TEST(MemoryRule, KnowsNextTouchWhichHasNoMap) {
  EXPECT_TRUE(is_next_touch(parsed("next-touch")));
  EXPECT_EQ(std::get<NextTouchRule>(parsed("next-touch:16").how).unit_pages, 16U);
  EXPECT_FALSE(is_next_touch(parsed("block")));
  EXPECT_FALSE(resolve(parsed("next-touch"), 10));
}

TEST(MemoryRule, RefusesAMapOfAnotherSize) {
  EXPECT_FALSE(resolve(parsed("map:2x0,2x1"), 5));
  EXPECT_FALSE(resolve(parsed("map:2x0,2x1"), 3));
}

TEST(MemoryRule, RefusesWhatItCannotReadAndSaysWhy) {
  const std::vector<std::pair<const char*, const char*>> cases{
      {"blocks", "choose one of: default, local, bind"},
      {"", "there is no memory rule ''"},
      {"@0", "there is no memory rule ''"},
      {"block:2", "block takes at most 0 parameters"},
      {"block@", "list such as 0-3,8"},
      {"block@x", "list such as 0-3,8"},
      {"block@0@1", "list such as 0-3,8"},
      {"cyclic:0", "blocks of 0 pages"},
      {"cyclic:", "cyclic[:BLOCK_PAGES][@NODES]"},
      {"cyclic:-1", "cyclic[:BLOCK_PAGES][@NODES]"},
      {"cyclic:1,2", "at most 1 parameters"},
      {"cyclic:18446744073709551616", "write numbers"},
      {"cyclic:18446744073709551615", "from 1 to"},
      {"prime:3", "choose a prime such as 5"},
      {"prime:9", "choose a prime such as 5"},
      {"prime:18446744073709551557", "choose a prime such as 5"},
      {"weighted", "0 weights are given for 4 nodes"},
      {"weighted:1,2", "2 weights are given for 4 nodes"},
      {"weighted:0,0,0,0", "one of them above 0"},
      {"weighted:65536,0,0,0", "from 0 to 65535"},
      {"map", "in runs"},
      {"map:3", "in runs"},
      {"map:x1", "in runs"},
      {"map:1x65536", "in runs"},
      {"map:1x0@0", "leave @ out"},
      {"next-touch@1", "leave @ out"},
      {"next-touch:0", "from 1 to"},
      {"next-touch:", "from 1 to"},
      {"default@0", "takes no nodes"},
      {"preferred", "takes one node"},
      {"bind:home=1,home=2", "each at most once"},
      {"bind:home=", "each at most once"},
      {"interleave:home=1", "bind and preferred-many"},
      {"interleave:balancing", "not interleave"},
  };
  for (const auto& [text, said] : cases) {
    const auto rule = parse_memory_rule(text, four);
    ASSERT_FALSE(rule) << text;
    EXPECT_EQ(rule.error().code, ErrorCode::bad_usage) << text;
    EXPECT_NE(rule.error().message().find(said), std::string::npos) << rule.error().message();
  }
  EXPECT_NE(parse_memory_rule("block", {}).error().message().find("names no nodes"),
            std::string::npos);
}

TEST(MemoryRule, GrammarHasEveryDistribution) {
  const std::string grammar = memory_rule_grammar();
  for (const Distribution& distribution : distributions()) {
    EXPECT_NE(grammar.find(distribution.name), std::string::npos);
  }
}

TEST(MemoryRule, IsTheSameAfterPrintAndParse) {
  for (const char* text : {"default",
                           "local",
                           "bind",
                           "bind:home=2",
                           "bind:balancing@0-1",
                           "bind:home=0,balancing@0",
                           "preferred@3",
                           "preferred-many:home=70@1,70",
                           "interleave",
                           "weighted-interleave@1-2",
                           "block@0,2",
                           "cyclic",
                           "cyclic:512@1",
                           "skew:4",
                           "prime",
                           "prime:11@0-8",
                           "prime:11,4",
                           "random",
                           "random:18446744073709551615",
                           "random:3,16",
                           "weighted:1,2,3,4@4-7",
                           "map:1x0,0x70,12x3",
                           "next-touch",
                           "next-touch:512"}) {
    const MemoryRule rule = parsed(text);
    const auto again = parse_memory_rule(to_string(rule), NodeSet{NodeId(999)});
    ASSERT_TRUE(again) << to_string(rule) << ": " << again.error().message();
    EXPECT_EQ(*again, rule) << to_string(rule);
  }
}

TEST(MemoryRule, SurvivesAnyText) {
  const std::vector<std::string> pieces{
      "block", "cyclic",     "prime", "random",    "weighted", "map", "next-touch",
      "bind",  "preferred",  "home=", "balancing", ":",        ":",   ",",
      ",",     "@",          "x",     "0",         "1",        "7",   "18446744073709551615",
      "65535", "4294967311", "-",     "0-3",       " ",        "\n",  "\xff"};
  std::mt19937 random_numbers(23);
  std::size_t read = 0;
  for (int round = 0; round < 100000; ++round) {
    std::string text;
    for (std::size_t left = random_numbers() % 7; left > 0; --left) {
      text += pieces[random_numbers() % pieces.size()];
    }
    const auto rule = parse_memory_rule(text, four);
    if (!rule) {
      ASSERT_EQ(rule.error().code, ErrorCode::bad_usage) << text;
      continue;
    }
    ++read;
    const auto again = parse_memory_rule(to_string(*rule), {});
    ASSERT_TRUE(again) << text << " printed as " << to_string(*rule);
    ASSERT_EQ(*again, *rule) << text;
    (void)resolve(*rule, 9);
  }
  EXPECT_GT(read, 1000U);  // Else the pieces make nothing that is worth the name of a test.
}

}  // namespace
}  // namespace homenode::placement
