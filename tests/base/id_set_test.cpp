#include "base/id_set.h"

#include <gtest/gtest.h>

namespace homenode {
namespace {

TEST(IdSet, KeepsSparseIdsBeyondOneWord) {
  const NodeSet set{NodeId(3), NodeId(200)};
  EXPECT_TRUE(set.contains(NodeId(200)));
  EXPECT_FALSE(set.contains(NodeId(199)));
  EXPECT_FALSE(set.contains(NodeId(100000)));
  EXPECT_EQ(set.size(), 2U);
  EXPECT_EQ(set.to_vector(), (std::vector{NodeId(3), NodeId(200)}));
}

TEST(IdSet, ErasingTheLargestIdMakesSetsEqualAgain) {
  CpuSet set{CpuId(1), CpuId(130)};
  set.erase(CpuId(130));
  EXPECT_EQ(set, CpuSet{CpuId(1)});
  set.erase(CpuId(1));
  EXPECT_TRUE(set.empty());
  EXPECT_TRUE(set.words().empty());
}

TEST(IdSet, AlgebraHoldsForAllPairsOfSmallSets) {
  for (unsigned a = 0; a < 64; ++a) {
    for (unsigned b = 0; b < 64; ++b) {
      const NodeSet left = NodeSet::from_words({a});
      const NodeSet right = NodeSet::from_words({b});
      EXPECT_EQ((left | right), NodeSet::from_words({a | b}));
      EXPECT_EQ((left & right), NodeSet::from_words({a & b}));
      EXPECT_EQ((left - right), NodeSet::from_words({a & ~b}));
      EXPECT_EQ(left.is_subset_of(right), (a & ~b) == 0);
    }
  }
}

TEST(IdSet, RangeIncludesBothEnds) {
  EXPECT_EQ(CpuSet::range(CpuId(62), CpuId(65)).size(), 4U);
}

}  // namespace
}  // namespace homenode
