// What load_quick() reads from the kernel's files, beside what hwloc makes of the same machines.
#include "machine/quick_machine.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <map>

#include <fmt/format.h>

#include "base/id_list.h"
#include "captured.h"

namespace homenode::machine {
namespace {

using Files = std::map<std::string, std::string>;

FileReader reader_of(const Files& files) {
  return [&files](const std::string& path, std::string& content) {
    const auto found = files.find(path);
    if (found == files.end()) return -ENOENT;
    content = found->second;
    return 0;
  };
}

/// Reads below the tree, and nothing outside it.
FileReader reader_of(const SysfsTree& tree) {
  return [&tree](const std::string& path, std::string& content) {
    std::ifstream file(tree.path(path));
    if (!file) return -ENOENT;
    content.assign(std::istreambuf_iterator<char>(file), {});
    return 0;
  };
}

std::string cpu_map(const CpuSet& cpus) {
  std::string text;
  for (CpuSet::Word word : cpus.words()) {
    text = fmt::format("{:08x},{:08x}{}{}", word >> 32, word & 0xffffffff, text.empty() ? "" : ",",
                       text);
  }
  return (text.empty() ? "00000000" : text) + "\n";
}

/// The files of a kernel that runs on the machine.
Files files_of(const Machine& machine) {
  Files files;
  files["/sys/devices/system/cpu/online"] = to_list(machine.cpus()) + "\n";
  files["/sys/devices/system/cpu/present"] = to_list(machine.cpus() | machine.offline_cpus) + "\n";
  files["/sys/devices/system/node/online"] = to_list(machine.node_ids()) + "\n";
  for (const Node& node : machine.nodes) {
    const std::string folder = fmt::format("/sys/devices/system/node/node{}/", node.id.value());
    files[folder + "cpumap"] = cpu_map(node.cpus);
    files[folder + "meminfo"] = fmt::format("Node {0} MemTotal:   {1} kB\nNode {0} MemFree: 1 kB\n",
                                            node.id.value(), node.memory.value >> 10);
  }
  files["/proc/self/status"] =
      fmt::format("Name:\tx\nCpus_allowed:\tff\nCpus_allowed_list:\t{}\nMems_allowed_list:\t{}\n",
                  to_list(machine.allowed_cpus), to_list(machine.nodes_with_memory()));
  return files;
}

void expect_same(const Machine& quick, const Machine& full) {
  ASSERT_EQ(quick.nodes.size(), full.nodes.size());
  for (std::size_t i = 0; i < full.nodes.size(); ++i) {
    EXPECT_EQ(quick.nodes[i].id, full.nodes[i].id);
    EXPECT_EQ(to_list(quick.nodes[i].cpus), to_list(full.nodes[i].cpus));
    EXPECT_EQ(quick.nodes[i].memory.value >> 10, full.nodes[i].memory.value >> 10);
  }
  EXPECT_EQ(to_list(quick.offline_cpus), to_list(full.offline_cpus));
  EXPECT_EQ(to_list(quick.allowed_cpus), to_list(full.allowed_cpus));
  EXPECT_EQ(to_list(quick.allowed_nodes), to_list(full.allowed_nodes));
}

TEST(QuickMachine, IsHwlocsOnEveryCapturedMachine) {
  for (const char* name : {"duo-2x4", "quad-4x2", "eight-8x4", "cxl-3", "memoryless-4x2",
                           "sparse-power", "many-72x1"}) {
    SCOPED_TRACE(name);
    const Machine full = captured(name);
    const Files files = files_of(full);
    const auto quick = load_quick(reader_of(files));
    ASSERT_TRUE(quick) << quick.error().message();
    expect_same(*quick, full);
  }
}

TEST(QuickMachine, IsHwlocsWhereCpusAreOffline) {
  for (const char* name : {"offline-2x4", "offline-first"}) {
    SCOPED_TRACE(name);
    const SysfsTree tree(name);
    const auto quick = load_quick(reader_of(tree));
    const auto full = load_live();
    ASSERT_TRUE(quick && full);
    expect_same(*quick, *full);
  }
}

TEST(QuickMachine, IsHwlocsInsideACpuset) {
  const SysfsTree tree("cpuset-4x2");
  tree.set("/proc/self/status", "Cpus_allowed_list:\t2-3,6\nMems_allowed_list:\t1,3");
  const auto quick = load_quick(reader_of(tree));
  const auto full = load_live();
  ASSERT_TRUE(quick && full);
  EXPECT_EQ(to_list(quick->allowed_cpus), "2-3,6");
  expect_same(*quick, *full);
}

TEST(QuickMachine, IsThisMachineAsHwlocSeesIt) {
  const auto quick = load_quick([](const std::string& path, std::string& content) {
    std::ifstream file(path);
    if (!file) return -ENOENT;
    content.assign(std::istreambuf_iterator<char>(file), {});
    return 0;
  });
  const auto full = load_live();
  ASSERT_TRUE(quick && full);
  expect_same(*quick, *full);
}

TEST(QuickMachine, AKernelWithoutNodesIsOneNode) {
  const auto machine = load_quick(reader_of(Files{{"/sys/devices/system/cpu/online", "0-3\n"},
                                                  {"/proc/meminfo", "MemTotal: 1024 kB\n"}}));
  ASSERT_TRUE(machine);
  ASSERT_EQ(machine->nodes.size(), 1U);
  EXPECT_EQ(machine->nodes[0].memory, 1_MiB);
  EXPECT_EQ(to_list(machine->nodes[0].cpus), "0-3");
}

TEST(QuickMachine, RefusesWhatItCannotReadOrBelieve) {
  const Files good = files_of(captured("quad-4x2"));
  for (const auto& file : good) {
    const std::string& path = file.first;
    SCOPED_TRACE(path);
    const auto broken = load_quick([&](const std::string& asked, std::string& text) {
      return asked == path ? -EIO : reader_of(good)(asked, text);
    });
    ASSERT_FALSE(broken);
    EXPECT_NE(broken.error().message().find(path), std::string::npos);
  }
  Files odd = good;
  odd["/sys/devices/system/cpu/online"] = "0-1,x\n";
  EXPECT_FALSE(load_quick(reader_of(odd)));
  odd["/sys/devices/system/cpu/online"] = "100\n";
  EXPECT_FALSE(load_quick(reader_of(odd)));
  odd = good;
  odd["/sys/devices/system/node/node2/cpumap"] = "0x3\n";
  EXPECT_FALSE(load_quick(reader_of(odd)));
}

}  // namespace
}  // namespace homenode::machine
