#include "launch/allocations.h"

#include <gtest/gtest.h>

#include <limits>
#include <set>

#include "agent/place_allocation.h"
#include "agent/words.h"
#include "launch/agent.h"
#include "launch/allocation_names.h"
#include "support/machines.h"

namespace homenode::launch {
namespace {

std::string field(const std::string& text) {
  const auto rule = parse_allocation_rule(four_nodes(), text);
  return rule ? wire_field(*rule) : rule.error().message();
}

TEST(AllocationRule, IsWrittenAsTheAgentReadsIt) {
  EXPECT_EQ(field("size>1M: cyclic:2@0-1"), " place=1048577:pattern:2x0,2x1");
  EXPECT_EQ(field("size >= 64 : random:7@0,2"), " place=64:random:7,1:0,2");
  EXPECT_EQ(field("size>=1: random"), " place=1:random:0,1:0-2");
  EXPECT_EQ(field("size>=1: random:3,16"), " place=1:random:3,16:0-2");
  EXPECT_EQ(field("size>=1: map:2x0,1x2"), " place=1:map:2x0,1x2");
  EXPECT_EQ(field("size>=1: bind:home=2@0,2"), " place=1:policy:2@0,2^2");
  EXPECT_EQ(field("from=alloc_3d: block"), " place=131072:block:0-2");
  EXPECT_EQ(field("from=alloc_3d , size>=1: block"), " place=1:block:0-2");
}

TEST(AllocationRule, TakesNamesAndSizesTogether) {
  const auto rule = parse_allocation_rule(four_nodes(), "name=ns::u*, name = v,size>=2K: cyclic");
  ASSERT_TRUE(rule) << rule.error().message();
  EXPECT_EQ(rule->names, (std::vector<std::string>{"ns::u*", "v"}));
  EXPECT_EQ(rule->at_least_bytes, 2048U);
  EXPECT_EQ(rule->rule, "cyclic@0-2");
}

TEST(AllocationRule, TakesNamesWithTheArgumentsOfTemplates) {
  const auto rule =
      parse_allocation_rule(four_nodes(), "from=ns::pool<int, at<4>>::get, size>1M: cyclic");
  ASSERT_TRUE(rule) << rule.error().message();
  EXPECT_EQ(rule->from, std::vector<std::string>{"ns::pool<int, at<4>>::get"});
  EXPECT_EQ(rule->at_least_bytes, (1U << 20U) + 1);
}

TEST(AllocationRule, RefusesWhatItCannotRead) {
  for (const char* text :
       {"name=: cyclic", "name: cyclic", "name=u", "name=u:", "from=: cyclic", "size>1,: cyclic",
        "size>1,size>2: cyclic", "name=u,from=f: cyclic", "colour=red: cyclic", ": cyclic",
        "name=u::v", "size>=1: map:0x0", "size>=1: map:1x3", "size>=1: bind:home=3@0"}) {
    const auto rule = parse_allocation_rule(four_nodes(), text);
    ASSERT_FALSE(rule) << text;
    EXPECT_EQ(rule.error().code, ErrorCode::bad_usage) << text << rule.error().message();
  }
}

TEST(AllocationRule, SaysWhyNextTouchIsNotForThePlacingFromOutside) {
  const auto rule = parse_allocation_rule(four_nodes(), "size>1M: next-touch");
  ASSERT_FALSE(rule);
  EXPECT_EQ(rule.error().code, ErrorCode::not_supported);
  EXPECT_NE(rule.error().message().find("local"), std::string::npos);
}

/// The agent's map of `pages` pages by its rule.
std::vector<unsigned> agent_map(const std::string& wire, std::size_t pages) {
  static agent::Arena arena;
  agent::Words words;
  EXPECT_TRUE(agent::read_words(("1" + wire).c_str(), arena, words)) << wire;
  agent::AllocationRule rule = words.rules[0];
  std::vector<agent::PageRun> dealt(pages + rule.run_count);
  if (rule.kind == agent::AllocationRule::Kind::random) {
    rule.run_count = agent::deal_at_random(rule, pages, dealt.data());
    rule.runs = dealt.data();
    rule.kind = agent::AllocationRule::Kind::map;
  }
  std::vector<unsigned> map(pages, 9999);
  for (unsigned node = 0; node < 4; ++node) {
    agent::for_each_part(rule, pages, node, [&](agent::Part part) {
      for (std::size_t page = part.first; page < part.first + part.count; ++page) map[page] = node;
    });
  }
  return map;
}

/// What the agent does with an allocation is what the library does with a region, page by page.
TEST(AllocationRule, IsTheMapOfTheRule) {
  for (const char* text :
       {"block", "cyclic", "cyclic:3", "skew", "skew:2@0,2", "prime", "prime:7", "prime:5,4@0-1",
        "weighted:3,1,2", "weighted:1,4@0,2", "cyclic@1", "random", "random:7", "random:9,4@0,2"}) {
    const std::string wire = field(std::string("size>=4K:") + text);
    const auto rule = placement::parse_memory_rule(text, NodeSet::range(NodeId(0), NodeId(2)));
    ASSERT_TRUE(rule);
    for (const std::size_t pages : {1U, 2U, 3U, 7U, 64U, 500U, 1001U}) {
      const auto wanted = std::get<placement::PageMap>(*placement::resolve(*rule, pages));
      const std::vector<unsigned> map = agent_map(wire, pages);
      for (std::size_t page = 0; page < pages; ++page) {
        ASSERT_EQ(NodeId(map[page]), wanted[page]) << text << " page " << page << " of " << pages;
      }
    }
  }
}

machine::Machine with_bandwidths(std::vector<double> of_column) {
  machine::Machine machine = four_nodes();
  const std::vector<NodeId> rows{NodeId(0), NodeId(1), NodeId(2), NodeId(3)};
  const std::vector<NodeId> columns{NodeId(0), NodeId(1), NodeId(2)};
  machine::PairValues values{machine::MatrixKind::read_bandwidth,
                             {rows, columns, std::numeric_limits<double>::quiet_NaN()},
                             machine::Provenance::measured};
  for (std::size_t i = 0; i < columns.size(); ++i) {
    values.values.at(rows[3], columns[i]) = of_column[i] / 2;
    values.values.at(rows[i], columns[i]) = of_column[i];
  }
  machine.pair_values.push_back(std::move(values));
  return machine;
}

TEST(MachineWeights, AreInProportionToTheBestBandwidths) {
  const auto machine = with_bandwidths({20000, 10000, 5000});
  EXPECT_EQ(*with_machine_weights(machine, "weighted"), "weighted:4,2,1@0-2");
  EXPECT_EQ(*with_machine_weights(machine, "weighted@1-2"), "weighted:2,1@1-2");
  const auto rule = parse_allocation_rule(machine, "size>1M: weighted@0-1");
  ASSERT_TRUE(rule) << rule.error().message();
  EXPECT_EQ(rule->rule, "weighted:2,1@0-1");
}

TEST(MachineWeights, SaysWhichNodeHasNone) {
  const auto none = with_machine_weights(four_nodes(), "weighted");
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().code, ErrorCode::not_supported);
  EXPECT_NE(none.error().message().find("homenode measure"), std::string::npos);
  EXPECT_FALSE(with_machine_weights(with_bandwidths({1, 1, 0}), "weighted"));
  EXPECT_EQ(with_machine_weights(four_nodes(), "weighted@x").error().code, ErrorCode::bad_usage);
}

}  // namespace
}  // namespace homenode::launch
