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

std::string nodes_of(RankDomain domain, unsigned rank, const CpuSet& cpus = two_packages().cpus()) {
  const auto domains = domains_of_ranks(two_packages(), cpus, domain);
  return domains ? to_list((*domains)[rank % domains->size()]) : domains.error().message();
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
    EXPECT_EQ(nodes_of(RankDomain::node, rank), expected[rank]);
  }
  EXPECT_EQ(nodes_of(RankDomain::package, 0), "0-1");
  EXPECT_EQ(nodes_of(RankDomain::package, 1), "4");
}

TEST(RunRanks, NodesWithoutCpusOfTheSetAreLeftOut) {
  const CpuSet cpus{CpuId(1), CpuId(2)};
  EXPECT_EQ(nodes_of(RankDomain::node, 0, cpus), "1");
  EXPECT_EQ(nodes_of(RankDomain::node, 1, cpus), "4");
  EXPECT_FALSE(domains_of_ranks(two_packages(), {}, RankDomain::node));
}

TEST(RunRanks, ThreadsTakeTheEntriesOnTheirRanksCpus) {
  const auto entry = [](const char* cpus) { return *parse_cpu_list(cpus); };
  const placement::ThreadMap map{{entry("4"), entry("0-3"), entry("5"), entry("2"), entry("2")}};
  const auto own = threads_of_rank(map, entry("2-3"), {1, "PMI_RANK"});
  ASSERT_TRUE(own);
  EXPECT_EQ(own->cpus_by_rank, (std::vector{entry("2-3"), entry("2"), entry("2")}));
  const auto none = threads_of_rank(map, entry("6-7"), {3, "PMI_RANK"});
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().code, ErrorCode::bad_usage);
  EXPECT_NE(none.error().message().find("no entry for rank 3"), std::string::npos);
}

}  // namespace
}  // namespace homenode::launch
