#include "workloads/gather/gather.h"

#include <gtest/gtest.h>

#include "workloads/probe_memory.h"

namespace homenode::workloads::gather {
namespace {

using Indices = std::vector<std::uint64_t>;

TEST(GatherPattern, ReadsSpattersForms) {
  EXPECT_EQ(parse_indices("UNIFORM:8:2"), (Indices{0, 2, 4, 6, 8, 10, 12, 14}));
  EXPECT_EQ(parse_indices("MS1:8:4:20"), (Indices{0, 1, 2, 3, 23, 24, 25, 26}));
  EXPECT_EQ(parse_indices("MS1:8:2/5:20/30"), (Indices{0, 1, 21, 22, 23, 53, 54, 55}));
  EXPECT_EQ(parse_indices("MS1:4:1/3:9"), (Indices{0, 9, 10, 19}));
  EXPECT_EQ(parse_indices("5,0,5"), (Indices{5, 0, 5}));
}

TEST(GatherPattern, RefusesWhatIsNone) {
  for (const char* text :
       {"", ",", "1,", "-1", "a", "UNIFORM", "UNIFORM:8", "UNIFORM:0:1", "UNIFORM:8:1:1",
        "UNIFORM:99999999:1", "UNIFORM:8:1/2", "MS1:8:4", "MS1:8:1/2:1/2/3", "MS1:8::1",
        "OTHER:1:1", "UNIFORM:8:1152921504606846975", "99999999999999999999"}) {
    EXPECT_FALSE(parse_indices(text)) << text;
  }
}

TEST(GatherPattern, KnowsHowFarItReaches) {
  EXPECT_EQ((IndexPattern{"", Direction::gather, {0, 9, 3}, 10, 4}.reach()), 40U);
  EXPECT_EQ((IndexPattern{"", Direction::gather, {7}, 0, 100}.reach()), 8U);
  EXPECT_FALSE((IndexPattern{"", Direction::gather, {}, 1, 1}.reach()));
  EXPECT_FALSE((IndexPattern{"", Direction::gather, {0}, 1, 0}.reach()));
  EXPECT_FALSE(
      (IndexPattern{"", Direction::gather, {0}, std::uint64_t{1} << 40U, std::uint64_t{1} << 40U}
           .reach()));
}

TEST(Gather, IsVerifiedInBothDirections) {
  for (const Direction direction : {Direction::gather, Direction::scatter}) {
    for (const char* indices : {"UNIFORM:8:1", "MS1:8:4:20", "3,0,3"}) {
      for (const std::uint64_t delta : {0U, 1U, 8U}) {
        for (const unsigned threads : {1U, 2U, 3U}) {
          const IndexPattern pattern{"", direction, *parse_indices(indices), delta, 101};
          const auto program = make_gather(pattern, 2);
          const ProgramOutcome outcome = run_probe(*program, threads);
          EXPECT_TRUE(outcome.verified()) << indices << ' ' << delta << ' ' << threads;
        }
      }
    }
  }
}

TEST(Gather, SumsItsIndicesInClosedForm) {
  const IndexPattern pattern{"", Direction::gather, {1, 5}, 3, 4};
  // Bases 0, 3, 6, 9: each index four times, and twice the bases.
  EXPECT_EQ(sum_of_indices(pattern), 4U * 6 + 2 * 18);
}

}  // namespace
}  // namespace homenode::workloads::gather
