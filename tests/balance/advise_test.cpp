#include "balance/advise.h"

#include <gtest/gtest.h>

#include <random>

#include "program_model.h"

namespace homenode::balance {
namespace {

Bytes gib(std::uint64_t count) {
  return Bytes{count << 30U};
}

/// Two pairs of nodes that are near to each other: 0 with 2, and 1 with 3.
machine::Machine pairs() {
  machine::Machine machine = machine_of(4, 4);
  const auto nodes = machine.node_ids().to_vector();
  machine::Distances distances;
  distances.values = Matrix<NodeId, NodeId>(nodes, nodes, 40);
  for (const NodeId node : nodes) {
    distances.values.at(node, node) = 10;
    distances.values.at(node, NodeId((node.value() + 2) % 4)) = 20;
  }
  machine.distances = distances;
  return machine;
}

std::vector<Room> equal_rooms(double cpus, Bytes free) {
  std::vector<Room> rooms;
  for (unsigned node = 0; node < 4; ++node) rooms.push_back({NodeId(node), cpus, free});
  return rooms;
}

TEST(Advise, TakesTheOneNodeThatHasRoom) {
  auto rooms = equal_rooms(1, gib(1));
  rooms[3] = {NodeId(3), 4, gib(4)};
  const auto advice = advise({4, gib(2)}, rooms, pairs());
  EXPECT_TRUE(advice.fits);
  EXPECT_EQ(advice.nodes, NodeSet{NodeId(3)});
}

TEST(Advise, TakesNodesThatAreNearToEachOther) {
  auto rooms = equal_rooms(4, gib(4));
  rooms[1].idle_cpus = 4.5;  // The emptiest, with its neighbour 3.
  const auto advice = advise({6, gib(1)}, rooms, pairs());
  EXPECT_EQ(advice.nodes, (NodeSet{NodeId(1), NodeId(3)}));
}

TEST(Advise, AddsANodeWithoutCpusOnlyForItsMemory) {
  auto rooms = equal_rooms(4, gib(1));
  rooms[2] = {NodeId(2), 0, gib(16)};
  EXPECT_FALSE(advise({8, gib(2)}, rooms, pairs()).nodes.contains(NodeId(2)));
  EXPECT_TRUE(advise({1, gib(10)}, rooms, pairs()).nodes.contains(NodeId(2)));
}

TEST(Advise, NamesAllThatIsLeftWhereNothingFits) {
  auto rooms = equal_rooms(1, gib(1));
  rooms[0] = {NodeId(0), 0, {}};
  const auto advice = advise({64, gib(1)}, rooms, pairs());
  EXPECT_FALSE(advice.fits);
  EXPECT_EQ(advice.nodes, (NodeSet{NodeId(1), NodeId(2), NodeId(3)}));
  EXPECT_TRUE(advise({1, gib(1)}, {}, pairs()).nodes.empty());
}

TEST(Advise, HoldsTheDemandWithoutANodeToSpareWhateverTheMachine) {
  std::mt19937 random(11);
  const auto below = [&](unsigned limit) {
    return std::uniform_int_distribution<unsigned>(0, limit - 1)(random);
  };
  for (int i = 0; i < 2000; ++i) {
    std::vector<Room> rooms;
    for (unsigned node = 0; node < 4; ++node) {
      rooms.push_back({NodeId(node), static_cast<double>(below(5)), gib(below(9))});
    }
    const Demand demand{static_cast<double>(1 + below(18)), gib(below(36))};
    const auto advice = advise(demand, rooms, pairs());
    const auto sum = [&](const NodeSet& nodes) {
      double cpus = 0;
      std::uint64_t free = 0;
      for (const Room& room : rooms) {
        if (!nodes.contains(room.node)) continue;
        cpus += room.idle_cpus;
        free += room.free.value;
      }
      return cpus >= demand.cpus && free >= demand.memory.value;
    };
    EXPECT_EQ(advice.fits, sum(pairs().node_ids())) << i;
    if (!advice.fits) continue;
    EXPECT_TRUE(sum(advice.nodes)) << i;
    for (const NodeId node : advice.nodes.to_vector()) {
      NodeSet others = advice.nodes;
      others.erase(node);
      EXPECT_TRUE(others.empty() || !sum(others)) << i << " without " << node.value();
    }
  }
}

TEST(Advise, ReadsDemandsAsNumadHasThem) {
  EXPECT_EQ(parse_demand("4")->memory, Bytes{});
  EXPECT_EQ(parse_demand("4:2048")->memory, gib(2));
  EXPECT_EQ(parse_demand("4:2g")->memory, gib(2));
  EXPECT_EQ(parse_demand("4:2g")->cpus, 4);
  for (const char* text : {"", "0", "-1", "x", "4:", "4:x", "4:99999999999999", "4:1:1", "1.5"}) {
    const auto demand = parse_demand(text);
    ASSERT_FALSE(demand) << text;
    EXPECT_EQ(demand.error().code, ErrorCode::bad_usage);
  }
}

TEST(Advise, FindsIdleProcessorsBetweenTwoTextsOfTheKernel) {
  const char* before =
      "cpu 9 9 9 9\ncpu0 10 0 0 100 0 0 0 0 0 0\ncpu1 0 0 0 0 0 0 0 0 0 0\ncpu4 5 0 0 5 0\n";
  const char* after =
      "cpu 9 9 9 9\ncpu0 20 0 0 120 10 0 0 0 0 0\ncpu1 50 0 0 50 0 0 0 0 7 0\ncpu4 4 0 0 5 0\n";
  const auto rooms = rooms_between(before, after, machine_of(2, 4));
  ASSERT_EQ(rooms.size(), 2U);
  EXPECT_DOUBLE_EQ(rooms[0].idle_cpus, 0.75 + 0.5);
  EXPECT_EQ(rooms[1].idle_cpus, 0);
}

}  // namespace
}  // namespace homenode::balance
