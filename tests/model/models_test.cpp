#include <gtest/gtest.h>

#include <cmath>

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
  made.objects.front().in_order = lines_in_flight > 12 ? 1 : 0;
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

TEST(ByBoth, UsesAllNodesAtAnyTime) {
  const Placement both = memory_on({node0, node4}, PolicyKind::interleave);
  const Program scattered = program({node0}, true, 8);
  EXPECT_DOUBLE_EQ(predicted(scattered, both, "both").time, lines * 150e-9 / 8);
  // Half from each, 8000 MiB a second from the near one, 4000 from the far one.
  const Program stream = program({node0}, true, 64);
  EXPECT_DOUBLE_EQ(predicted(stream, both, "both").time, 0.5 / 4000);
}

TEST(ByBoth, NobodyWaitsForWhatGoesBackToMemory) {
  Program writer = program({node0}, true);
  const double alone = predicted(writer, memory_on({node0}), "both").time;
  for (Lines& use : writer.objects.front().uses) use.writes = use.reads;
  EXPECT_DOUBLE_EQ(predicted(writer, memory_on({node0}), "both").time, alone);
}

TEST(ByBoth, APrefetcherWaitsWhileTheThreadComputes) {
  Program walker = program({node0}, true, 16);
  walker.computing_s = {2 * lines * 100e-9 / 16};
  EXPECT_DOUBLE_EQ(predicted(walker, memory_on({node0}), "both").time, walker.computing_s[0]);
  walker.objects.front().in_order = 0;
  EXPECT_DOUBLE_EQ(predicted(walker, memory_on({node0}), "both").time, walker.computing_s[0] * 1.5);
}

/// A sample that is not endless begins and ends with queues that are not full.
void expect_about(double found, double wanted, double tolerance = 0.02) {
  EXPECT_NEAR(found, wanted, tolerance * wanted);
}

TEST(ByQueues, ChasesTakeLinesTimesLatency) {
  const Program chase = program({node0}, true);
  expect_about(predicted(chase, memory_on({node0}), "queues").time, lines * 100e-9);
  const auto far = predicted(chase, memory_on({node7}), "queues");
  expect_about(far.time, lines * 400e-9);
  EXPECT_EQ(to_string(far.bottleneck), "latency from node 0 to the memory of node 7");
  const Program scattered = program({node0}, true, 8);
  const Placement both = memory_on({node0, node4}, PolicyKind::interleave);
  // The oldest line is waited for: often a far one while near ones have come.
  const double time = predicted(scattered, both, "queues").time;
  EXPECT_GE(time, lines * 150e-9 / 8);
  EXPECT_LE(time, lines * 200e-9 / 8);
}

TEST(ByQueues, AFewLinesOfAChaseTakeTheirTimeBesideAWalk) {
  Program both = program({node0}, true, 8);
  Object chase = both.objects.front();
  chase.name = "chase";
  chase.lines_in_flight = 1;
  for (Lines& use : chase.uses) use.reads /= 64;
  both.objects.push_back(chase);
  const double time = predicted(both, memory_on({node0}), "queues").time;
  expect_about(time, lines * 100e-9 / 8 + lines / 64 * 100e-9, 0.05);
}

TEST(ByQueues, StreamsTakeTheirBytesOverWhatThePathGives) {
  const auto local = predicted(program({node0}, true, 64), memory_on({node0}), "queues");
  expect_about(local.time, 1.0 / 8000);
  EXPECT_EQ(to_string(local.bottleneck), "bandwidth of the memory of node 0");
  const auto hot = predicted(program({node0, node4}, false, 64), memory_on({node0}), "queues");
  // The remote one has lines on their way for longer, and ends later.
  expect_about(hot.time, 2.0 / 8000, 0.1);
}

TEST(ByQueues, WhatIsInUseMostOfTheTimeIsTheBottleneck) {
  // Each line waits for less than its latency, and yet the link could not bring them much faster.
  machine::Machine machine = three_nodes();
  machine.info = {{"Links", "0-4:1000,0-7:8000"}};
  const auto found =
      predict(machine, program({node4, node4}, true, 2), memory_on({node0}), "queues");
  EXPECT_LT(found->time, 1.25 / 1000);
  EXPECT_EQ(to_string(found->bottleneck), "bandwidth of the link from node 0 to node 4");
  expect_about(found->bottleneck.share, 1.0 / 1000 / found->time);
}

TEST(ByQueues, AWalkThroughTwoNodesTakesEachInTurn) {
  // Four blocks of 64 pages, on the nodes in turn: half of the MiB at 8000 MiB a second and half
  // at 4000, but for the lines in flight around the three places where it goes from one to another.
  Program stream = program({node0}, true, 64);
  stream.objects.front().first_users = {};
  stream.objects.front().homes = {node0, node4, node0, node4};
  expect_about(predicted(stream, {}, "queues").time, 0.5 / 8000 + 0.5 / 4000, 0.1);
}

