#include <gtest/gtest.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <utility>

#include "base/id_list.h"
#include "captured.h"

namespace homenode::machine {
namespace {

TEST(LoadLive, DescribesThisMachine) {
  const auto machine = load("live");
  ASSERT_TRUE(machine) << machine.error().message();
  EXPECT_TRUE(is_valid(*machine));
  EXPECT_FALSE(machine->allowed_cpus.empty());
  EXPECT_FALSE(machine->allowed_nodes.empty());
  EXPECT_FALSE(machine->nodes_with_memory().empty());
}

TEST(LoadLive, HasTheDevicesThatHwlocSeesWithAllOfPci) {
  const auto machine = load_live();
  ASSERT_TRUE(machine) << machine.error().message();
  const auto xml = export_xml("live");
  ASSERT_TRUE(xml) << xml.error().message();
  const auto path = std::filesystem::path(testing::TempDir()) / "load_live_devices.xml";
  std::ofstream(path) << *xml;
  const auto whole = load_xml(path);
  std::filesystem::remove(path);
  ASSERT_TRUE(whole) << whole.error().message();
  ASSERT_EQ(machine->devices.size(), whole->devices.size());
  for (std::size_t i = 0; i < machine->devices.size(); ++i) {
    const Device& device = machine->devices[i];
    EXPECT_EQ(device.name, whole->devices[i].name);
    EXPECT_EQ(device.kind, whole->devices[i].kind);
    EXPECT_EQ(device.pci, whole->devices[i].pci) << device.name;
    EXPECT_EQ(device.nodes, whole->devices[i].nodes) << device.name;
  }
}

TEST(LoadLive, FindsThePciDeviceThatADeviceIsAPartOf) {
  const SysfsTree tree("offline-2x4");
  const std::string pci = "/sys/devices/pci0000:00/0000:00:1c.4/0000:3b:00.1";
  tree.set(pci + "/local_cpus", "f0");
  tree.link("/sys/bus/pci/devices/0000:3b:00.1", pci);
  tree.set(pci + "/net/eth7/address", "02:00:00:00:00:01");
  tree.link("/sys/class/net/eth7", pci + "/net/eth7");
  const auto machine = load_live();
  ASSERT_TRUE(machine) << machine.error().message();
  const auto found = std::ranges::find(machine->devices, "eth7", &Device::name);
  ASSERT_NE(found, machine->devices.end());
  EXPECT_EQ(found->pci, "0000:3b:00.1");
  EXPECT_EQ(found->nodes, NodeSet{NodeId(1)});
}

TEST(LoadLive, LeavesOfflineCpusOutOfTheNodes) {
  const SysfsTree tree("offline-2x4");
  const auto machine = load_live();
  ASSERT_TRUE(machine) << machine.error().message();
  EXPECT_EQ(to_list(machine->find(NodeId(0))->cpus), "0-1,3");
  EXPECT_EQ(to_list(machine->find(NodeId(1))->cpus), "4,6");
  EXPECT_EQ(to_list(machine->offline_cpus), "2,5,7");
  EXPECT_EQ(to_list(machine->allowed_cpus), "0-1,3-4,6");
}

TEST(LoadLive, DescribesAMachineWhoseFirstCpuAndNodeAreOffline) {
  const SysfsTree tree("offline-first");
  const auto machine = load_live();
  ASSERT_TRUE(machine) << machine.error().message();
  EXPECT_EQ(to_list(machine->node_ids()), "1-2");
  EXPECT_EQ(to_list(machine->cpus()), "2-3,5");
  EXPECT_EQ(to_list(machine->offline_cpus), "0-1,4");
  EXPECT_EQ(machine->distances->values.at(NodeId(2), NodeId(1)), 16);
}

TEST(LoadLive, HasTheLabMachinesNameInsideTheLab) {
  const SysfsTree tree("offline-2x4");
  setenv("HOMENODE_LAB", "duo", 1);
  const auto in_lab = load_live();
  setenv("HOMENODE_LAB", "", 1);
  const auto outside = load_live();
  unsetenv("HOMENODE_LAB");
  ASSERT_TRUE(in_lab && outside);
  EXPECT_EQ(in_lab->name, "duo");
  EXPECT_NE(outside->name, "duo");
}

TEST(LoadLive, TakesTheDistancesForTheFirmwares) {
  const SysfsTree tree("offline-2x4");
  const auto machine = load_live();
  ASSERT_TRUE(machine && machine->distances);
  EXPECT_EQ(machine->distances->provenance, Provenance::firmware);
  EXPECT_EQ(machine->distances->values.at(NodeId(0), NodeId(1)), 21);
}

TEST(LoadLive, TakesAMachineWithoutNodesForOneNode) {
  const SysfsTree tree("offline-2x4", "/sys/devices/system/node");
  const auto machine = load_live();
  ASSERT_TRUE(machine) << machine.error().message();
  ASSERT_EQ(machine->nodes.size(), 1U);
  EXPECT_EQ(machine->nodes[0].id, NodeId(0));
  EXPECT_EQ(to_list(machine->nodes[0].cpus), "0-1,3-4,6");
  EXPECT_EQ(machine->nodes[0].memory, Bytes{32ULL << 30});
  EXPECT_EQ(machine->nodes[0].package, std::nullopt) << "it spans two packages";
  EXPECT_FALSE(machine->distances);
}

TEST(LoadLive, SeesTheWholeMachineAndWhatTheCpusetAllows) {
  const SysfsTree tree("cpuset-4x2");
  const auto machine = load_live();
  ASSERT_TRUE(machine) << machine.error().message();
  EXPECT_EQ(to_list(machine->cpus()), "0-7");
  EXPECT_EQ(to_list(machine->node_ids()), "0-3");
  EXPECT_EQ(to_list(machine->allowed_cpus), "2-3,6");
  EXPECT_EQ(to_list(machine->allowed_nodes), "1,3");
}

TEST(LoadLive, KeepsANodeThatHasNeitherCpusNorMemory) {
  const SysfsTree tree("offline-2x4");
  tree.set("/sys/devices/system/node/node1/cpumap", "00000000");
  tree.set("/sys/devices/system/node/node1/meminfo", "Node 1 MemTotal:  0 kB");
  for (const char* cpu : {"4", "6"}) {
    tree.set(std::string("/sys/devices/system/cpu/cpu") + cpu + "/online", "0");
  }
  tree.set("/sys/devices/system/cpu/online", "0-1,3");
  const auto machine = load_live();
  ASSERT_TRUE(machine) << machine.error().message();
  EXPECT_EQ(to_list(machine->node_ids()), "0-1");
  EXPECT_EQ(to_list(machine->nodes_with_cpus()), "0");
  EXPECT_EQ(to_list(machine->nodes_with_memory()), "0");
}

/// The tree's files as they are, but for those whose path ends in one of these.
FileReader reader_with(std::map<std::string, std::string> changed) {
  return [changed = std::move(changed)](const std::string& path, std::string& content) {
    for (const auto& [end, text] : changed) {
      if (!path.ends_with(end)) continue;
      content = text;
      return 0;
    }
    std::ifstream file(path);
    if (!file) return -ENOENT;
    content.assign(std::istreambuf_iterator<char>(file), {});
    return 0;
  };
}

std::string loss(const FileReader& read) {
  const auto machine = load_live(read);
  return machine ? "" : machine.error().tried;
}

TEST(LoadLive, SaysWhatTheKernelShowsAndHwlocDidNotSee) {
  const SysfsTree tree("offline-2x4");
  EXPECT_EQ(loss(reader_with({})), "");
  tree.set("/sys/devices/system/node/node1/meminfo", "");
  EXPECT_EQ(loss(reader_with({{"node1/meminfo", "Node 1 MemTotal: 8 kB\n"}})),
            "hwloc did not see the memory of node 1");
  const SysfsTree without_cpu("offline-2x4", "/sys/devices/system/cpu/cpu3/");
  EXPECT_EQ(loss(reader_with({})), "hwloc did not see CPUs of node 0");
}

TEST(LoadLive, MayLeaveOutANodeThatIsTheMemoryOfAGpu) {
  const SysfsTree tree("offline-2x4");
  std::map<std::string, std::string> files{{"node/online", "0-2\n"},
                                           {"node2/cpumap", "0\n"},
                                           {"node2/meminfo", "Node 2 MemTotal: 8 kB\n"}};
  EXPECT_EQ(loss(reader_with(files)), "hwloc did not see node 2");
  files["/proc/driver/nvidia/version"] = "NVRM";
  EXPECT_EQ(loss(reader_with(files)), "");
}

TEST(LoadLive, BelievesNobodyWhereTheKernelsFilesCannotBeRead) {
  const SysfsTree tree("offline-2x4");
  const auto machine = load_live([](const std::string&, std::string&) { return -EMFILE; });
  ASSERT_FALSE(machine);
  EXPECT_EQ(machine.error().errno_value, EMFILE);
  EXPECT_TRUE(load_live([](const std::string&, std::string&) { return -ENOENT; }));
}

TEST(LoadLive, AllowsNoMoreThanTheKernelDoes) {
  const SysfsTree tree("offline-2x4");
  tree.set("/proc/self/status", "Cpus_allowed_list:\t1,4\nMems_allowed_list:\t1");
  const auto machine = load_live(reader_with({}));
  ASSERT_TRUE(machine) << machine.error().message();
  EXPECT_EQ(to_list(machine->allowed_cpus), "1,4");
  EXPECT_EQ(to_list(machine->allowed_nodes), "1");
}

}  // namespace
}  // namespace homenode::machine
