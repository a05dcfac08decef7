#include "workloads/stream/parts.h"

#include <gtest/gtest.h>

namespace homenode::workloads::stream {
namespace {

using PartList = std::vector<Part>;

TEST(StreamParts, AreEqualWithoutTeams) {
  EXPECT_EQ(parts_of({64, 8, 4, 1, TeamShape::nested}),
            (std::vector<PartList>{{{0, 16}, {16, 16}, {32, 16}, {48, 16}}}));
}

TEST(StreamParts, OfATwistedTeamAreTheNextTeamsInTheSecondStage) {
  EXPECT_EQ(parts_of({64, 8, 4, 2, TeamShape::twisted}),
            (std::vector<PartList>{{{0, 16}, {16, 16}, {32, 16}, {48, 16}},
                                   {{32, 16}, {48, 16}, {0, 16}, {16, 16}}}));
}

TEST(StreamParts, OfImbalancedTeamsGrow) {
  EXPECT_EQ(parts_of({48, 1, 4, 2, TeamShape::imbalanced}),
            (std::vector<PartList>{{{0, 8}, {8, 8}, {16, 16}, {32, 16}}}));
}

TEST(StreamParts, CoverEveryElementOnceInWholeBlocks) {
  for (const TeamShape shape : {TeamShape::nested, TeamShape::twisted, TeamShape::imbalanced}) {
    for (unsigned threads = 1; threads < 8; ++threads) {
      for (unsigned teams = 1; teams <= threads; ++teams) {
        for (const std::size_t blocks : {1U, 7U, 64U}) {
          for (const PartList& stage : parts_of({blocks * 4, 4, threads, teams, shape})) {
            std::vector<unsigned> covered(blocks * 4, 0);
            for (const Part part : stage) {
              EXPECT_EQ(part.first % 4 + part.count % 4, 0U);
              for (std::size_t i = 0; i < part.count; ++i) covered.at(part.first + i) += 1;
            }
            EXPECT_EQ(covered, std::vector<unsigned>(blocks * 4, 1));
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace homenode::workloads::stream
