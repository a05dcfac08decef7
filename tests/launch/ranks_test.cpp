#include "launch/ranks.h"

#include <gtest/gtest.h>

#include <map>

#include "base/id_list.h"

namespace homenode::launch {
namespace {

using Variables = std::map<std::string, std::string>;

Result<LocalRank> rank_in(const Variables& variables) {
  return find_local_rank([&variables](const char* name) {
    const auto found = variables.find(name);
    return found == variables.end() ? nullptr : found->second.c_str();
  });
}

/// Nodes 0 and 1 on package 0, nodes 4 and 6 on package 1; node 6 has no CPUs.
machine::Machine two_packages() {
  machine::Machine machine;
  machine.nodes = {{NodeId(0), {CpuId(0)}, 1_MiB, 0},
                   {NodeId(1), {CpuId(1)}, 1_MiB, 0},
                   {NodeId(4), {CpuId(2)}, 1_MiB, 1},
                   {NodeId(6), {}, 1_MiB, 1}};
  machine.packages = {{0, {CpuId(0), CpuId(1)}}, {1, {CpuId(2)}}};
  machine.allowed_cpus = machine.cpus();
  machine.allowed_nodes = machine.node_ids();
  return machine;
}

TEST(RunRanks, EveryLauncherIsKnown) {
  for (const char* name : {"OMPI_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID", "SLURM_LOCALID",
                           "PMI_RANK", "MV2_COMM_WORLD_LOCAL_RANK", "PMIX_RANK"}) {
    const auto rank = rank_in({{name, "3"}});
    ASSERT_TRUE(rank) << name;
    EXPECT_EQ(rank->rank, 3U);
    EXPECT_EQ(rank->variable, name);
  }
}

TEST(RunRanks, TheRankOnThisHostComesBeforeTheRankOverAll) {
  EXPECT_EQ(rank_in({{"PMI_RANK", "17"}, {"MPI_LOCALRANKID", "1"}})->rank, 1U);
  EXPECT_EQ(rank_in({{"SLURM_LOCALID", "0"}, {"OMPI_COMM_WORLD_LOCAL_RANK", "2"}})->rank, 2U);
}

TEST(RunRanks, NoRankOrNonsenseIsBadUsage) {
  for (const Variables& variables :
       {Variables{}, Variables{{"SLURM_LOCALID", ""}}, Variables{{"SLURM_LOCALID", "1x"}},
        Variables{{"SLURM_LOCALID", "-1"}}}) {
    const auto rank = rank_in(variables);
    ASSERT_FALSE(rank);
    EXPECT_EQ(rank.error().code, ErrorCode::bad_usage);
  }
}

TEST(RunRanks, EachTakesANodeInTurn) {
  const std::vector<std::string> expected{"0", "1", "4", "0"};
  for (unsigned rank = 0; rank < expected.size(); ++rank) {
    EXPECT_EQ(to_list(*nodes_of_rank(two_packages(), RankDomain::node, rank)), expected[rank]);
  }
  EXPECT_EQ(to_list(*nodes_of_rank(two_packages(), RankDomain::package, 0)), "0-1");
  EXPECT_EQ(to_list(*nodes_of_rank(two_packages(), RankDomain::package, 1)), "4");
}

TEST(RunRanks, NodesWithoutAllowedCpusAreLeftOut) {
  machine::Machine machine = two_packages();
  machine.allowed_cpus = {CpuId(1), CpuId(2)};
  EXPECT_EQ(to_list(*nodes_of_rank(machine, RankDomain::node, 0)), "1");
  EXPECT_EQ(to_list(*nodes_of_rank(machine, RankDomain::node, 1)), "4");
  machine.allowed_cpus = {};
  EXPECT_FALSE(nodes_of_rank(machine, RankDomain::node, 0));
}

}  // namespace
}  // namespace homenode::launch
