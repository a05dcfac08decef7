#include <fmt/format.h>
#include <gtest/gtest.h>
#include <hwloc.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>
#include <fstream>

#include "base/id_list.h"
#include "captured.h"
#include "machine/json.h"

namespace homenode::machine {
namespace {

double distance(const Machine& machine, unsigned from, unsigned to) {
  return machine.distances->values.at(NodeId(from), NodeId(to));
}

TEST(LoadXml, ReadsNodesPackagesAndCaches) {
  const Machine machine = captured("duo-2x4");
  ASSERT_EQ(machine.nodes.size(), 2U);
  EXPECT_EQ(machine.nodes[1], (Node{NodeId(1), *parse_cpu_list("4-7"), Bytes{16ULL << 30}, 1}));
  ASSERT_EQ(machine.packages.size(), 2U);
  EXPECT_EQ(machine.packages[0], (Package{0, *parse_cpu_list("0-3")}));
  const auto is_level_2 = [](const Cache& cache) { return cache.level == 2; };
  ASSERT_EQ(std::count_if(machine.caches.begin(), machine.caches.end(), is_level_2), 4);
  EXPECT_EQ(*std::find_if(machine.caches.begin(), machine.caches.end(), is_level_2),
            (Cache{2, 512_KiB, 16, 64, *parse_cpu_list("0-1")}));
  EXPECT_EQ(machine.allowed_cpus, machine.cpus());
  EXPECT_EQ(machine.allowed_nodes, machine.node_ids());
}

TEST(LoadXml, SaysWhyAPathCannotEvenBeLookedUp) {
  const auto machine = load_xml(std::string(300, 'x'));
  ASSERT_FALSE(machine);
  EXPECT_EQ(machine.error().errno_value, ENAMETOOLONG) << machine.error().message();
}

TEST(LoadXml, ReadsDevicesWithTheirPlace) {
  const Machine machine = captured("duo-2x4");
  const std::vector<Device> expected = {
      {"nvme0n1", "block", "0000:82:00.0", NodeSet{NodeId(1)}},
      {"sda", "block", "0000:02:00.0", {}},
      {"eth0", "network", "0000:81:00.0", NodeSet{NodeId(1)}},
  };
  EXPECT_EQ(machine.devices, expected);
}

TEST(LoadXml, TakesNameAndInfoFromTheFile) {
  const Machine machine = captured("duo-2x4");
  EXPECT_EQ(machine.name, "Two Socket Server");
  const std::vector<std::pair<std::string, std::string>> info = {{"Source", "written by hand"},
                                                                 {"LabNodeMemoryMiB", "256"}};
  EXPECT_EQ(machine.info, info);
  EXPECT_EQ(captured("quad-4x2").name, "quad-4x2") << "else the file's name";
}

TEST(LoadXml, ReadsDistancesAsDeclared) {
  const Machine machine = captured("eight-8x4");
  ASSERT_TRUE(machine.distances);
  EXPECT_EQ(machine.distances->provenance, Provenance::declared);
  EXPECT_EQ(distance(machine, 3, 3), 10);
  EXPECT_EQ(distance(machine, 3, 2), 16);
  EXPECT_EQ(distance(machine, 3, 4), 22);
}

TEST(LoadXml, GivesANodeWithoutCpusNone) {
  const Machine machine = captured("cxl-3");
  EXPECT_EQ(to_list(machine.find(NodeId(0))->cpus), "0-3");
  EXPECT_EQ(to_list(machine.find(NodeId(1))->cpus), "4-7");
  EXPECT_TRUE(machine.find(NodeId(2))->cpus.empty());
  EXPECT_EQ(machine.find(NodeId(2))->memory, Bytes{256ULL << 30});
  EXPECT_EQ(distance(machine, 0, 2), 14);
  EXPECT_EQ(distance(machine, 2, 1), 24) << "hwloc lists node 2 before node 1";
}

TEST(LoadXml, KeepsNodesWithoutMemoryAndTheirDistances) {
  const Machine machine = captured("memoryless-4x2");
  EXPECT_EQ(to_list(machine.node_ids()), "0-3");
  EXPECT_EQ(to_list(machine.nodes_with_memory()), "0,2");
  EXPECT_EQ(to_list(machine.find(NodeId(3))->cpus), "6-7");
  EXPECT_EQ(distance(machine, 1, 3), 22);
}

TEST(LoadXml, KeepsSparseIds) {
  const Machine machine = captured("sparse-power");
  EXPECT_EQ(to_list(machine.node_ids()), "0,8,252-255");
  EXPECT_EQ(to_list(machine.nodes_with_cpus()), "0,8");
  EXPECT_EQ(machine.find(NodeId(8))->package, 8U);
  EXPECT_EQ(machine.find(NodeId(255))->package, std::nullopt);
  EXPECT_EQ(distance(machine, 8, 255), 80);
}

TEST(LoadXml, ReadsMoreThan64Nodes) {
  const Machine machine = captured("many-72x1");
  EXPECT_EQ(to_list(machine.node_ids()), "0-71");
  EXPECT_EQ(machine.node_of(CpuId(71)), NodeId(71));
  EXPECT_EQ(distance(machine, 71, 68), 20);
  EXPECT_EQ(distance(machine, 71, 67), 40);
}

TEST(LoadXml, RefusesBrokenFilesInOneLineThatNamesThem) {
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(captured_machines / "broken")) {
    const auto machine = load_xml(entry.path().string());
    ASSERT_FALSE(machine) << entry.path();
    const std::string message = machine.error().message();
    EXPECT_EQ(machine.error().code, ErrorCode::failed) << entry.path();
    EXPECT_NE(message.find(entry.path().string()), std::string::npos) << message;
    EXPECT_EQ(message.find('\n'), std::string::npos) << message;
    EXPECT_FALSE(machine.error().next.empty());
    ++files;
  }
  EXPECT_GE(files, 10U);
}

TEST(LoadXml, RefusesWhatIsNoFile) {
  const auto missing = load_xml("/nonexistent/machine.xml");
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().errno_value, ENOENT);
  ASSERT_FALSE(load_xml("/"));
  ASSERT_FALSE(load_xml("/dev/zero"));
  ASSERT_FALSE(load(""));
}

