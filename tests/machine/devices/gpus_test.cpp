// The nodes of GPUs, from trees of /sys and /proc that are made for the test.
#include "machine/devices/gpus.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "machine/devices/devices.h"
#include "os/linux.h"

namespace homenode::machine {
namespace {

namespace fs = std::filesystem;

/// A folder that stands for "/" while it lives.
class SystemTree {
 public:
  SystemTree() {
    std::string name = (fs::temp_directory_path() / "homenode-gpus-XXXXXX").string();
    root_ = mkdtemp(name.data());
    setenv("HWLOC_FSROOT", root_.c_str(), 1);
  }
  SystemTree(const SystemTree&) = delete;
  SystemTree& operator=(const SystemTree&) = delete;
  ~SystemTree() {
    unsetenv("HWLOC_FSROOT");
    std::error_code ignored;
    fs::remove_all(root_, ignored);
  }

  void write(const std::string& path, const std::string& content) const {
    fs::create_directories(fs::path(root_ + path).parent_path());
    std::ofstream(root_ + path) << content;
  }

  struct Pci {
    std::string address;
    std::string kind;  ///< PCI class, such as 0x030200.
    std::string vendor;
    int node = -1;
  };
  void add(const Pci& device) const {
    const std::string folder = "/sys/bus/pci/devices/" + device.address;
    write(folder + "/uevent", "\n");
    write(folder + "/class", device.kind + "\n");
    write(folder + "/vendor", device.vendor + "\n");
    write(folder + "/numa_node", std::to_string(device.node) + "\n");
  }
  /// A DRM device below its PCI device, with its entry in the class.
  void add_drm(const std::string& name, const std::string& address) const {
    const std::string folder = "/sys/bus/pci/devices/" + address + "/drm/" + name;
    write(folder + "/uevent", "\n");
    fs::create_directories(root_ + "/sys/class/drm");
    fs::create_directory_symlink(root_ + "/sys/bus/pci/devices/" + address,
                                 root_ + folder + "/device");
    fs::create_directory_symlink(root_ + folder, root_ + "/sys/class/drm/" + name);
  }

 private:
  std::string root_;
};

/// Two servers' GPUs: a console at node 0, an accelerator at node 3, a display device at node 1 and
/// one whose node is not known; and a network card.
struct Server : SystemTree {
  Server() {
    add({"0000:02:00.0", "0x030000", "0x1a03", 0});
    add({"0000:3b:00.0", "0x120000", "0x1002", 3});
    add({"0000:5e:00.0", "0x020000", "0x8086", 2});
    add({"0000:af:00.0", "0x030200", "0x10de", 1});
    add({"0001:01:00.0", "0x030000", "0x10de", -1});
    add_drm("card0", "0000:02:00.0");
    add_drm("card1", "0000:af:00.0");
    add_drm("renderD128", "0000:af:00.0");
    write("/proc/driver/nvidia/gpus/0000:af:00.0/information",
          "Model: \t\t A card\nBus Location: \t 0000:af:00.0\nDevice Minor: \t 0\n");
    write("/proc/driver/nvidia/gpus/0001:01:00.0/information", "Device Minor: \t 12\n");
    write("/proc/driver/nvidia/gpus/0002:01:00.0/information", "Device Minor:");
  }
  os::Linux os;
};

TEST(RunGpus, FindsEachByItsNames) {
  Server server;
  const std::vector<std::pair<std::string, unsigned>> cases{
      {"gpu", 3},        {"gpu0", 3},    {"gpu1", 1},      {"card0", 0},        {"card1", 1},
      {"renderD128", 1}, {"nvidia0", 1}, {"pci:af:00", 1}, {"0000:af:00.0", 1},
  };
  for (const auto& [name, expected] : cases) {
    const auto node = node_near(server.os, name);
    ASSERT_TRUE(node) << name << ": " << node.error().message();
    EXPECT_EQ(*node, NodeId(expected)) << name;
  }
}

TEST(RunGpus, RefusesWhatIsNotThereOrNotKnown) {
  Server server;
  for (const char* name :
       {"gpu3", "gpu9999999999", "nvidia1", "nvidia", "nvidia00", "card2", "renderD129", "gpux"}) {
    const auto node = node_near(server.os, name);
    ASSERT_FALSE(node) << name << " gave " << node->value();
    EXPECT_EQ(node.error().code, ErrorCode::bad_usage) << name;
  }
  for (const char* name : {"gpu2", "nvidia12"}) {
    const auto node = node_near(server.os, name);
    ASSERT_FALSE(node) << name;
    EXPECT_EQ(node.error().code, ErrorCode::not_supported) << name;
  }
}

TEST(RunGpus, AreNearTheOnlyNodeWhereTheSystemDoesNotSay) {
  Server server;
  server.write("/sys/devices/system/node/online", "0\n");
  EXPECT_EQ(*node_near(server.os, "gpu2"), NodeId(0));
  server.write("/sys/devices/system/node/online", "0-1\n");
  EXPECT_FALSE(node_near(server.os, "gpu2"));
}

TEST(RunGpus, AreNearWhatWasMeasured) {
  Server server;
  server.write("/measured.xml",
               "<info name=\"homenode:Gpu.0001:01:00.0\" value=\"node 0: 9 MiB/s to it, 9 MiB/s "
               "from it, 900 ns; node 1: 9 MiB/s to it, 9 MiB/s from it, 700 ns\"/>");
  const std::string file = std::string(std::getenv("HWLOC_FSROOT")) + "/measured.xml";
  setenv("HWLOC_XMLFILE", file.c_str(), 1);
  EXPECT_FALSE(node_near(server.os, "gpu2")) << "the file may be of another machine";
  setenv("HWLOC_THISSYSTEM", "1", 1);
  EXPECT_EQ(*node_near(server.os, "gpu2"), NodeId(1));
  EXPECT_EQ(*node_near(server.os, "nvidia12"), NodeId(1));
  EXPECT_EQ(*node_near(server.os, "gpu0"), NodeId(3)) << "there is no figure of it";
  unsetenv("HWLOC_XMLFILE");
  unsetenv("HWLOC_THISSYSTEM");
}

TEST(RunGpus, AreDevicesOfTheMachine) {
  Server server;
  const auto devices = gpu_devices(server.os);
  ASSERT_EQ(devices.size(), 3U);
  EXPECT_EQ(devices[0], (Device{"gpu0", "gpu", "0000:3b:00.0", NodeSet{NodeId(3)}}));
  EXPECT_EQ(devices[1], (Device{"gpu1", "gpu", "0000:af:00.0", NodeSet{NodeId(1)}}));
  EXPECT_EQ(devices[2], (Device{"gpu2", "gpu", "0001:01:00.0", NodeSet()}));
}

TEST(RunGpus, CountsCardsWhereNoneIsOnPci) {
  const SystemTree tree;
  tree.write("/sys/class/drm/card1/uevent", "\n");
  tree.write("/sys/class/drm/card1/numa_node", "2\n");
  os::Linux os;
  EXPECT_EQ(*node_near(os, "gpu"), NodeId(2));
  EXPECT_FALSE(node_near(os, "gpu1"));
}

}  // namespace
}  // namespace homenode::machine
