// Which events sample accesses, by what the kernel says of its PMUs; and what is missing.
#include "sensing/sources/pmu/events.h"

#include <gtest/gtest.h>

#include "pmu_machines.h"

namespace homenode::sensing {
namespace {

TEST(pmu_events, put_a_value_where_the_format_says) {
  PmuEvent event;
  EXPECT_TRUE(set_field(event, "config:0-7", 0x1cd));
  EXPECT_EQ(event.config, 0xcdU);
  EXPECT_TRUE(set_field(event, "config:8-15", 0x01));
  EXPECT_EQ(event.config, 0x1cdU);
  EXPECT_TRUE(set_field(event, "config1:0-3,60-63", 0xab));
  EXPECT_EQ(event.config1, 0xa000'0000'0000'000bU);
  EXPECT_TRUE(set_field(event, "config2:0", 1));
  EXPECT_EQ(event.config2, 1U);
  EXPECT_TRUE(set_field(event, "config:0-63", ~std::uint64_t{0}));
  EXPECT_EQ(event.config, ~std::uint64_t{0});
}

TEST(pmu_events, do_not_take_a_format_of_another_form) {
  PmuEvent event;
  for (const char* const format :
       {"", "config", "config:", "config9:0-7", "config:7-0", "config:64",
        "config:0-99999999999999999999", "config:a-b", "config:0-7,"}) {
    const bool taken = set_field(event, format, 1);
    EXPECT_EQ(taken, std::string_view(format) == "config:0-7,") << format;
  }
}

TEST(pmu_events, of_intel_are_those_that_the_kernel_names) {
  os::Fake os;
  os.set_root(no_machine);
  add_intel(os);
  const auto found = find_pmu_events(os);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->kind, PmuKind::precise);
  EXPECT_TRUE(found->filters_kernel);
  ASSERT_EQ(found->events.size(), 2U);
  EXPECT_EQ(found->events[0].name, "cpu/mem-loads");
  EXPECT_EQ(found->events[0].type, 4U);
  EXPECT_EQ(found->events[0].config, 0x1cdU);
  EXPECT_EQ(found->events[0].config1, 30U);
  EXPECT_FALSE(found->events[0].leader_config);
  EXPECT_FALSE(found->events[0].cpus);
  EXPECT_EQ(found->events[1].config, 0x82d0U);
}

TEST(pmu_events, of_sapphire_rapids_have_a_leader) {
  os::Fake os;
  os.set_root(no_machine);
  add_intel(os);
  os.set_file("/sys/bus/event_source/devices/cpu/events/mem-loads-aux", "event=0x03,umask=0x82\n");
  const auto found = find_pmu_events(os);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->events[0].leader_config, 0x8203U);
  EXPECT_FALSE(found->events[1].leader_config);
}

TEST(pmu_events, of_two_kinds_of_cores_are_those_of_both) {
  os::Fake os;
  os.set_root(no_machine);
  add_intel(os, "cpu_core", 4);
  add_intel(os, "cpu_atom", 10);
  os.set_file("/sys/bus/event_source/devices/cpu_core/cpus", "0-3\n");
  os.set_file("/sys/bus/event_source/devices/cpu_atom/cpus", "4-7\n");
  const auto found = find_pmu_events(os);
  ASSERT_TRUE(found);
  ASSERT_EQ(found->events.size(), 4U);
  EXPECT_TRUE(found->events[0].cpus->contains(CpuId(3)));
  EXPECT_FALSE(found->events[0].cpus->contains(CpuId(4)));
  EXPECT_EQ(found->events[2].type, 10U);
  EXPECT_TRUE(found->events[2].cpus->contains(CpuId(4)));
}

TEST(pmu_events, of_amd_count_operations_and_leave_the_kernel_out_where_they_can) {
  os::Fake os;
  os.set_root(no_machine);
  add_amd(os);
  auto found = find_pmu_events(os);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->kind, PmuKind::ibs);
  EXPECT_EQ(found->events[0].type, 9U);
  EXPECT_EQ(found->events[0].config, std::uint64_t{1} << 19);
  EXPECT_FALSE(found->filters_kernel);
  EXPECT_TRUE(found->erratum_1293);
  os.set_file("/sys/bus/event_source/devices/ibs_op/format/swfilt", "config2:0\n");
  os.set_file("/proc/cpuinfo", "vendor_id\t: AuthenticAMD\ncpu family\t: 25\nmodel\t\t: 17\n");
  found = find_pmu_events(os);
  ASSERT_TRUE(found);
  EXPECT_TRUE(found->filters_kernel);
  EXPECT_EQ(found->events[0].config2, 1U);
  EXPECT_FALSE(found->erratum_1293);
}

