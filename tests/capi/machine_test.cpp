#include <homenode/homenode.h>

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "text.h"

namespace homenode::capi_tests {
namespace {

using Machine = std::unique_ptr<hn_machine, decltype(&hn_machine_free)>;

Machine load(const std::string& source) {
  hn_machine* machine = nullptr;
  char* error = nullptr;
  EXPECT_EQ(hn_machine_load(source.c_str(), &machine, &error), HN_OK) << take(error);
  return {machine, &hn_machine_free};
}

Machine captured(const std::string& name) {
  return load(std::string(HOMENODE_SOURCE_DIR) + "/tests/machines/" + name + ".xml");
}

std::vector<int> nodes_of(const hn_machine* machine) {
  std::vector<int> nodes(hn_machine_nodes(machine, nullptr, 0));
  EXPECT_EQ(hn_machine_nodes(machine, nodes.data(), nodes.size()), nodes.size());
  return nodes;
}

std::vector<int> cpus_of(const hn_machine* machine, int node) {
  std::vector<int> cpus(hn_machine_cpus(machine, node, nullptr, 0));
  EXPECT_EQ(hn_machine_cpus(machine, node, cpus.data(), cpus.size()), cpus.size());
  return cpus;
}

TEST(MachineQueries, ListNodesWithGapsAndTheirCpus) {
  const Machine machine = captured("sparse-power");
  EXPECT_EQ(nodes_of(machine.get()), (std::vector<int>{0, 8, 252, 253, 254, 255}));
  for (const int node : nodes_of(machine.get())) {
    for (const int cpu : cpus_of(machine.get(), node)) {
      EXPECT_EQ(hn_machine_node_of_cpu(machine.get(), cpu), node);
    }
  }
  EXPECT_TRUE(cpus_of(machine.get(), 255).empty());
  EXPECT_TRUE(cpus_of(machine.get(), 1).empty());
}

TEST(MachineQueries, GiveWhatTheFileDeclares) {
  const Machine machine = load(std::string(HOMENODE_SOURCE_DIR) + "/machines/quad-4x2.xml");
  EXPECT_EQ(cpus_of(machine.get(), 1), (std::vector<int>{2, 3}));
  EXPECT_EQ(cpus_of(machine.get(), HN_ALL_NODES).size(), 8U);
  EXPECT_DOUBLE_EQ(hn_machine_distance(machine.get(), 2, 2), 10.0);
  EXPECT_GT(hn_machine_latency_ns(machine.get(), 0, 1), hn_machine_latency_ns(machine.get(), 0, 0));
  EXPECT_LT(hn_machine_bandwidth_mib_per_s(machine.get(), 0, 1),
            hn_machine_bandwidth_mib_per_s(machine.get(), 0, 0));
  std::int64_t sum = 0;
  for (const int node : nodes_of(machine.get())) {
    sum += hn_machine_memory_bytes(machine.get(), node);
  }
  EXPECT_GT(sum, 0);
  EXPECT_EQ(hn_machine_memory_bytes(machine.get(), HN_ALL_NODES), sum);
}

TEST(MachineQueries, SayThatTheyDoNotKnow) {
  const Machine machine = load("synthetic:numa:2 core:2 pu:1");
  EXPECT_TRUE(std::isnan(hn_machine_latency_ns(machine.get(), 0, 1)));
  EXPECT_TRUE(std::isnan(hn_machine_bandwidth_mib_per_s(machine.get(), 0, 1)));
  EXPECT_TRUE(std::isnan(hn_machine_distance(machine.get(), 0, 7)));
  EXPECT_TRUE(std::isnan(hn_machine_distance(machine.get(), -1, 0)));
  EXPECT_EQ(hn_machine_node_of_cpu(machine.get(), 4), HN_NO_NODE);
  EXPECT_EQ(hn_machine_node_of_cpu(machine.get(), -5), HN_NO_NODE);
  EXPECT_EQ(hn_machine_memory_bytes(machine.get(), 2), -1);
  EXPECT_EQ(hn_node_free_bytes(-1), -1);
  EXPECT_EQ(hn_node_free_bytes(60000), -1);
}

TEST(MachineQueries, WriteNoMoreThanThereIsRoomFor) {
  const Machine machine = load("synthetic:numa:4 core:2 pu:1");
  std::vector<int> nodes{-7, -7, -7};
  EXPECT_EQ(hn_machine_nodes(machine.get(), nodes.data(), 2), 4U);
  EXPECT_EQ(nodes, (std::vector<int>{0, 1, -7}));
}

TEST(MachineQueries, NullIsTheLiveMachine) {
  const Machine live = load("live");
  EXPECT_EQ(nodes_of(nullptr), nodes_of(live.get()));
  const int node = nodes_of(nullptr).front();
  EXPECT_EQ(cpus_of(nullptr, node), cpus_of(live.get(), node));
}

TEST(MachineLoad, SaysInOneLineWhatIsWrong) {
  char* error = nullptr;
  hn_machine* machine = nullptr;
  EXPECT_EQ(hn_machine_load("/no/such/machine.xml", &machine, &error), HN_FAILED);
  EXPECT_EQ(machine, nullptr);
  EXPECT_TRUE(is_one_line(take(error)));
  EXPECT_EQ(hn_machine_load(nullptr, &machine, nullptr), HN_BAD_USAGE);
  EXPECT_EQ(hn_machine_load("live", nullptr, &error), HN_BAD_USAGE);
  EXPECT_TRUE(is_one_line(take(error)));
  hn_machine_free(nullptr);
}

}  // namespace
}  // namespace homenode::capi_tests
