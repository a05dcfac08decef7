#include "balancer/process_facts.h"

#include <gtest/gtest.h>

#include "process_files.h"

namespace homenode::balancer {
namespace {

class BalancerProcess : public testing::Test {
 protected:
  BalancerProcess() {
    os.set_file("/sys/devices/system/cpu/online", "0-7\n");
    os.set_file("/sys/fs/cgroup/user/cpuset.cpus.effective", "0-3\n");
  }
  ProcessFacts read(const FakeTask& task, Journal journal = {}) {
    const Changes changes(
        {os}, [](const std::string&) { return Result<void>(); }, std::move(journal));
    set_task(os, task);
    auto process = read_quickly({os}, task.pid);
    EXPECT_TRUE(process);
    EXPECT_TRUE(read_wholly({os}, changes, *process));
    return *process;
  }

  os::Fake os;
};

TEST_F(BalancerProcess, IsReadWithItsOwnerAndItsCpuset) {
  const ProcessFacts process = read({.pid = 40, .tid = 40, .cpu_ticks = 30});
  EXPECT_EQ(process.user, 1000U);
  EXPECT_EQ(process.cpu_ticks, 30U);
  EXPECT_EQ(process.resident, 200_MiB);
  EXPECT_EQ(process.cgroup, "/user/one");
  EXPECT_EQ(process.cpuset, CpuSet::range(CpuId(0), CpuId(3)));
  EXPECT_EQ(process.why_not, "");
  ASSERT_EQ(process.threads.size(), 1U);
  EXPECT_EQ(process.threads.front().why_not, "");
}

TEST_F(BalancerProcess, ThatIsTracedIsLeftAlone) {
  EXPECT_EQ(read({.pid = 40, .tid = 40, .tracer = 9}).why_not, "process 9 traces it");
}

TEST_F(BalancerProcess, OfTheKernelOrThatHasEndedIsNone) {
  set_task(os, {.pid = 41, .tid = 41, .flags = 0x200000});
  EXPECT_FALSE(read_quickly({os}, 41));
  set_task(os, {.pid = 42, .tid = 42, .state = 'Z'});
  EXPECT_FALSE(read_quickly({os}, 42));
}

TEST_F(BalancerProcess, LeavesRealTimeThreadsAlone) {
  for (const unsigned scheduling : {1U, 2U, 6U}) {
    const auto process = read({.pid = 40, .tid = 40, .scheduling = scheduling});
    EXPECT_EQ(process.threads.front().why_not, "it is a real-time thread") << scheduling;
  }
  EXPECT_EQ(read({.pid = 40, .tid = 40, .scheduling = 3}).threads.front().why_not, "");
}

TEST_F(BalancerProcess, LeavesAThreadAloneThatIsBoundToLessThanTheCpuset) {
  EXPECT_EQ(read({.pid = 40, .tid = 40, .cpus = "0-2"}).threads.front().why_not,
            "it is bound to the CPUs 0-2");
  EXPECT_EQ(read({.pid = 40, .tid = 40, .cpus = "0-7"}).threads.front().why_not, "");
}

TEST_F(BalancerProcess, ThatWasBoundByTheBalancerIsNotLeftAlone) {
  Journal journal;
  journal.threads.push_back({{40, 100}, {40, 100}, {CpuId(0)}, {{CpuId(1)}, {CpuId(2)}}});
  EXPECT_EQ(read({.pid = 40, .tid = 40, .cpus = "2"}, journal).threads.front().why_not, "");
  EXPECT_NE(read({.pid = 40, .tid = 40, .cpus = "1"}, journal).threads.front().why_not, "");
  EXPECT_NE(
      read({.pid = 40, .tid = 40, .started = 5, .cpus = "2"}, journal).threads.front().why_not, "");
}

}  // namespace
}  // namespace homenode::balancer