TEST(ByQueues, WalkersThatStartTogetherSpreadOverTheNodes) {
  // Both read all of it, from page to page and node to node. Whoever comes first to a node has it
  // alone for a moment, so they are soon at different ones: half at 8000, half at 4000, and not all
  // at 4000, as where both are always at one node.
  Program walkers = program({node0, node4}, false, 64);
  walkers.objects.front().pages_per_block = 1;
  walkers.objects.front().uses.assign(2 * 256, Lines{64, 0});
  walkers.objects.front().first_users.assign(256, 0);
  const Placement both = memory_on({node0, node4}, PolicyKind::interleave);
  const double time = predicted(walkers, both, "queues").time;
  EXPECT_GT(time, 1.0 / 8000);
  EXPECT_LT(time, 0.9 / 4000);
  // Once apart they stay apart: the last of many passes take what the last of eight take.
  const auto passes = [&](double count) {
    Program again = walkers;
    again.independent = true;
    for (Lines& use : again.objects.front().uses) use.reads *= count;
    return predicted(again, both, "queues").time;
  };
  EXPECT_LT(passes(512), 512 * time);
  EXPECT_LT(passes(512), 64 * passes(8));
  expect_about(passes(512), passes(8) + 126 * (passes(8) - passes(4)), 0.01);
}

TEST(ByQueues, WalksByColumnsAreAtOneNodeAtATime) {
  // Rows of two pages, of which the first is on node 0 and the second on node 4: all threads go
  // down the columns of the one, then of the other. In order of address they spread over both.
  Program walkers = program({node0, node4}, false, 64);
  Object& array = walkers.objects.front();
  array.pages_per_block = 1;
  array.uses.assign(2 * 256, Lines{64, 0});
  array.first_users.clear();
  for (std::size_t page = 0; page < 256; ++page) {
    array.homes.push_back(page % 2 == 0 ? node0 : node4);
  }
  array.used_before.assign(2 * 256, 0);
  for (std::size_t page = 0; page < 2 * 256; ++page) {
    array.used_before[page] = static_cast<double>(page % 256 * 64);
  }
  const double by_rows = predicted(walkers, {}, "queues").time;
  for (std::size_t page = 0; page < 2 * 256; ++page) {
    const std::size_t row = page % 256 / 2;
    array.used_before[page] = static_cast<double>(page % 2 * 128 * 64 + row);
  }
  const double by_columns = predicted(walkers, {}, "queues").time;
  EXPECT_GT(by_columns, 1.15 * by_rows);
}

TEST(ByQueues, LinesOfAShortWalkAreAskedForTogetherAndWaitedFor) {
  // Each 16 lines take the latency, and the memory's time for all but the first request; without
  // end, eight are in flight all the time.
  Program rows = program({node0}, true, 8);
  expect_about(predicted(rows, memory_on({node0}), "queues").time, lines * 100e-9 / 8);
  rows.objects.front().walk_lines = 16;
  const double served = 1.0 / 8000 * 14 / lines;
  expect_about(predicted(rows, memory_on({node0}), "queues").time, lines / 16 * (100e-9 + served));
  // Eight on average until a long one's last is used are more at first, and fewer at last.
  rows.objects.front().walk_lines = 256;
  expect_about(predicted(rows, memory_on({node0}), "queues").time, lines * 100e-9 / 8, 0.1);
}

TEST(ByQueues, WalksEndWhereTheThreadGoesOnToAnotherPage) {
  // Lines of a page at a time, each time of the next page: of walks that are told to be 16 lines,
  // each takes the latency, and the memory's time for all but the first request.
  const auto taken = [](double visit, double rounds) {
    Program rows = program({node0}, true, 8);
    Object& array = rows.objects.front();
    array.pages_per_block = 1;
    array.uses.assign(256, Lines{visit * rounds, 0});
    array.first_users.assign(256, 0);
    for (std::size_t page = 0; page < 256; ++page) {
      array.used_before.push_back(static_cast<double>(page) * visit);
    }
    array.walk_lines = 16;
    return predicted(rows, memory_on({node0}), "queues").time;
  };
  const double line_s = 1.0 / 8000 / lines;
  expect_about(taken(14, 4), 256 * 4 * (100e-9 + 12 * line_s));
  expect_about(taken(16, 4), 256 * 4 * (100e-9 + 14 * line_s));
  expect_about(taken(30, 2), 256 * 2 * 2 * (100e-9 + 13 * line_s), 0.02);
  expect_about(taken(64, 1), 256 * 4 * (100e-9 + 14 * line_s));
  // Of what is much shorter several make one.
  expect_about(taken(6, 10), 128 * 10 * (100e-9 + 10 * line_s));
}

TEST(ByQueues, WalksOfLessThanALineOrWithoutANumberAreRefused) {
  Program rows = program({node0}, true, 8);
  for (const double none : {0.5, -1.0, std::nan(""), HUGE_VAL}) {
    rows.objects.front().walk_lines = none;
    EXPECT_FALSE(is_valid(rows)) << none;
  }
  rows.objects.front().walk_lines = 1;  // One after another: a request of two takes two latencies.
  expect_about(predicted(rows, memory_on({node0}), "queues").time, lines * 100e-9);
}

TEST(ByQueues, WaitsForWhatIsComputedWithEachLine) {
  Program busy = program({node0}, true, 64);
  busy.computing_s = {1e-3};
  const auto found = predicted(busy, memory_on({node0}), "queues");
  expect_about(found.time, 1e-3);
  EXPECT_EQ(to_string(found.bottleneck), "computing");
  busy.objects.front().uses.assign(4, Lines{});
  EXPECT_DOUBLE_EQ(predicted(busy, memory_on({node0}), "queues").time, 1e-3);
}

TEST(Predict, TakesTheBestModelThatTheMachinesFiguresAllow) {
  const Program chase = program({node0}, true);
  machine::Machine machine = three_nodes();
  EXPECT_EQ(predict(machine, chase, {})->model, "queues");
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
    const double time = predicted(one, hot, model.name).time;
    EXPECT_NEAR(predicted(other, hot, model.name).time, time, 1e-3 * time);
  }
}

}  // namespace
}  // namespace homenode::model
