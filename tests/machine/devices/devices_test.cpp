// Nodes of devices, from a fake sysfs.
#include "machine/devices/devices.h"

#include <gtest/gtest.h>

#include "fake/fake.h"

namespace homenode::machine {
namespace {

/// eth0 is at node 1, nvme0n1 (two folders below its PCI device) and its partition at node 2, vda
/// (behind virtio) at node 3, sda unknown.
struct Devices {
  Devices() {
    os.set_root("/nonexistent");
    os.set_file("/sys/class/net/eth0/uevent", "INTERFACE=eth0\n");
    os.set_file("/sys/class/net/eth0/device/uevent", "\n");
    os.set_file("/sys/class/net/eth0/device/numa_node", "1\n");
    // The bridge above it is another matter.
    os.set_file("/sys/class/net/eth0/device/../numa_node", "0\n");
    os.set_file("/sys/class/block/nvme0n1p1/uevent", "MAJOR=259\n");
    os.set_file("/sys/class/block/nvme0n1p1/../../../numa_node", "2\n");
    os.set_file("/sys/class/block/vda/uevent", "MAJOR=254\n");
    os.set_file("/sys/class/block/vda/device/uevent", "\n");
    os.set_file("/sys/class/block/vda/device/../numa_node", "3\n");
    os.set_file("/sys/class/block/nvme0n1/uevent", "MAJOR=259\n");
    os.set_file("/sys/class/block/nvme0n1/device/uevent", "\n");
    os.set_file("/sys/class/block/nvme0n1/device/../../numa_node", "2\n");
    os.set_file("/sys/class/block/sda/uevent", "MAJOR=8\n");
    os.set_file("/sys/class/block/sda/numa_node", "-1\n");
    os.set_file("/sys/bus/pci/devices/0000:3b:00.0/uevent", "DRIVER=x\n");
    os.set_file("/sys/bus/pci/devices/0000:3b:00.0/numa_node", "3\n");
    os.set_file("/sys/class/drm/card1/uevent", "\n");
    os.set_file("/sys/class/drm/card1/numa_node", "0\n");
  }
  os::Fake os;
};

TEST(RunDevices, ADeviceEndsAList) {
  struct Case {
    std::string list;
    std::string before;
    std::optional<unsigned> node;
  };
  const std::vector<Case> cases{
      {"0-3,8", "0-3,8", {}},       {"", "", {}},
      {"netdev:eth0", "", 1},       {"0,netdev:eth0", "0,", 1},
      {"!netdev:eth0", "!", 1},     {"block:nvme0n1", "", 2},
      {"block:nvme0n1p1", "", 2},   {"block:vda", "", 3},
      {"0, pci:3b:00.0", "0, ", 3}, {"pci:0000:3b:00", "", 3},
      {"all", "all", {}},           {"same", "same", {}},
  };
  Devices devices;
  for (const auto& [list, before, node] : cases) {
    const auto found = find_device(devices.os, list);
    ASSERT_TRUE(found) << list << ": " << found.error().message();
    EXPECT_EQ(found->list, before) << list;
    EXPECT_EQ(found->node, node ? std::optional(NodeId(*node)) : std::nullopt) << list;
  }
}

TEST(RunDevices, RefusesWhatIsNotThereOrNotKnown) {
  Devices devices;
  for (const char* list : {"netdev:eth9", "netdev:", "netdev:../eth0", "block:eth0", "pci:x",
                           "pci:1", "pci:0000:3b:00.0.1", "netdev:eth0,1"}) {
    const auto expanded = find_device(devices.os, list);
    ASSERT_FALSE(expanded) << list;
    EXPECT_EQ(expanded.error().code, ErrorCode::bad_usage) << list;
  }
  const auto absent = find_device(devices.os, "file:/nonexistent/x");
  ASSERT_FALSE(absent);
  EXPECT_EQ(absent.error().code, ErrorCode::failed) << "a file that is not there";
  const auto unknown = find_device(devices.os, "block:sda");
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().code, ErrorCode::not_supported);
}

TEST(RunDevices, NearTakesPlainNames) {
  Devices devices;
  EXPECT_EQ(*node_near(devices.os, "eth0"), NodeId(1));
  EXPECT_EQ(*node_near(devices.os, "nvme0n1"), NodeId(2));
  EXPECT_EQ(*node_near(devices.os, "0000:3b:00.0"), NodeId(3));
  EXPECT_EQ(*node_near(devices.os, "gpu"), NodeId(0));
  EXPECT_EQ(*node_near(devices.os, "netdev:eth0"), NodeId(1));
  for (const char* name : {"gpu1", "wlan0", "", "../eth0", ".", "0000:3c:00.0"}) {
    EXPECT_FALSE(node_near(devices.os, name)) << name;
  }
}

}  // namespace
}  // namespace homenode::machine
