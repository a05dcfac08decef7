// Policy against reality: what is found, and what explains it.
#include "sensing/verdict.h"

#include <gtest/gtest.h>

namespace homenode::sensing {
namespace {

constexpr NodeId n0{0};
constexpr NodeId n1{1};

Mapping mapping(const std::string& mode, const NodeSet& nodes, const PagesOnNodes& pages) {
  Mapping mapping;
  mapping.policy = {mode, "", nodes, false};
  mapping.page_size = 4_KiB;
  mapping.pages = pages;
  return mapping;
}

Survey survey_of(std::vector<Mapping> mappings) {
  Survey survey;
  survey.nodes = {{n0, {}, 100_MiB, 50_MiB}, {n1, {}, 100_MiB, 50_MiB}};
  survey.mappings = std::move(mappings);
  return survey;
}

TEST(Verdict, PagesOutsideTheNodesOfThePolicyAreFound) {
  for (const char* mode :
       {"bind", "preferred", "preferred-many", "interleave", "weighted-interleave"}) {
    const auto findings = off_policy(survey_of({mapping(mode, {n1}, {{n0, 4}, {n1, 6}})}));
    ASSERT_EQ(findings.size(), 1U) << mode;
    EXPECT_EQ(findings[0].off, (PagesOnNodes{{n0, 4}}));
    EXPECT_EQ(findings[0].pages(), 4U);
    EXPECT_EQ(findings[0].cause, Cause::before_policy);
  }
}

TEST(Verdict, WhatFollowsItsPolicyOrNamesNoNodeIsNot) {
  EXPECT_TRUE(off_policy(survey_of({mapping("bind", {n0, n1}, {{n0, 4}, {n1, 6}}),
                                    mapping("default", {}, {{n0, 4}}),
                                    mapping("local", {}, {{n1, 4}}), mapping("bind", {n1}, {})}))
                  .empty());
}

TEST(Verdict, AnInterleavedMappingIsJudgedForEvenness) {
  const NodeSet both{n0, n1};
  EXPECT_TRUE(off_policy(survey_of({mapping("interleave", both, {{n0, 4}, {n1, 20}})})).empty())
      << "too few pages to tell";
  EXPECT_TRUE(
      off_policy(survey_of({mapping("interleave", both, {{n0, 1000}, {n1, 1100}})})).empty());
  EXPECT_TRUE(
      off_policy(survey_of({mapping("weighted-interleave", both, {{n0, 2000}, {n1, 1000}})}))
          .empty());
  const auto findings =
      off_policy(survey_of({mapping("interleave", both, {{n0, 500}, {n1, 1500}})}));
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings[0].off, (PagesOnNodes{{n1, 500}}));
}

TEST(Verdict, AListThatTheKernelCutIsNotJudged) {
  Mapping cut = mapping("bind", {n1}, {{n0, 4}});
  cut.policy.nodes_cut = true;
  EXPECT_TRUE(off_policy(survey_of({cut})).empty());
}

TEST(Verdict, TheCauseFitsTheMapping) {
  Mapping file = mapping("bind", {n1}, {{n0, 4}});
  file.group = Group::file;
  Mapping shared = mapping("bind", {n1}, {{n0, 4}});
  shared.most_sharers = 3;
  Mapping huge = mapping("bind", {n1}, {{n0, 4}});
  huge.group = Group::huge;
  const auto findings = off_policy(survey_of({file, shared, huge}));
  ASSERT_EQ(findings.size(), 3U);
  EXPECT_EQ(findings[0].cause, Cause::page_cache);
  EXPECT_EQ(findings[1].cause, Cause::shared);
  EXPECT_EQ(findings[2].cause, Cause::pool);
  EXPECT_EQ(findings[2].mapping, 2U);
}

TEST(Verdict, AFullNodeExplainsMuch) {
  Survey survey = survey_of({mapping("preferred", {n1}, {{n0, 4}})});
  survey.nodes[1].free = 1_MiB;
  EXPECT_EQ(off_policy(survey).front().cause, Cause::full_node);
  survey.nodes[1].total = Bytes();
  EXPECT_EQ(off_policy(survey).front().cause, Cause::before_policy) << "unknown is not full";
}

TEST(Verdict, EveryCauseIsExplained) {
  for (Cause cause :
       {Cause::page_cache, Cause::shared, Cause::pool, Cause::full_node, Cause::before_policy}) {
    EXPECT_FALSE(explain(cause).empty());
    EXPECT_FALSE(to_string(cause).empty());
  }
}

}  // namespace
}  // namespace homenode::sensing
