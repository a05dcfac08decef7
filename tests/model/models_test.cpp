#include <gtest/gtest.h>

#include "model/machines.h"
#include "model/prediction.h"

namespace homenode::model {
namespace {

using placement::Placement;
using placement::Policy;
using placement::PolicyKind;

constexpr double lines = 16384;  // Of one MiB.

Placement memory_on(std::vector<NodeId> nodes, PolicyKind kind = PolicyKind::bind) {
  Placement placement;
  placement.process_memory = Policy{kind, {}};
  for (const NodeId node : nodes) placement.process_memory->nodes.insert(node);
  return placement;
}

/// Threads that each read the whole MiB, or divide it, with so many lines in flight.
Program program(std::vector<NodeId> threads, bool divided, double lines_in_flight = 1) {
  Program made{.node_of_thread = std::move(threads), .computing_s = {}, .objects = {}};
  made.computing_s.assign(made.threads(), 0);
  made.objects = {one_mebibyte(made.threads(), divided)};
  made.objects.front().lines_in_flight = lines_in_flight;
  return made;
}

Prediction predicted(const Program& program, const Placement& placement, std::string_view model) {
  const auto found = predict(three_nodes(), program, placement, model);
  EXPECT_TRUE(found) << found.error().message();
  return *found;
}

TEST(ByDistance, CountsLocalLines) {
  EXPECT_DOUBLE_EQ(predicted(program({node0}, true), memory_on({node0}), "distance").time, lines);
  const auto remote = predicted(program({node0}, true), memory_on({node4}), "distance");
  EXPECT_DOUBLE_EQ(remote.time, 2 * lines);
  EXPECT_FALSE(remote.absolute);
  EXPECT_EQ(to_string(remote.bottleneck), "latency from node 0 to the memory of node 4");
}

TEST(ByLatency, ChasesTakeLinesTimesLatency) {
  Program chase = program({node0}, true);
  EXPECT_DOUBLE_EQ(predicted(chase, memory_on({node0}), "latency").time, lines * 100e-9);
  EXPECT_DOUBLE_EQ(predicted(chase, memory_on({node7}), "latency").time, lines * 400e-9);
  chase.objects.front().lines_in_flight = 8;
  chase.computing_s = {1e-3};
  const auto overlapped = predicted(chase, memory_on({node7}), "latency");
  EXPECT_DOUBLE_EQ(overlapped.time, 1e-3 + lines * 400e-9 / 8);
  EXPECT_TRUE(overlapped.absolute);
  EXPECT_EQ(to_string(overlapped.bottleneck), "computing");
}

TEST(ByLatency, InterleavingCostsTheMeanOfTheLatencies) {
  const auto found = predicted(program({node0}, true),
                               memory_on({node0, node4}, PolicyKind::interleave), "latency");
  EXPECT_DOUBLE_EQ(found.time, lines * 150e-9);
}

TEST(ByBandwidth, StreamsTakeTheirBytesOverWhatThePathGives) {
  const double mib_s = 1.0 / 8000;
  const auto local = predicted(program({node0}, true), memory_on({node0}), "bandwidth");
  EXPECT_DOUBLE_EQ(local.time, mib_s);
  EXPECT_EQ(local.bottleneck.kind, Bottleneck::Kind::controller);
  const auto remote = predicted(program({node0}, true), memory_on({node4}), "bandwidth");
  EXPECT_DOUBLE_EQ(remote.time, 2 * mib_s);
  EXPECT_EQ(to_string(remote.bottleneck), "bandwidth from node 0 to the memory of node 4");
}

TEST(ByBandwidth, WritesTakeAsLongAsTheirBandwidthSays) {
  Program writer = program({node0}, true);
  for (Lines& use : writer.objects.front().uses) std::swap(use.reads, use.writes);
  EXPECT_DOUBLE_EQ(predicted(writer, memory_on({node0}), "bandwidth").time, 2.0 / 8000);
}

TEST(ByBandwidth, OneNodesMemoryIsSharedByAllWhoUseIt) {
  // Both threads read all of it: 2 MiB from node 0, of which the remote one gets half the rate.
  const auto hot = predicted(program({node0, node4}, false), memory_on({node0}), "bandwidth");
  EXPECT_DOUBLE_EQ(hot.time, 2.0 / 8000);
  EXPECT_EQ(to_string(hot.bottleneck), "bandwidth of the memory of node 0");
  // Interleaved, each node gives half of it to each; paths are as full as memory is.
  const auto spread = predicted(program({node0, node4}, false),
                                memory_on({node0, node4}, PolicyKind::interleave), "bandwidth");
  EXPECT_DOUBLE_EQ(spread.time, 1.0 / 8000);
}

TEST(ByBandwidth, PairsThatShareALinkShareWhatItCarries) {
  // All that node 4 reads comes over one link, from node 7 by way of node 0.
  machine::Machine machine = three_nodes();
  machine.info = {{"Links", "0-4:1000,0-7:8000"}};
  const auto found =
      predict(machine, program({node4, node4}, true), memory_on({node0}), "bandwidth");
  EXPECT_DOUBLE_EQ(found->time, 1.0 / 1000);
  EXPECT_EQ(to_string(found->bottleneck), "bandwidth of the link from node 0 to node 4");
  const auto two_hops = predict(machine, program({node4, node4}, true),
                                memory_on({node0, node7}, PolicyKind::interleave), "bandwidth");
  EXPECT_DOUBLE_EQ(two_hops->time, 1.0 / 1000);
}

TEST(ByBoth, IsBoundByWhicheverIsSlower) {
  const Program chase = program({node0}, true);
  EXPECT_DOUBLE_EQ(predicted(chase, memory_on({node0}), "both").time, lines * 100e-9);
  const Program stream = program({node0}, true, 64);
  EXPECT_DOUBLE_EQ(predicted(stream, memory_on({node0}), "both").time, 1.0 / 8000);
}

TEST(ByBoth, AWalkThroughTwoNodesTakesEachInTurn) {
  const Placement both = memory_on({node0, node4}, PolicyKind::interleave);
  // Half of the MiB at 8000 and half at 4000 MiB a second, as one reader gets from each.
  const Program stream = program({node0}, true, 64);
  EXPECT_NEAR(predicted(stream, both, "both").time, 0.5 / 8000 + 0.5 / 4000, 1e-12);
  // Without order both nodes are used at any time, and the slower way holds up the rest.
  const Program scattered = program({node0}, true, 8);
  EXPECT_DOUBLE_EQ(predicted(scattered, both, "both").time, lines * 150e-9 / 8);
}

TEST(ByBoth, WalkersWithPagesOfTheirOwnDriftApart) {
  const Placement both = memory_on({node0, node4}, PolicyKind::interleave);
  // Half of the MiB each, a quarter from each node at any time, 8000 from the near one, 4000 from
  // the far one.
  const Program walkers = program({node0, node4}, true, 64);
  EXPECT_NEAR(predicted(walkers, both, "both").time, 0.25 / 4000, 1e-12);
}

TEST(ByBoth, WalkersThatStartTogetherMeetAtEveryNode) {
  Program walkers = program({node0, node4}, false, 64);
  const Placement both = memory_on({node0, node4}, PolicyKind::interleave);
  // At one node at a time: the local one and the remote one share what it gives, 4000 each.
  EXPECT_NEAR(predicted(walkers, both, "both").time, 1.0 / 4000, 1e-12);
}

TEST(Predict, TakesTheBestModelThatTheMachinesFiguresAllow) {
  const Program chase = program({node0}, true);
  machine::Machine machine = three_nodes();
  EXPECT_EQ(predict(machine, chase, {})->model, "both");
  machine.pair_values.erase(machine.pair_values.begin());
  EXPECT_EQ(predict(machine, chase, {})->model, "bandwidth");
  machine.pair_values.clear();
  EXPECT_EQ(predict(machine, chase, {})->model, "distance");
  EXPECT_EQ(predict(machine, chase, {}, "both").error().code, ErrorCode::not_supported);
  EXPECT_EQ(predict(machine, chase, {}, "guess").error().code, ErrorCode::bad_usage);
}

TEST(Predict, CountsTheTrafficBetweenNodes) {
  const auto found = predicted(program({node0, node4}, true), {}, "both");
  EXPECT_DOUBLE_EQ(found.traffic.at(node0, node0).reads, lines / 2);
  EXPECT_DOUBLE_EQ(found.traffic.at(node4, node4).reads, lines / 2);
  EXPECT_DOUBLE_EQ(found.traffic.at(node0, node4).reads, 0);
}

TEST(Predict, DoesNotDependOnTheOrderOfThreads) {
  for (const Model& model : models()) {
    const Placement hot = memory_on({node0});
    const Program one = program({node0, node4, node4}, false, 8);
    const Program other = program({node4, node0, node4}, false, 8);
    EXPECT_DOUBLE_EQ(predicted(one, hot, model.name).time, predicted(other, hot, model.name).time);
  }
}

}  // namespace
}  // namespace homenode::model