TEST(LoadXml, ReadsBackWhatExportWrites) {
  for (const char* name : {"duo-2x4", "cxl-3", "memoryless-4x2", "sparse-power", "many-72x1"}) {
    const auto path = captured_machines / (std::string(name) + ".xml");
    const auto xml = export_xml(path.string());
    ASSERT_TRUE(xml) << xml.error().message();
    const auto copy =
        std::filesystem::temp_directory_path() / fmt::format("homenode-{}-{}.xml", getpid(), name);
    std::ofstream(copy) << *xml;
    auto machine = load_xml(copy.string());
    std::filesystem::remove(copy);
    ASSERT_TRUE(machine) << machine.error().message();
    machine->name = captured(name).name;  // It is the file's, where the file does not say.
    EXPECT_EQ(*machine, captured(name)) << name;
  }
}

TEST(LoadSynthetic, ReadsAMachine) {
  const auto machine = load("synthetic:pack:2 [numa] core:2 pu:2");
  ASSERT_TRUE(machine) << machine.error().message();
  EXPECT_EQ(to_list(machine->node_ids()), "0-1");
  EXPECT_EQ(to_list(machine->find(NodeId(1))->cpus), "4-7");
  EXPECT_FALSE(machine->distances);
  EXPECT_TRUE(machine->name.empty());
}

TEST(LoadSynthetic, GivesCpusToTheNarrowerNodeAndTheLowerId) {
  const auto machine = load("synthetic:[numa] pack:2 [numa] [numa] pu:2");
  ASSERT_TRUE(machine) << machine.error().message();
  EXPECT_EQ(to_list(machine->nodes_with_cpus()), "0,2");
  EXPECT_EQ(to_list(machine->find(NodeId(2))->cpus), "2-3");
  EXPECT_EQ(machine->find(NodeId(4))->package, std::nullopt);
}

