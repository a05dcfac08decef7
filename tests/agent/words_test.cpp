#include "agent/words.h"

#include <gtest/gtest.h>

#include <array>
#include <random>
#include <string>
#include <vector>

#include "agent/place_allocation.h"
#include "agent/wire.h"

namespace homenode::agent {
namespace {

/// The arena is never freed: it is the process's.
bool read(const std::string& text, Words& words) {
  static Arena arena;
  return read_words(text.c_str(), arena, words);
}

std::vector<std::size_t> ids(const Mask& mask) {
  std::vector<std::size_t> members;
  for (std::size_t id = 0; id < mask.count * 64; ++id) {
    if (mask.contains(id)) members.push_back(id);
  }
  return members;
}

using Ids = std::vector<std::size_t>;

TEST(Words, ReadsEveryField) {
  Words words;
  ASSERT_TRUE(
      read("1 cpus=0-3,70 threads=0/2-3/70 forks skip=1 memory=0/2@0,64 place=4096:block:0,3 "
           "place=1:policy:3@1 place=0:pattern:2x1,1x0",
           words));
  EXPECT_EQ(ids(words.process_cpus), (Ids{0, 1, 2, 3, 70}));
  ASSERT_EQ(words.cpu_ranks, 3U);
  EXPECT_EQ(ids(words.cpus_by_rank[1]), (Ids{2, 3}));
  EXPECT_EQ(ids(words.cpus_by_rank[2]), (Ids{70}));
  EXPECT_EQ(ids(words.skipped), (Ids{1}));
  EXPECT_TRUE(words.count_forks);
  ASSERT_EQ(words.memory_ranks, 2U);
  EXPECT_EQ(words.memory_by_rank[0].mode, 0);
  EXPECT_EQ(words.memory_by_rank[0].nodes.words, nullptr);
  EXPECT_EQ(words.memory_by_rank[1].mode, 2);
  EXPECT_EQ(ids(words.memory_by_rank[1].nodes), (Ids{0, 64}));
  EXPECT_FALSE(words.has_heap);
  ASSERT_EQ(words.rule_count, 3U);
  EXPECT_EQ(words.rules[0].at_least_bytes, 4096U);
  EXPECT_EQ(words.rules[0].kind, AllocationRule::Kind::block);
  EXPECT_EQ(words.rules[0].runs[1].node, 3U);
  EXPECT_EQ(words.rules[1].policy.mode, 3);
  ASSERT_EQ(words.rules[2].run_count, 2U);
  EXPECT_EQ(words.rules[2].runs[0].pages, 2U);
}

TEST(Words, ReadsWhatIsPlacedByName) {
  Words words;
  ASSERT_TRUE(
      read("1 data=7.8.4096.100,7.9.0.1:random:5,2:0-1,3 place=1@1.2.3.4:map:2x1,1x0 "
           "data=1.1.1.1:policy:5@0-3^2 verbose reported",
           words));
  ASSERT_EQ(words.data_count, 2U);
  const AllocationRule& random = words.data[0];
  EXPECT_EQ(random.kind, AllocationRule::Kind::random);
  EXPECT_EQ(random.seed, 5U);
  ASSERT_EQ(random.run_count, 3U);
  EXPECT_EQ(random.runs[2].node, 3U);
  EXPECT_EQ(random.runs[2].pages, 2U);
  ASSERT_EQ(random.piece_count, 2U);
  EXPECT_EQ(random.pieces[0].device, 7U);
  EXPECT_EQ(random.pieces[1].inode, 9U);
  EXPECT_EQ(random.pieces[0].address, 4096U);
  EXPECT_EQ(random.pieces[0].bytes, 100U);
  EXPECT_TRUE(words.data[1].has_home);
  EXPECT_EQ(words.data[1].home, 2U);
  ASSERT_EQ(words.rule_count, 1U);
  EXPECT_EQ(words.rules[0].piece_count, 1U);
  EXPECT_EQ(words.rules[0].kind, AllocationRule::Kind::map);
  EXPECT_TRUE(words.verbose);
  EXPECT_TRUE(words.refusal_reported);
}

TEST(Words, ReadsAHeap) {
  Words words;
  ASSERT_TRUE(read("1 heap=3@0-3", words));
  EXPECT_TRUE(words.has_heap);
  EXPECT_FALSE(words.count_forks);
  EXPECT_EQ(ids(words.heap.nodes), (Ids{0, 1, 2, 3}));
}

TEST(Words, AnEmptyTextOfTheRightVersionSaysNothing) {
  Words words;
  EXPECT_TRUE(read("1", words));
  EXPECT_EQ(words.cpu_ranks + words.memory_ranks + words.rule_count, 0U);
}

TEST(Words, RefusesWhatIsNotWhollyInOrder) {
  for (const char* text : {"",
                           "2",
                           "1 ",
                           "1  cpus=0",
                           "11",
                           "1x",
                           "1 cpus=",
                           "1 cpus=a",
                           "1 cpus=1-",
                           "1 cpus=2-1",
                           "1 cpus=0,",
                           "1 cpus=65536",
                           "1 cpus=0/1",
                           "1 threads=0/",
                           "1 threads=/0",
                           "1 memory=@0",
                           "1 memory=2@",
                           "1 memory=99999",
                           "1 heap=",
                           "1 place=",
                           "1 place=4096",
                           "1 place=x:block:0",
                           "1 place=1:block:",
                           "1 place=1:pattern:",
                           "1 place=1:pattern:0x1",
                           "1 place=1:pattern:1x",
                           "1 place=1:pattern:1x0,",
                           "1 place=1:map:",
                           "1 place=1:policy:2@0^",
                           "1 place=1:policy:2@0^70000",
                           "1 place=1:random:1:0",
                           "1 place=1:random:1,0:0",
                           "1 place=1@:block:0",
                           "1 place=1@1.2.3:block:0",
                           "1 place=1@1.2.3.0:block:0",
                           "1 place=1@1.2.18446744073709551615.1:block:0",
                           "1 data=:block:0",
                           "1 data=1.2.3.4,:block:0",
                           "1 data=1.2.3.4",
                           "1 verbose=1",
                           "1 place=99999999999999999999:block:0",
                           "1 unknown=1",
                           "1 cpus=0 ",
                           "1 cpus=0;",
                           "1 cpus=0\n",
                           "1 forks=1",
                           "1 forksx"}) {
    Words words;
    EXPECT_FALSE(read(text, words)) << text;
  }
}

TEST(Words, FuzzedTextsDoNoHarm) {
  const std::array parts{"1",      " ",       "cpus=",   "threads=", "memory=", "heap=", "place=",
                         "skip=",  "0",       "3-5",     ",",        "/",       "@",     ":",
                         "block:", "65535",   "2x1",     "pattern:", "policy:", "-",     "99999999",
                         "data=",  "1.2.3.4", "random:", "map:",     "^"};
  std::mt19937 random(404);
  std::size_t accepted = 0;
  for (int round = 0; round < 100000; ++round) {
    std::string text = "1 ";
    for (auto i = random() % 6; i > 0; --i) text += parts[random() % parts.size()];
    Words words;
    if (read(text, words)) ++accepted;
  }
  EXPECT_GT(accepted, 100U);
}

TEST(Mask, CountsMembersBelow) {
  Words words;
  ASSERT_TRUE(read("1 skip=0,2,63-65,200", words));
  const Mask& mask = words.skipped;
  std::size_t below = 0;
  for (std::size_t id = 0; id < 300; ++id) {
    EXPECT_EQ(mask.below(id), below) << id;
    if (mask.contains(id)) ++below;
  }
}

TEST(FindWire, TakesOurVariableAlone) {
  std::string ours = std::string(wire_variable) + "=1 heap=0";
  std::string longer = std::string(wire_variable) + "S=2";
  std::string before = "PATH=/bin";
  std::array<char*, 4> all{before.data(), longer.data(), ours.data(), nullptr};
  EXPECT_STREQ(find_wire(all.data()), "1 heap=0");
  std::array<char*, 3> none{before.data(), longer.data(), nullptr};
  EXPECT_EQ(find_wire(none.data()), nullptr);
  EXPECT_EQ(find_wire(nullptr), nullptr);
}

/// The page map that the agent makes of a rule.
std::vector<unsigned> map_of(const AllocationRule& rule, std::size_t pages) {
  static constexpr unsigned nobody = 9999;
  std::vector<unsigned> map(pages, nobody);
  for (unsigned node = 0; node < 8; ++node) {
    for_each_part(rule, pages, node, [&map, node](Part part) {
      for (std::size_t page = part.first; page < part.first + part.count; ++page) {
        EXPECT_EQ(map[page], nobody);
        map[page] = node;
      }
    });
  }
  return map;
}

TEST(ForEachPart, GivesEveryPageOnce) {
  Words words;
  ASSERT_TRUE(read("1 place=1:block:1,3,4 place=1:pattern:2x1,1x0,3x1", words));
  EXPECT_EQ(map_of(words.rules[0], 8), (std::vector<unsigned>{1, 1, 1, 3, 3, 3, 4, 4}));
  EXPECT_EQ(map_of(words.rules[0], 2), (std::vector<unsigned>{1, 3}));
  EXPECT_EQ(map_of(words.rules[1], 9), (std::vector<unsigned>{1, 1, 0, 1, 1, 1, 1, 1, 0}));
  EXPECT_TRUE(map_of(words.rules[1], 0).empty());
}

TEST(ForEachPart, LeavesWhatIsBeyondAMapAlone) {
  Words words;
  ASSERT_TRUE(read("1 place=1:map:2x1,1x0", words));
  EXPECT_EQ(map_of(words.rules[0], 5), (std::vector<unsigned>{1, 1, 0, 9999, 9999}));
  EXPECT_EQ(map_of(words.rules[0], 1), (std::vector<unsigned>{1}));
}

}  // namespace
}  // namespace homenode::agent
