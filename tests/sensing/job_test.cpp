// The ranks of a job: found by their environment, judged by their CPUs.
#include "sensing/job.h"

#include <gtest/gtest.h>

#include "base/id_list.h"
#include "captured.h"
#include "fake/fake.h"

namespace homenode::sensing {
namespace {

JobRank rank(unsigned number, const char* cpus, std::optional<unsigned> wanted = {}) {
  JobRank one;
  one.rank = number;
  one.pid = static_cast<pid_t>(100 + number);
  one.cpus = *parse_cpu_list(cpus);
  one.wanted = wanted;
  return one;
}

std::vector<Binding> bindings(std::vector<JobRank> ranks) {
  std::vector<NodeFacts> nodes(2);
  nodes[0].id = NodeId(0);
  nodes[0].cpus = *parse_cpu_list("0-3");
  nodes[1].id = NodeId(1);
  nodes[1].cpus = *parse_cpu_list("4-7");
  judge(ranks, nodes);
  std::vector<Binding> found;
  for (const JobRank& one : ranks) found.push_back(one.binding);
  return found;
}

using Bindings = std::vector<Binding>;

TEST(Job, RanksWithCpusOfTheirOwnAreBound) {
  EXPECT_EQ(bindings({rank(0, "0-3", 4), rank(1, "4-7", 4)}),
            (Bindings{Binding::bound, Binding::bound}));
  EXPECT_EQ(bindings({rank(0, "0-7")}), (Bindings{Binding::bound}));  // No node has as many.
}

TEST(Job, RanksThatMayRunEverywhereAreUnbound) {
  EXPECT_EQ(bindings({rank(0, "0-7", 4), rank(1, "0-7", 4)}),
            (Bindings{Binding::unbound, Binding::unbound}));
}

TEST(Job, RanksOnTheSameCpusShareThem) {
  EXPECT_EQ(bindings({rank(0, "0-3"), rank(1, "3-4"), rank(2, "6-7")}),
            (Bindings{Binding::shared, Binding::shared, Binding::bound}));
}

TEST(Job, RanksOnFewerCpusThanTheyAreShareThem) {
  EXPECT_EQ(bindings({rank(0, "0"), rank(1, "0")}), (Bindings{Binding::shared, Binding::shared}));
}

TEST(Job, FewerCpusThanWereAskedForAndOnesOnSeveralNodesAreTold) {
  EXPECT_EQ(bindings({rank(0, "0", 2), rank(1, "2,5", 2)}),
            (Bindings{Binding::too_few, Binding::spread}));
}

TEST(Job, FewerCpusThanOpenMpHasThreadsAreTold) {
  std::vector<JobRank> ranks{rank(0, "0"), rank(1, "2-3"), rank(2, "4-5", 2)};
  for (JobRank& one : ranks) one.threads = 2;
  ranks[2].threads = 4;
  EXPECT_EQ(bindings(ranks), (Bindings{Binding::too_few, Binding::bound, Binding::too_few}));
  judge(ranks, {});
  EXPECT_EQ(ranks[0].verdict, "has 1 CPU for the 2 threads of OMP_NUM_THREADS");
}

class JobFiles : public ::testing::Test {
 protected:
  void SetUp() override {
    system.write("sys/devices/system/node/online", "0\n");
    system.write("sys/devices/system/node/node0/cpulist", "0-3\n");
    system.write("sys/devices/system/node/node0/meminfo", "Node 0 MemTotal: 1024 kB\n");
  }
  void add(int pid, int parent, const std::string& environment, const char* cpus,
           const char* name = "x") {
    std::string text = environment;
    std::replace(text.begin(), text.end(), ' ', '\0');
    system.write(fmt::format("proc/{}/environ", pid), text);
    system.write(fmt::format("proc/{}/status", pid),
                 fmt::format("Name:\t{}\nPPid:\t{}\nCpus_allowed_list:\t{}\n"
                             "Mems_allowed_list:\t0\n",
                             name, parent, cpus));
  }