TEST(LoadSynthetic, RefusesNonsense) {
  const auto machine = load("synthetic:nonsense");
  ASSERT_FALSE(machine);
  EXPECT_EQ(machine.error().code, ErrorCode::bad_usage);
  EXPECT_FALSE(load("synthetic:"));
}

/// What lstopo writes of a captured tree in which a control group allows some CPUs and nodes.
std::string captured_in_cpuset(const std::string& cpus, const std::string& nodes) {
  const SysfsTree tree("cpuset-4x2");
  tree.set("/sys/fs/cgroup/jail/cpuset.cpus.effective", cpus);
  tree.set("/sys/fs/cgroup/jail/cpuset.mems.effective", nodes);
  hwloc_topology_t topology = nullptr;
  hwloc_topology_init(&topology);
  for (const char* slow : {"x86", "opencl", "cuda", "nvml", "rsmi", "levelzero", "gl"}) {
    hwloc_topology_set_components(topology, HWLOC_TOPOLOGY_COMPONENTS_FLAG_BLACKLIST, slow);
  }
  EXPECT_EQ(hwloc_topology_load(topology), 0);
  char* xml = nullptr;
  int bytes = 0;
  hwloc_topology_export_xmlbuffer(topology, &xml, &bytes, 0);
  std::string text(xml);
  hwloc_free_xmlbuffer(topology, xml);
  hwloc_topology_destroy(topology);
  return text;
}

TEST(LoadXml, ReadsWhatLstopoSawInACpuset) {
  const auto path =
      std::filesystem::temp_directory_path() / fmt::format("in-cpuset-{}.xml", getpid());
  for (const auto& [cpus, nodes, with_node, without] :
       std::initializer_list<std::array<std::string, 4>>{{"2-3,6", "1,3", "2-3,6", ""},
                                                         {"0-7", "1", "2-3", "0-1,4-7"},
                                                         {"2-3", "0-3", "2-3", ""},
                                                         {"2-3,6", "0", "", "2-3,6"}}) {
    std::ofstream(path, std::ios::trunc) << captured_in_cpuset(cpus, nodes);
    const auto machine = load_xml(path.string());
    ASSERT_TRUE(machine) << machine.error().message();
    EXPECT_EQ(to_list(machine->node_ids()), nodes);
    EXPECT_EQ(to_list(machine->cpus()), with_node);
    EXPECT_EQ(to_list(machine->cpus_without_node), without);
  }
  std::filesystem::remove(path);
}

TEST(LoadXml, ReadsHwloc1sFormatAsHwlocDoes) {
  auto old = load_xml((captured_machines / "version-1.xml").string());
  const auto same = load_xml((captured_machines / "quad-4x2.xml").string());
  ASSERT_TRUE(old && same) << old.error().message();
  EXPECT_EQ(old->name, "version-1");
  old->name = same->name;
  EXPECT_EQ(*old, *same);
  const auto plain = load_xml((captured_machines / "version-1-no-numa.xml").string());
  ASSERT_TRUE(plain) << plain.error().message();
  EXPECT_EQ(to_list(plain->node_ids()), "0");
  EXPECT_EQ(to_list(plain->cpus()), "0-3");
}

TEST(LoadXml, CpusMayBelongToNoNode) {
  const auto machine = load_xml((captured_machines / "nodeless-cpus.xml").string());
  ASSERT_TRUE(machine) << machine.error().message();
  EXPECT_EQ(machine->cpus(), (CpuSet{CpuId(0), CpuId(1)}));
  EXPECT_EQ(machine->cpus_without_node, (CpuSet{CpuId(2), CpuId(3)}));
  EXPECT_EQ(machine->packages.size(), 2U);
  EXPECT_NE(to_json(*machine).find("\"cpus_without_node\""), std::string::npos);
}

}  // namespace
}  // namespace homenode::machine
