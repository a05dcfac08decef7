#include "measure/team.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cerrno>
#include <set>

#include "support/machines.h"

namespace homenode::measure {
namespace {

TEST(Team, EachMemberIsBoundToItsCpu) {
  os::Fake os(odd_kernel());
  const auto team = Team::start(os, {CpuId(6), CpuId(1), CpuId(4)});
  ASSERT_TRUE(team);
  EXPECT_EQ((*team)->member_on(CpuId(1)), 1U);
  std::vector<CpuId> cpus(3);
  const std::vector<std::size_t> members{0, 1, 2};
  (*team)->run(members, [&](std::size_t place) {
    NodeId node;
    os.getcpu(cpus[place], node);
  });
  EXPECT_EQ(cpus, (std::vector<CpuId>{CpuId(6), CpuId(1), CpuId(4)}));
}

TEST(Team, OnlyThoseThatAreNamedRunAndAllAtTheSameTime) {
  os::Fake os(odd_kernel());
  const auto team = Team::start(os, {CpuId(0), CpuId(1), CpuId(2), CpuId(3)});
  ASSERT_TRUE(team);
  const std::vector<std::size_t> members{3, 1};
  for (int turn = 0; turn < 200; ++turn) {
    std::vector<CpuId> cpus(2);
    std::atomic<int> inside{0};
    (*team)->run(members, [&](std::size_t place) {
      NodeId node;
      os.getcpu(cpus[place], node);
      // Would wait for ever if the other one came only after this one.
      ++inside;
      while (inside < 2) std::this_thread::yield();
    });
    ASSERT_EQ(cpus, (std::vector<CpuId>{CpuId(3), CpuId(1)}));
  }
}

TEST(Team, SaysWhyACpuCannotBeUsed) {
  os::Fake os(odd_kernel());
  os.fail_call("sched_setaffinity", 2, EPERM);
  const auto team = Team::start(os, {CpuId(0), CpuId(1)});
  ASSERT_FALSE(team);
  EXPECT_NE(team.error().message().find("cannot bind a thread to the CPU"), std::string::npos);
}

}  // namespace
}  // namespace homenode::measure
