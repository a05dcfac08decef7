#include "placement/threads/map.h"

#include <gtest/gtest.h>

#include <random>

namespace homenode::placement {
namespace {

/// Two nodes whose CPU numbers alternate, as on many real machines; CPU 6 is not allowed.
machine::Machine alternating() {
  machine::Machine machine;
  machine.nodes = {{NodeId(0), {CpuId(0), CpuId(2), CpuId(4), CpuId(6)}, 1_MiB, 0},
                   {NodeId(5), {CpuId(1), CpuId(3), CpuId(5), CpuId(7)}, 1_MiB, 1}};
  machine.allowed_cpus = CpuSet::range(CpuId(0), CpuId(7)) - CpuSet{CpuId(6)};
  machine.allowed_nodes = {NodeId(0), NodeId(5)};
  return machine;
}

TEST(Compact, FillsOneNodeAfterTheOther) {
  EXPECT_EQ(to_string(compact(alternating(), 7)), "0,2,4,1,3,5,7");
}

TEST(Compact, StartsAgainWhenThereAreMoreThreadsThanCpus) {
  EXPECT_EQ(to_string(compact(alternating(), 9)), "0,2,4,1,3,5,7,0,2");
  EXPECT_TRUE(compact(machine::Machine{}, 3).cpus_by_rank.empty());
}

TEST(ThreadMap, RanksPastTheEndStartAgain) {
  const auto map = parse_thread_map(alternating(), "4,1");
  ASSERT_TRUE(map);
  EXPECT_EQ(map->of(0), CpuSet{CpuId(4)});
  EXPECT_EQ(map->of(3), CpuSet{CpuId(1)});
}

TEST(ThreadMap, KeepsOrderAndRepeats) {
  EXPECT_EQ(to_string(*parse_thread_map(alternating(), "4,0-2,4,3-1")), "4,0,1,2,4,3,2,1");
}

TEST(ThreadMap, ParseAfterPrintIsIdentity) {
  const machine::Machine machine = alternating();
  const std::vector<CpuId> cpus = machine.allowed_cpus.to_vector();
  std::mt19937 random(11);
  for (int round = 0; round < 300; ++round) {
    ThreadMap map;
    for (auto i = random() % 12 + 1; i > 0; --i) {
      map.cpus_by_rank.push_back(CpuSet{cpus[random() % cpus.size()]});
    }
    const auto parsed = parse_thread_map(machine, to_string(map));
    ASSERT_TRUE(parsed);
    EXPECT_EQ(*parsed, map);
  }
}

TEST(ThreadMap, NamesWhatIsWrong) {
  for (const char* text :
       {"", "a", "1,", ",1", "1-", "-1", "1--2", "1 2", "6", "8", "99999999999"}) {
    const auto map = parse_thread_map(alternating(), text);
    ASSERT_FALSE(map) << text;
    EXPECT_EQ(map.error().code, ErrorCode::bad_usage);
    EXPECT_NE(map.error().message().find(text), std::string::npos);
  }
}

}  // namespace
}  // namespace homenode::placement
