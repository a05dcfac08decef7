#include "launch/charm.h"

#include <gtest/gtest.h>

#include "launch/agent.h"
#include "support/machines.h"

namespace homenode::launch {
namespace {

using placement::Policy;
using placement::PolicyKind;
using Arguments = std::vector<std::string>;

TEST(RunCharm, TakesItsArgumentsOffTheFront) {
  Arguments program{"+setcpuaffinity", "+coremap",   "0,2",  "+maffinity", "+memnodemap", "0,1",
                    "+mempol",         "interleave", "prog", "+x"};
  const auto request = take_charm_arguments(program);
  ASSERT_TRUE(request);
  EXPECT_TRUE(request->setcpuaffinity && request->maffinity);
  EXPECT_EQ(request->pemap, "0,2");
  EXPECT_EQ(request->nodemap, "0,1");
  EXPECT_EQ(request->mempol, "interleave");
  EXPECT_EQ(program, (Arguments{"prog", "+x"}));
}

TEST(RunCharm, LeavesOtherProgramsAlone) {
  Arguments program{"prog", "+pemap", "0"};
  const auto request = take_charm_arguments(program);
  ASSERT_TRUE(request);
  EXPECT_TRUE(request->pemap.empty());
  EXPECT_EQ(program.size(), 3U);
  Arguments ended{"+setcpuaffinity", "--", "prog"};
  ASSERT_TRUE(take_charm_arguments(ended));
  EXPECT_EQ(ended, Arguments{"prog"});
}

TEST(RunCharm, RefusesWhatItDoesNotKnow) {
  for (Arguments program :
       {Arguments{"+p4", "prog"}, Arguments{"+pemap"}, Arguments{"+pemap", "0", "+coremap", "1"},
        Arguments{"+setcpuaffinity", "--", "-m", "0", "prog"}}) {
    const auto request = take_charm_arguments(program);
    ASSERT_FALSE(request) << program.front();
    EXPECT_EQ(request.error().code, ErrorCode::bad_usage);
  }
}

TEST(RunCharm, FindsItsOwnAmongTheArguments) {
  const auto request =
      find_charm_arguments({"prog", "+p4", "x", "+pemap", "L0-3", "-y", "+maffinity"});
  ASSERT_TRUE(request);
  EXPECT_TRUE(request->setcpuaffinity && request->maffinity);
  EXPECT_EQ(request->pemap, "L0-3");
  EXPECT_FALSE(find_charm_arguments({"prog", "+pemap"}));
  EXPECT_FALSE(find_charm_arguments({"prog", "+pemap", "0", "+pemap", "1"}));
  EXPECT_TRUE(find_charm_arguments({}));
}

TEST(RunCharm, MeansTheSameAsOurOptions) {
  // The example of Ribeiro's and Bhatele's talk on memory affinity for Charm++.
  const auto request = from_charm({.setcpuaffinity = true,
                                   .pemap = "0,2,4,8,12,13",
                                   .maffinity = true,
                                   .nodemap = "0,0,1,2,3,3",
                                   .mempol = "preferred"});
  ASSERT_TRUE(request) << request.error().message();
  EXPECT_EQ(request->threads, "0,2,4,8,12,13");
  const auto preferred = [](unsigned node) {
    return Policy{PolicyKind::preferred, {NodeId(node)}};
  };
  EXPECT_EQ(request->thread_policies, (std::vector{preferred(0), preferred(0), preferred(1),
                                                   preferred(2), preferred(3), preferred(3)}));
  EXPECT_EQ(from_charm({.setcpuaffinity = true,
                        .pemap = "0-1",
                        .maffinity = true,
                        .nodemap = "0,2-3",
                        .mempol = "interleave"})
                ->thread_policies,
            (std::vector{Policy{PolicyKind::interleave, {NodeId(0), NodeId(2), NodeId(3)}}}));
}

TEST(RunCharm, ArgumentsThatNeedAnotherAreRefusedAlone) {
  for (const CharmRequest& charm : std::vector<CharmRequest>{
           {.pemap = "0"},
           {.setcpuaffinity = true},
           {.maffinity = true, .nodemap = "0", .mempol = "bind"},
           {.setcpuaffinity = true, .pemap = "0", .nodemap = "0"},
           {.setcpuaffinity = true, .pemap = "0", .maffinity = true, .nodemap = "0"},
           {.setcpuaffinity = true, .pemap = "0", .maffinity = true, .mempol = "bind"},
           {.setcpuaffinity = true,
           .pemap = "0",
           .maffinity = true,
           .nodemap = "x",
           .mempol = "bind"},
       }) {
    const auto request = from_charm(charm);
    ASSERT_FALSE(request);
    EXPECT_EQ(request.error().code, ErrorCode::bad_usage);
  }
}

std::string wire_of(const CharmRequest& charm) {
  const auto request = from_charm(charm);
  if (!request) return request.error().message();
  const auto plan = plan_threads(four_nodes(), *request);
  return plan ? wire_text(*plan) : plan.error().message();
}

TEST(RunCharm, CountsForksOnlyWherePesMayBeForked) {
  EXPECT_FALSE(from_charm({})->count_forks) << "a program's helpers take no entry";
  EXPECT_TRUE(from_charm({.setcpuaffinity = true, .pemap = "0"})->count_forks);
}

TEST(RunCharm, IsPlannedAsOurOptionsAre) {
  EXPECT_EQ(wire_of({.setcpuaffinity = true, .pemap = "0-4:2"}),
            "1 cpus=0,2,4 threads=0/2/4 forks");
  const auto wired = [](const ThreadRequest& request) {
    return wire_text(*plan_threads(four_nodes(), request));
  };
  EXPECT_EQ(
      wire_of({.setcpuaffinity = true,
               .pemap = "0-1",
               .maffinity = true,
               .nodemap = "0,0-1",
               .mempol = "bind"}),
      wired({.threads = "0-1", .thread_memory = "bind@0/bind@0/bind@1", .count_forks = true}));
  EXPECT_EQ(
      wire_of({.setcpuaffinity = true, .pemap = "0", .maffinity = true, .mempol = "interleave"}),
      wired({.threads = "0", .thread_memory = "interleave", .count_forks = true}));
  const std::string refused = wire_of({.setcpuaffinity = true,
                                       .pemap = "0",
                                       .maffinity = true,
                                       .nodemap = "9",
                                       .mempol = "preferred"});
  EXPECT_TRUE(refused.starts_with("cannot use 'preferred@9': the nodes 9 do not exist")) << refused;
}

}  // namespace
}  // namespace homenode::launch