  CapturedSystem system;
  os::Fake os;
};

TEST_F(JobFiles, AreNotOfTheShellThatARankStartsThisCommandFrom) {
  add(10, 1, "OMPI_COMM_WORLD_RANK=0", "0-1", "halo");
  add(11, 10, "OMPI_COMM_WORLD_RANK=0", "0-3", "sh");
  add(12, 11, "OMPI_COMM_WORLD_RANK=0", "0-3", "homenode");
  add(20, 1, "OMPI_COMM_WORLD_RANK=1", "2-3", "halo");
  const auto ranks = read_job({os, system.root()}, 12);
  ASSERT_TRUE(ranks);
  ASSERT_EQ(ranks->size(), 2U);
  EXPECT_EQ(ranks->front().pid, 10);
  EXPECT_EQ(ranks->back().pid, 20);
}

TEST_F(JobFiles, AreReadOfTheProgramsAndNotOfWhatStartsThem) {
  add(10, 1, "PATH=/bin SLURM_JOB_ID=7 SLURM_PROCID=1 SLURM_CPUS_PER_TASK=2", "0-3");
  add(11, 10, "SLURM_JOB_ID=7 SLURM_PROCID=1 SLURM_CPUS_PER_TASK=2", "2-3");
  add(12, 1, "SLURM_JOB_ID=7 SLURM_PROCID=0 SLURM_CPUS_PER_TASK=2", "0-1");
  add(13, 1, "HOME=/", "0-3");
  const auto ranks = read_job({os, system.root()}, 99);
  ASSERT_TRUE(ranks);
  ASSERT_EQ(ranks->size(), 2U);
  EXPECT_EQ(ranks->front().pid, 12);
  EXPECT_EQ(ranks->back().pid, 11);
  EXPECT_EQ(ranks->back().wanted, 2U);
  EXPECT_EQ(ranks->back().job, "7");
  EXPECT_EQ(to_list(ranks->back().nodes), "0");
  EXPECT_EQ(ranks->back().binding, Binding::bound);
}

TEST_F(JobFiles, SayHowManyThreadsOpenMpStarts) {
  add(10, 1, "PMI_RANK=0 OMP_NUM_THREADS=2,4", "0");
  add(11, 1, "PMI_RANK=1 OMP_NUM_THREADS=many", "1");
  add(12, 1, "PMI_RANK=2", "2");
  const auto ranks = read_job({os, system.root()}, 99);
  ASSERT_TRUE(ranks);
  ASSERT_EQ(ranks->size(), 3U);
  EXPECT_EQ((*ranks)[0].threads, 2U);
  EXPECT_EQ((*ranks)[0].binding, Binding::too_few);
  EXPECT_EQ((*ranks)[1].threads, std::nullopt);
  EXPECT_EQ((*ranks)[2].threads, std::nullopt);
}

TEST_F(JobFiles, AreThoseOfTheJobThatTheCommandIsIn) {
  system.write("proc/self/environ", "SLURM_JOB_ID=8");
  add(10, 1, "SLURM_JOB_ID=7 SLURM_PROCID=0", "0");
  add(11, 1, "SLURM_JOB_ID=8 PMI_RANK=3", "1");
  const auto ranks = read_job({os, system.root()}, 99);
  ASSERT_TRUE(ranks);
  ASSERT_EQ(ranks->size(), 1U);
  EXPECT_EQ(ranks->front().rank, 3U);
}

TEST_F(JobFiles, WithoutRanksAreAnErrorThatSaysHowToStart) {
  add(10, 1, "HOME=/", "0");
  const auto ranks = read_job({os, system.root()}, 99);
  ASSERT_FALSE(ranks);
  EXPECT_NE(ranks.error().message().find("srun --overlap"), std::string::npos);
}

}  // namespace
}  // namespace homenode::sensing
