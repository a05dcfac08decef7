#include "placement/policies/policy.h"

#include <gtest/gtest.h>

namespace homenode::placement {
namespace {

const NodeSet none;
const NodeSet one{NodeId(2)};
const NodeSet two{NodeId(2), NodeId(70)};

TEST(Policy, IsValidWithAsManyNodesAsItsKindTakes) {
  for (PolicyKind kind : {PolicyKind::default_policy, PolicyKind::local}) {
    EXPECT_TRUE(validate({kind, none}));
    EXPECT_FALSE(validate({kind, one}));
  }
  for (PolicyKind kind : {PolicyKind::bind, PolicyKind::interleave, PolicyKind::preferred_many,
                          PolicyKind::weighted_interleave}) {
    EXPECT_FALSE(validate({kind, none}));
    EXPECT_TRUE(validate({kind, one}));
    EXPECT_TRUE(validate({kind, two}));
  }
  EXPECT_FALSE(validate({PolicyKind::preferred, none}));
  EXPECT_TRUE(validate({PolicyKind::preferred, one}));
  EXPECT_FALSE(validate({PolicyKind::preferred, two}));
}

TEST(Policy, SaysWhichNodesAreTooMany) {
  const auto result = validate({PolicyKind::preferred, two});
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, ErrorCode::bad_usage);
  EXPECT_NE(result.error().message().find("2,70"), std::string::npos);
}

TEST(Policy, BalancesOnlyWithinABind) {
  EXPECT_TRUE(validate({PolicyKind::bind, two, true}));
  EXPECT_FALSE(validate({PolicyKind::interleave, two, true}));
}

TEST(Policy, HasAHomeOnlyWhereTheKernelKeepsOne) {
  EXPECT_TRUE(validate({PolicyKind::bind, two, false, NodeId(70)}));
  EXPECT_TRUE(validate({PolicyKind::bind, two, false, NodeId(71)}));
  EXPECT_TRUE(validate({PolicyKind::preferred_many, two, false, NodeId(71)}));
  EXPECT_FALSE(validate({PolicyKind::interleave, two, false, NodeId(70)}));
  EXPECT_FALSE(validate({PolicyKind::default_policy, none, false, NodeId(70)}));
}

TEST(Policy, IsFoundByItsName) {
  for (PolicyKind kind :
       {PolicyKind::default_policy, PolicyKind::local, PolicyKind::bind, PolicyKind::preferred,
        PolicyKind::preferred_many, PolicyKind::interleave, PolicyKind::weighted_interleave}) {
    EXPECT_EQ(find_policy_kind(to_string(kind)), kind);
  }
  EXPECT_EQ(find_policy_kind("weighted_interleave"), std::nullopt);
  EXPECT_FALSE(takes_nodes(PolicyKind::local));
  EXPECT_TRUE(takes_nodes(PolicyKind::preferred));
}

TEST(Policy, HasTheNamesOfNumactl) {
  EXPECT_EQ(to_string(PolicyKind::weighted_interleave), "weighted-interleave");
  EXPECT_EQ(to_string(PolicyKind::default_policy), "default");
  EXPECT_EQ(to_string(PolicyKind::local), "local");
  EXPECT_EQ(to_string(PolicyKind::bind), "bind");
  EXPECT_EQ(to_string(PolicyKind::preferred), "preferred");
  EXPECT_EQ(to_string(PolicyKind::preferred_many), "preferred-many");
  EXPECT_EQ(to_string(PolicyKind::interleave), "interleave");
}

}  // namespace
}  // namespace homenode::placement
