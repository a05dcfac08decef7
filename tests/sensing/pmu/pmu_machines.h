// What the kernels of machines with a PMU say of it in /sys.
#pragma once

#include <string>

#include "fake/fake.h"

namespace homenode::sensing {

/// A root for files that no test sets, so that the machine that runs it says nothing.
inline constexpr const char* no_machine = "/nowhere";

/// As of Ice Lake.
inline void add_intel(os::Fake& os, const std::string& pmu = "cpu", unsigned type = 4) {
  const std::string folder = "/sys/bus/event_source/devices/" + pmu + "/";
  os.set_file(folder + "type", std::to_string(type) + "\n");
  os.set_file(folder + "format/event", "config:0-7\n");
  os.set_file(folder + "format/umask", "config:8-15\n");
  os.set_file(folder + "format/ldlat", "config1:0-15\n");
  os.set_file(folder + "events/mem-loads", "event=0xcd,umask=0x1,ldlat=3\n");
  os.set_file(folder + "events/mem-stores", "event=0xd0,umask=0x82\n");
  os.set_file("/proc/cpuinfo", "vendor_id\t: GenuineIntel\nflags\t\t: fpu vme\n");
}

/// As of Zen 3 with a kernel that leaves nothing out.
inline void add_amd(os::Fake& os) {
  const std::string folder = "/sys/bus/event_source/devices/";
  os.set_file(folder + "cpu/type", "4\n");
  os.set_file(folder + "ibs_op/type", "9\n");
  os.set_file(folder + "ibs_op/format/cnt_ctl", "config:19\n");
  os.set_file("/proc/cpuinfo",
              "vendor_id\t: AuthenticAMD\ncpu family\t: 25\nmodel\t\t: 1\nmodel name\t: EPYC\n");
}

/// A Neoverse N1 with the Statistical Profiling Extension.
inline void add_arm(os::Fake& os) {
  const std::string folder = "/sys/bus/event_source/devices/";
  os.set_file(folder + "armv8_pmuv3_0/type", "8\n");
  os.set_file(folder + "arm_spe_0/type", "11\n");
  os.set_file(folder + "arm_spe_0/cpumask", "0-1\n");
  os.set_file(folder + "arm_spe_0/format/ts_enable", "config:0\n");
  os.set_file(folder + "arm_spe_0/format/load_filter", "config:33\n");
  os.set_file(folder + "arm_spe_0/format/store_filter", "config:34\n");
  os.set_file("/proc/cpuinfo", "CPU implementer\t: 0x41\nCPU part\t: 0xd0c\n");
}

}  // namespace homenode::sensing
