#include "base/matrix.h"

#include <gtest/gtest.h>

#include "base/ids.h"

namespace homenode {
namespace {

TEST(Matrix, IsAddressedBySparseIds) {
  Matrix<NodeId, NodeId, int> distances({NodeId(0), NodeId(8)}, {NodeId(0), NodeId(8)}, 10);
  distances.at(NodeId(0), NodeId(8)) = 20;
  EXPECT_EQ(distances.at(NodeId(0), NodeId(8)), 20);
  EXPECT_EQ(distances.at(NodeId(8), NodeId(0)), 10);
  EXPECT_TRUE(distances.has(NodeId(8), NodeId(8)));
  EXPECT_FALSE(distances.has(NodeId(1), NodeId(0)));
}

}  // namespace
}  // namespace homenode
