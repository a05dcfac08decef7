#include "machine/machine.h"

#include <gtest/gtest.h>

#include "base/id_list.h"

namespace homenode::machine {
namespace {

CpuSet cpu_set(const char* list) {
  return *parse_cpu_list(list);
}
NodeSet node_set(const char* list) {
  return *parse_node_list(list);
}

/// Nodes 0 and 8 have CPUs, 8 and 9 have memory.
Machine sparse() {
  Machine machine;
  machine.nodes = {{NodeId(0), cpu_set("0-1"), Bytes{0}, 0},
                   {NodeId(8), cpu_set("4,6"), 64_MiB, 3},
                   {NodeId(9), {}, 128_MiB, std::nullopt}};
  machine.packages = {{0, cpu_set("0-1")}, {3, cpu_set("4,6")}};
  machine.caches = {{1, 32_KiB, 8, 64, cpu_set("0-1")}};
  machine.devices = {{"eth0", "network", "", node_set("8")}};
  machine.offline_cpus = cpu_set("2");
  const std::vector<NodeId> ids{NodeId(0), NodeId(8), NodeId(9)};
  machine.distances = Distances{{ids, ids, 10.0}, Provenance::declared};
  machine.allowed_cpus = machine.cpus();
  machine.allowed_nodes = machine.node_ids();
  return machine;
}

TEST(Machine, AnswersForSparseIds) {
  const Machine machine = sparse();
  EXPECT_TRUE(is_valid(machine));
  EXPECT_EQ(to_list(machine.cpus()), "0-1,4,6");
  EXPECT_EQ(to_list(machine.node_ids()), "0,8-9");
  EXPECT_EQ(to_list(machine.nodes_with_memory()), "8-9");
  EXPECT_EQ(to_list(machine.nodes_with_cpus()), "0,8");
  EXPECT_EQ(to_list(machine.cpus_of(node_set("8-9"))), "4,6");
  EXPECT_EQ(to_list(machine.cpus_of(node_set("1-7"))), "");
  ASSERT_NE(machine.find(NodeId(8)), nullptr);
  EXPECT_EQ(machine.find(NodeId(8))->memory, 64_MiB);
  EXPECT_EQ(machine.find(NodeId(1)), nullptr);
  EXPECT_EQ(machine.find(NodeId(10)), nullptr);
  EXPECT_EQ(machine.node_of(CpuId(6)), NodeId(8));
  EXPECT_EQ(machine.node_of(CpuId(2)), std::nullopt);
}

TEST(Machine, IsInvalidWithoutNodes) {
  EXPECT_FALSE(is_valid(Machine{}));
}

TEST(Machine, IsInvalidWhenANodeContradictsAnother) {
  Machine shared_cpu = sparse();
  shared_cpu.nodes[2].cpus = cpu_set("6");
  EXPECT_FALSE(is_valid(shared_cpu));
  Machine same_id = sparse();
  same_id.nodes[2].id = NodeId(8);
  EXPECT_FALSE(is_valid(same_id));
  Machine disordered = sparse();
  std::swap(disordered.nodes[0], disordered.nodes[1]);
  EXPECT_FALSE(is_valid(disordered));
  Machine no_package = sparse();
  no_package.nodes[0].package = 1;
  EXPECT_FALSE(is_valid(no_package));
}

TEST(Machine, IsInvalidWhenSomethingRefersToWhatDoesNotExist) {
  Machine cache = sparse();
  cache.caches[0].cpus = cpu_set("0-2");
  EXPECT_FALSE(is_valid(cache));
  Machine package = sparse();
  package.packages[1].cpus = cpu_set("5");
  EXPECT_FALSE(is_valid(package));
  Machine device = sparse();
  device.devices[0].nodes = node_set("7");
  EXPECT_FALSE(is_valid(device));
  Machine allowed_cpus = sparse();
  allowed_cpus.allowed_cpus = cpu_set("2");
  EXPECT_FALSE(is_valid(allowed_cpus));
  Machine allowed_nodes = sparse();
  allowed_nodes.allowed_nodes = node_set("1");
  EXPECT_FALSE(is_valid(allowed_nodes));
  Machine offline = sparse();
  offline.offline_cpus = cpu_set("0");
  EXPECT_FALSE(is_valid(offline));
}

TEST(Machine, IsInvalidWhenTheDistancesAreNotSquareOverItsNodes) {
  const std::vector<NodeId> ids{NodeId(0), NodeId(8)};
  Machine part = sparse();
  part.distances->values = {ids, ids};
  EXPECT_TRUE(is_valid(part)) << "some nodes may have none";
  Machine not_square = sparse();
  not_square.distances->values = {ids, {NodeId(0)}};
  EXPECT_FALSE(is_valid(not_square));
  Machine unknown = sparse();
  unknown.distances->values = {{NodeId(1)}, {NodeId(1)}};
  EXPECT_FALSE(is_valid(unknown));
  Machine empty = sparse();
  empty.distances->values = {};
  EXPECT_FALSE(is_valid(empty));
}

}  // namespace
}  // namespace homenode::machine
