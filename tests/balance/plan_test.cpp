#include "balance/plan.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "program_model.h"

namespace homenode::balance {
namespace {

NodeId node(std::size_t number) {
  return NodeId(static_cast<unsigned>(number));
}

/// A region at `home` that threads on nodes 0 and 1 use as often as given.
ProgramModel two_users(double by_node_0, double by_node_1, std::size_t home) {
  ProgramModel model;
  model.threads = {node(0), node(1)};
  model.regions = {{node(home)}};
  model.uses = {{by_node_0}, {by_node_1}};
  model.pinned.assign(2, false);
  return model;
}

RegionHomes planned(const ProgramModel& model, const machine::Machine& machine,
                    const ProcessMemory& before = {}, double now_s = 0) {
  const Observation seen = model.seen(machine, true);
  return plan_pages(seen, before, nodes_of(seen), Setting{machine}, {}, {now_s, 1e9});
}

TEST(BalancePlan, BringsThreadsTogetherThatUseTheSameMemory) {
  const auto machine = machine_of(4, 2);
  auto model = private_regions(machine, 4, [](std::size_t) { return NodeId(0); });
  // Threads t and t + 4 use the regions of both.
  for (std::size_t t = 0; t < 4; ++t) {
    for (std::size_t r = 0; r < model.regions.size(); ++r) {
      model.uses[t][r] = model.uses[t + 4][r] = model.uses[t][r] + model.uses[t + 4][r];
    }
  }
  model.run(machine, 20);
  EXPECT_DOUBLE_EQ(model.local_share(), 1);
  EXPECT_EQ(model.moved_pages, 24U * 512U);
  for (std::size_t n = 0; n < 4; ++n) {
    EXPECT_EQ(std::count(model.threads.begin(), model.threads.end(), node(n)), 2);
  }
}

TEST(BalancePlan, BringsThreadsTogetherThatShareALittleWhereTheirPagesHaveToGoAnyway) {
  const auto machine = machine_of(4, 2);
  auto model = private_regions(machine, 4, [](std::size_t) { return NodeId(0); });
  // Threads t and t + 4 use a fifth as much of the first region of each other: less than a
  // twentieth of all uses would stay remote if they were apart.
  const std::size_t regions = model.regions.size() / model.threads.size();
  for (std::size_t t = 0; t < 8; ++t) {
    const double own = model.uses[t][t * regions];
    model.uses[(t + 4) % 8][t * regions] = 0.21 * own;
  }
  model.run(machine, 20);
  EXPECT_DOUBLE_EQ(model.local_share(), 1);
}

TEST(BalancePlan, DoesNotTakeAThreadAwayFromOneThatHasToStay) {
  const auto machine = machine_of(2, 2);
  ProgramModel model;
  model.threads = {node(0), node(0)};
  model.regions.assign(8, {node(1)});
  model.uses.assign(2, std::vector<double>(8, 20));
  model.pinned = {false, true};
  model.run(machine, 10);
  EXPECT_EQ(model.bound, 0U);
  EXPECT_DOUBLE_EQ(model.local_share(), 1);
}

TEST(BalancePlan, AGroupIsNoLargerThanANode) {
  const auto machine = machine_of(2, 2);
  ProgramModel model;
  model.threads = {node(0), node(1), node(0), node(1)};
  model.regions = {{node(0)}};
  model.uses.assign(4, {100});
  model.pinned.assign(4, false);
  const Observation seen = model.seen(machine, true);
  ThreadNodes nodes = nodes_of(seen);
  for (const auto& [thread, to] : plan_groups(seen, Setting{machine}, {})) nodes[thread] = to;
  std::map<NodeId, int> on;
  for (const auto& [thread, at] : nodes) ++on[at];
  EXPECT_EQ(on, (std::map<NodeId, int>{{node(0), 2}, {node(1), 2}}));
}

TEST(BalancePlan, SpreadsByTheUsersOfNeighboursWhereSamplesAreFew) {
  const auto machine = machine_of(4, 2);
  for (const auto& [samples, nodes] : {std::pair{1.0, 4U}, {50.0, 2U}}) {
    ProgramModel model;
    for (std::size_t t = 0; t < 8; ++t) model.threads.push_back(node(t / 2));
    model.pinned.assign(8, false);
    model.regions.assign(16, {node(0)});
    model.uses.assign(8, std::vector<double>(16, 0));
    for (std::size_t r = 0; r < 16; ++r)
      model.uses[r % 8][r] = model.uses[(r + 2) % 8][r] = samples;
    const auto homes = plan_spread(model.seen(machine, true), {}, Setting{machine}, {}, {0, 1e9});
    ASSERT_GE(homes.size(), 12U);
    for (const auto& [region, home] : homes) EXPECT_EQ(home.size(), nodes) << samples;
  }
}

TEST(BalancePlan, SpreadsOverAllNodesWhereMostShare) {
  const auto machine = machine_of(4, 2);
  ProgramModel model;
  for (std::size_t t = 0; t < 8; ++t) model.threads.push_back(node(t / 2));
  model.pinned.assign(8, false);
  model.regions.assign(4, {node(0)});
  model.uses.assign(8, std::vector<double>(4, 0));
  // Each region has been seen used from all nodes but one.
  for (std::size_t r = 0; r < 4; ++r) {
    for (std::size_t n = 0; n < 4; ++n) model.uses[2 * n][r] = n == r ? 0 : 50;
  }
  const auto homes = plan_spread(model.seen(machine, true), {}, Setting{machine}, {}, {0, 1e9});
  ASSERT_EQ(homes.size(), 4U);
  for (const auto& [region, home] : homes) EXPECT_EQ(home.size(), 4U);
}

TEST(BalancePlan, LeavesCpusToOtherProcesses) {
  const auto machine = machine_of(2, 2);
  auto model = two_users(100, 100, 0);
  const Observation seen = model.seen(machine, true);
  Setting setting{machine};
  EXPECT_EQ(plan_groups(seen, setting, {}).size(), 1U);
  EXPECT_EQ(plan_threads(seen, setting, {}).size(), 1U);
  setting.cpus_taken = {{node(0), 1}, {node(1), 1}};
  EXPECT_TRUE(plan_groups(seen, setting, {}).empty());
  EXPECT_TRUE(plan_threads(seen, setting, {}).empty());
}

TEST(BalancePlan, MovesNothingOnTooFewSamples) {
  const auto machine = machine_of(2, 2);
  EXPECT_TRUE(planned(two_users(0, 4, 0), machine).empty());
  EXPECT_EQ(planned(two_users(0, 5, 0), machine).size(), 1U);
}

TEST(BalancePlan, MovesWhatIsMostlyOneNodesOnlyIfNoHeavyUserLoses) {
  const auto machine = machine_of(3, 2);
  const auto beside = [&](double a, double b, std::size_t home) {
    return !planned(two_users(a, b, home), machine).empty();
  };
  EXPECT_FALSE(beside(300, 700, 0));
  EXPECT_TRUE(beside(300, 700, 2));
  EXPECT_TRUE(beside(50, 950, 0));
  EXPECT_FALSE(beside(500, 500, 2));
}

TEST(BalancePlan, LetsARegionRestAndThenStayThatWentToAndFro) {
  const auto machine = machine_of(2, 2);
  const auto model = two_users(0, 100, 0);
  const std::uint64_t region = ProgramModel::address(0);
  ProcessMemory memory;
  remember_move(memory, region, {node(0)}, 0, {});
  EXPECT_TRUE(planned(model, machine, memory, 29).empty());
  EXPECT_EQ(planned(model, machine, memory, 31).size(), 1U);
  remember_move(memory, region, {node(1)}, 31, {});
  EXPECT_EQ(memory.moved.at(region).quiet_until_s, 31 + 60);
  EXPECT_EQ(planned(model, machine, memory, 1000).size(), 1U);  // To the same node again.
  EXPECT_TRUE(planned(two_users(100, 0, 1), machine, memory, 1000).empty());
}

TEST(BalancePlan, RemotenessIsOneOnAverageAndFollowsTheDistances) {
  auto machine = machine_of(3, 1);
  EXPECT_EQ(Remoteness(machine).of(node(0), node(2)), 1);
  const auto ids = machine.node_ids().to_vector();
  machine::Distances distances;
  distances.values = {ids, ids, 10};
  for (const NodeId a : ids) {
    for (const NodeId b : ids) {
      if (a != b) distances.values.at(a, b) = a == node(2) || b == node(2) ? 40 : 20;
    }
  }
  machine.distances = distances;
  const Remoteness remoteness(machine);
  EXPECT_EQ(remoteness.of(node(1), node(1)), 0);
  EXPECT_DOUBLE_EQ(remoteness.of(node(0), node(1)), 10 / (140.0 / 6));
  EXPECT_DOUBLE_EQ(remoteness.of(node(0), node(2)), 30 / (140.0 / 6));
  const Observation seen = two_users(100, 300, 2).seen(machine, true);
  EXPECT_DOUBLE_EQ(mean_remoteness(seen, remoteness, nodes_of(seen), {}), 30 / (140.0 / 6));
}

TEST(BalancePlan, ANewPhaseGetsAnotherChance) {
  ProcessMemory memory;
  memory.hands_off = true;
  memory.failed_plans = 2;
  memory.phase = {1000, 8};
  Observation seen;
  seen.resident = Bytes{1900};
  seen.threads.resize(8);
  EXPECT_FALSE(is_new_phase(memory, seen, {}));
  EXPECT_TRUE(memory.hands_off);
  seen.threads.resize(4);
  EXPECT_TRUE(is_new_phase(memory, seen, {}));
  EXPECT_FALSE(memory.hands_off);
  EXPECT_EQ(memory.failed_plans, 0);
}

}  // namespace
}  // namespace homenode::balance
