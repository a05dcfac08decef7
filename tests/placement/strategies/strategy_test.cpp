#include "placement/strategies/strategy.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <string>
#include <variant>
#include <vector>

#include "machine/load.h"
#include "placement/strategies/nodes.h"
#include "placement/strategies/table.h"

namespace homenode::placement {
namespace {

using machine::Machine;

/// Machines as there are: four nodes, memory-less and CPU-less ones, sparse ids, more than 64.
std::vector<Machine> machines() {
  std::vector<Machine> all;
  for (const char* name : {"quad-4x2", "memoryless-4x2", "cxl-3", "sparse-power", "many-72x1"}) {
    auto machine =
        machine::load_xml(fmt::format("{}/tests/machines/{}.xml", HOMENODE_SOURCE_DIR, name));
    EXPECT_TRUE(machine) << machine.error().message();
    if (machine) all.push_back(*std::move(machine));
  }
  return all;
}

Machine quad() {
  return machines().front();
}

/// Threads and arrays drawn at random.
Program draw(std::mt19937& random) {
  Program program{.threads = random() % 20 + 1};
  for (auto arrays = random() % 4; arrays > 0; --arrays) {
    NamedArray array{.name = fmt::format("array{}", arrays), .pages = random() % 300};
    for (auto users = random() % 5; users > 0; --users) {
      array.users.push_back(random() % program.threads);
    }
    program.arrays.push_back(std::move(array));
  }
  return program;
}

const PageMap& map_of(const Placement& placement, std::size_t region) {
  return std::get<PageMap>(placement.regions.at(region).memory);
}

std::map<NodeId, std::size_t> counts(const PageMap& map) {
  std::map<NodeId, std::size_t> pages;
  for (NodeId node : map) ++pages[node];
  return pages;
}

TEST(Strategies, PlaceEveryThreadAndEveryArrayWithinWhatIsAllowed) {
  std::mt19937 random(4);
  for (const Machine& machine : machines()) {
    for (int round = 0; round < 30; ++round) {
      const Program program = draw(random);
      for (const Strategy& strategy : strategies()) {
        const auto placement = place_by_strategy(strategy.name, machine, program);
        ASSERT_TRUE(placement) << placement.error().message();
        ASSERT_EQ(placement->threads->cpus_by_rank.size(), program.threads);
        for (const CpuSet& cpus : placement->threads->cpus_by_rank) {
          EXPECT_EQ(cpus.size(), 1U);
          EXPECT_TRUE(cpus.is_subset_of(machine.allowed_cpus));
        }
        ASSERT_EQ(placement->regions.size(), program.arrays.size());
        for (std::size_t i = 0; i < program.arrays.size(); ++i) {
          EXPECT_EQ(placement->regions[i].region, program.arrays[i].name);
          if (const auto* policy = std::get_if<Policy>(&placement->regions[i].memory)) {
            EXPECT_TRUE(validate(*policy));
            EXPECT_TRUE(policy->nodes.is_subset_of(usable_memory(machine)));
            continue;
          }
          EXPECT_EQ(map_of(*placement, i).size(), program.arrays[i].pages);
          for (NodeId node : map_of(*placement, i)) {
            EXPECT_TRUE(usable_memory(machine).contains(node));
          }
        }
      }
    }
  }
}

TEST(FirstTouch, PutsEverythingWithTheMainThread) {
  for (const Machine& machine : machines()) {
    const Program program{.threads = 5, .arrays = {{"a", 100, {4}}, {"b", 7, {}}}};
    const Placement placement = first_touch(machine, program);
    const NodeId home = thread_homes(machine, program).front();
    EXPECT_EQ(map_of(placement, 0), PageMap(100, home));
    EXPECT_EQ(map_of(placement, 1), PageMap(7, home));
  }
}

TEST(ParallelInit, GivesEachUserAnEqualPartInOrder) {
  std::mt19937 random(5);
  for (const Machine& machine : machines()) {
    for (int round = 0; round < 50; ++round) {
      const Program program = draw(random);
      const Placement placement = parallel_init(machine, program);
      const std::vector<NodeId> homes = thread_homes(machine, program);
      for (std::size_t i = 0; i < program.arrays.size(); ++i) {
        const auto users = users_of(program.arrays[i], program.threads);
        const PageMap& map = map_of(placement, i);
        std::vector<std::size_t> pages_of_part(users.size());
        for (std::size_t page = 0; page < map.size(); ++page) {
          const double middle = (static_cast<double>(page) + 0.5) *
                                static_cast<double>(users.size()) / static_cast<double>(map.size());
          const auto part = static_cast<std::size_t>(middle);
          ++pages_of_part[part];
          EXPECT_EQ(map[page], homes[users[part]]);
        }
        const auto [least, most] = std::minmax_element(pages_of_part.begin(), pages_of_part.end());
        EXPECT_LE(*most - *least, 1U);
      }
    }
  }
}

TEST(RoundRobin, LoadsEveryNodeAlikeWhoeverUsesIt) {
  for (const Machine& machine : machines()) {
    const std::size_t pages = 1001;
    const Placement placement =
        round_robin(machine, {.threads = 3, .arrays = {{"a", pages, {0}}, {"b", pages, {}}}});
    EXPECT_EQ(map_of(placement, 0), map_of(placement, 1));
    EXPECT_EQ(placement.process_memory->kind, PolicyKind::interleave);
    EXPECT_EQ(placement.process_memory->nodes, usable_memory(machine));
    const auto on_nodes = counts(map_of(placement, 0));
    EXPECT_EQ(on_nodes.size(), usable_memory(machine).size());
    for (const auto& [node, count] : on_nodes) {
      EXPECT_GE(count, pages / on_nodes.size());
      EXPECT_LE(count, pages / on_nodes.size() + 1);
    }
  }
}

TEST(MemoryBind, BindsArraysToTheNodesOfTheirUsersAlone) {
  const Placement placement = memory_bind(
      quad(), {.threads = 8, .arrays = {{"own", 9, {5}}, {"pair", 9, {0, 7}}, {"all", 9, {}}}});
  const auto nodes = [&](std::size_t region) {
    const Policy& policy = std::get<Policy>(placement.regions.at(region).memory);
    EXPECT_EQ(policy.kind, PolicyKind::bind);
    return policy.nodes;
  };
  EXPECT_EQ(nodes(0), NodeSet{NodeId(2)});
  EXPECT_EQ(nodes(1), (NodeSet{NodeId(0), NodeId(3)}));
  EXPECT_EQ(nodes(2), usable_memory(quad()));
}

TEST(ThreadHomes, AreTheNearestMemoryWhereANodeHasNone) {
  const Machine machine = machines()[1];  // Nodes 1 and 3 have CPUs and no memory.
  const Program program{.threads = 8, .arrays = {}};
  const std::vector<NodeId> homes = thread_homes(machine, program);
  const auto& distances = machine.distances->values;
  for (std::size_t rank = 0; rank < 8; ++rank) {
    const NodeId at = *machine.node_of(compact(machine, 8).of(rank).to_vector().front());
    for (NodeId other : usable_memory(machine).to_vector()) {
      EXPECT_LE(distances.at(at, homes[rank]), distances.at(at, other));
    }
  }
}

TEST(Strategies, FollowTheNodesWhenTheseGetOtherNumbers) {
  const auto renamed = [](NodeId node) { return NodeId(node.value() * 3 + 2); };
  Machine other = quad();
  other.distances.reset();
  other.pair_values.clear();
  const Machine machine = other;
  other.allowed_nodes = {};
  for (machine::Node& node : other.nodes) {
    node.id = renamed(node.id);
    other.allowed_nodes.insert(node.id);
  }
  std::mt19937 random(6);
  for (int round = 0; round < 30; ++round) {
    const Program program = draw(random);
    for (const Strategy& strategy : strategies()) {
      const Placement before = strategy.place(machine, program);
      const Placement after = strategy.place(other, program);
      EXPECT_EQ(before.threads, after.threads);
      for (std::size_t i = 0; i < program.arrays.size(); ++i) {
        if (const auto* policy = std::get_if<Policy>(&before.regions[i].memory)) {
          NodeSet nodes;
          for (NodeId node : policy->nodes.to_vector()) nodes.insert(renamed(node));
          EXPECT_EQ(std::get<Policy>(after.regions[i].memory).nodes, nodes);
          continue;
        }
        PageMap map = map_of(before, i);
        std::transform(map.begin(), map.end(), map.begin(), renamed);
        EXPECT_EQ(map_of(after, i), map);
      }
    }
  }
}

TEST(Strategies, SayWhatIsWrong) {
  const auto code = [](const std::string& name, const Machine& machine, const Program& program) {
    const auto placement = place_by_strategy(name, machine, program);
    EXPECT_FALSE(placement);
    return placement ? ErrorCode::failed : placement.error().code;
  };
  const Program good{.threads = 2, .arrays = {{"a", 3, {1}}}};
  EXPECT_TRUE(place_by_strategy("memory-bind", quad(), good));
  EXPECT_EQ(code("nonsense", quad(), good), ErrorCode::bad_usage);
  EXPECT_EQ(code("first-touch", quad(), {.threads = 0, .arrays = {}}), ErrorCode::bad_usage);
  EXPECT_EQ(code("first-touch", quad(), {.threads = 2, .arrays = {{"a", 3, {2}}}}),
            ErrorCode::bad_usage);
  EXPECT_EQ(code("first-touch", quad(), {.threads = 2, .arrays = {{"", 3, {}}}}),
            ErrorCode::bad_usage);
  EXPECT_EQ(code("first-touch", quad(), {.threads = 2, .arrays = {{"a", 3, {}}, {"a", 3, {}}}}),
            ErrorCode::bad_usage);
  Machine nothing = quad();
  nothing.allowed_nodes = {};
  EXPECT_EQ(code("first-touch", nothing, good), ErrorCode::not_supported);
}

}  // namespace
}  // namespace homenode::placement