TEST(pmu_events, of_arm_are_loads_and_stores_with_time) {
  os::Fake os;
  os.set_root(no_machine);
  add_arm(os);
  auto found = find_pmu_events(os);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->kind, PmuKind::spe);
  EXPECT_TRUE(found->data_sources);
  ASSERT_EQ(found->events.size(), 1U);
  EXPECT_EQ(found->events[0].type, 11U);
  EXPECT_EQ(found->events[0].config, std::uint64_t{6} << 32 | 1);
  EXPECT_EQ(found->events[0].cpus->size(), 2U);
  os.set_file("/proc/cpuinfo", "CPU implementer\t: 0xc0\nCPU part\t: 0xac3\n");
  found = find_pmu_events(os);
  ASSERT_TRUE(found);
  EXPECT_FALSE(found->data_sources);
}

TEST(pmu_events, that_cannot_be_encoded_are_left_out) {
  os::Fake os;
  os.set_root(no_machine);
  add_intel(os);
  os.set_file("/sys/bus/event_source/devices/cpu/events/mem-loads", "event=0xcd,colour=2\n");
  os.set_file("/sys/bus/event_source/devices/cpu/events/mem-stores", "event=,,=x\n");
  EXPECT_FALSE(find_pmu_events(os));
}

/// What is missing, for the machine of the fake.
std::string refusal(os::Fake& os) {
  const auto found = find_pmu_events(os);
  EXPECT_FALSE(found);
  if (found) return "";
  EXPECT_EQ(found.error().code, ErrorCode::not_supported);
  return found.error().message();
}

bool has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

TEST(pmu_events, of_a_virtual_machine_without_a_pmu_are_said_to_be_missing) {
  os::Fake os;
  os.set_root(no_machine);
  os.set_file("/sys/bus/event_source/devices/software/type", "1\n");
  os.set_file("/proc/cpuinfo",
              "vendor_id\t: GenuineIntel\nflags\t\t: fpu vme hypervisor lahf_lm\n");
  const std::string text = refusal(os);
  EXPECT_TRUE(has(text, "this virtual machine has no PMU")) << text;
  EXPECT_TRUE(has(text, "switch it on in the hypervisor")) << text;
  EXPECT_TRUE(has(text, "homenode profile --import FILE")) << text;
}

TEST(pmu_events, are_said_to_be_missing_by_what_lacks) {
  const std::string devices(pmu_devices);
  os::Fake bare;
  bare.set_root(no_machine);
  bare.set_file(devices + "software/type", "1\n");
  EXPECT_TRUE(has(refusal(bare), "this machine has no PMU"));

  os::Fake intel;
  intel.set_root(no_machine);
  intel.set_file(devices + "cpu/type", "4\n");
  intel.set_file("/proc/cpuinfo", "vendor_id\t: GenuineIntel\nflags\t\t: fpu hypervisor\n");
  EXPECT_TRUE(has(refusal(intel), "no event mem-loads"));
  EXPECT_TRUE(has(refusal(intel), "hypervisor passes no precise sampling"));

  os::Fake amd;
  amd.set_root(no_machine);
  amd.set_file(devices + "cpu/type", "4\n");
  amd.set_file("/proc/cpuinfo", "vendor_id\t: AuthenticAMD\nflags\t\t: fpu\n");
  EXPECT_TRUE(has(refusal(amd), "no ibs_op"));
  EXPECT_TRUE(has(refusal(amd), "firmware has switched"));

  os::Fake arm;
  arm.set_root(no_machine);
  arm.set_file(devices + "armv8_pmuv3_0/type", "8\n");
  arm.set_file("/proc/cpuinfo", "CPU implementer\t: 0x41\n");
  EXPECT_TRUE(has(refusal(arm), "modprobe arm_spe_pmu"));

  os::Fake none;
  none.set_root(no_machine);
  EXPECT_TRUE(has(refusal(none), "cannot list"));
}

TEST(pmu_events, that_the_kernel_refuses_are_explained) {
  os::Fake os;
  os.set_root(no_machine);
  os.set_file("/proc/sys/kernel/perf_event_paranoid", "3\n");
  const std::string denied = refused_pmu(os, "cpu/mem-loads", EACCES).take().message();
  EXPECT_TRUE(has(denied, "perf_event_paranoid is 3")) << denied;
  EXPECT_TRUE(has(denied, "CAP_PERFMON")) << denied;
  EXPECT_TRUE(has(refused_pmu(os, "x", EMFILE).take().message(), "ulimit -n"));
  EXPECT_TRUE(has(refused_pmu(os, "x", EBUSY).take().message(), "another profiler"));
  EXPECT_TRUE(has(refused_pmu(os, "x", ENOSYS).take().message(), "seccomp"));
  EXPECT_TRUE(has(refused_pmu(os, "x", ENODEV).take().message(), "perf mem record"));
}

}  // namespace
}  // namespace homenode::sensing
