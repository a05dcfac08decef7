// The PMU's source at work on a fake kernel: which events it opens, and which samples it writes.
#include <linux/perf_event.h>

#include <algorithm>

#include "../sources/sampled.h"
#include "encoder.h"
#include "pmu_machines.h"
#include "sensing/sources/pmu/attributes.h"
#include "sensing/sources/pmu/events.h"

namespace homenode::sensing {
namespace {

constexpr std::uint64_t load_of_local_memory = PERF_MEM_S(OP, LOAD) | PERF_MEM_S(LVLNUM, RAM);
constexpr std::uint64_t store_of_l1 =
    PERF_MEM_S(OP, STORE) | PERF_MEM_S(LVL, HIT) | PERF_MEM_S(LVL, L1);

std::string record_of(const PerfSample& sample, std::uint64_t type, const encoder::Bytes& raw = {},
                      std::uint16_t misc = PERF_RECORD_MISC_USER) {
  const encoder::Bytes body = encoder::sample(sample, type, raw);
  Bytes bytes;
  bytes.text.assign(body.begin(), body.end());
  return perf_record(PERF_RECORD_SAMPLE, bytes, misc);
}

/// An access of the sampled process from CPU 1.
PerfSample access_at(std::uint64_t address, std::uint64_t data_source, std::uint64_t time_ns = 5) {
  PerfSample sample;
  sample.instruction = 0x401000;
  sample.pid = sampled_pid;
  sample.tid = sampled_pid + 1;
  sample.time_ns = time_ns;
  sample.address = address;
  sample.cpu = 1;
  sample.weight = 500;
  sample.data_source = data_source;
  sample.physical = 0x2000;
  return sample;
}

class PmuSourceTest : public SampledTest {
 protected:
  PmuSourceTest() {
    os_.set_root(no_machine);
    nodes_ = NodeLookup(sampled_machine(), {{0x1000, 0x65000, 0}, {0x65000, 0xc9000, 1}});
    os_.set_file("/sys/devices/system/cpu/cpu0/cpufreq/base_frequency", "2500000\n");
    os_.set_file("/proc/sys/kernel/perf_event_max_sample_rate", "50000\n");
  }
  /// The events that sample, without those that hold the rings.
  [[nodiscard]] std::vector<perf_event_attr> sampling_events() const {
    std::vector<perf_event_attr> found;
    for (const perf_event_attr& event : os_.perf_events()) {
      if (event.type != PERF_TYPE_SOFTWARE) found.push_back(event);
    }
    return found;
  }
};

TEST_F(PmuSourceTest, opens_loads_and_stores_on_each_cpu_at_a_rate_within_the_budget) {
  add_intel(os_);
  request_.overhead = 0.02;
  start(make_pmu_source());
  const auto events = sampling_events();
  ASSERT_EQ(events.size(), 4U);
  for (const perf_event_attr& event : events) {
    EXPECT_EQ(event.type, 4U);
    EXPECT_EQ(event.freq, 1U);
    EXPECT_EQ(event.sample_freq, 5000U);
    EXPECT_EQ(event.precise_ip, 2U);
    EXPECT_EQ(event.exclude_kernel, 1U);
    EXPECT_EQ(event.inherit, 1U);
    EXPECT_EQ(event.disabled, 0U);
    EXPECT_NE(event.sample_type & PERF_SAMPLE_PHYS_ADDR, 0U);
  }
  EXPECT_EQ(std::count_if(events.begin(), events.end(),
                          [](const perf_event_attr& event) { return event.config == 0x1cd; }),
            2);
}

TEST_F(PmuSourceTest, writes_what_was_sampled_with_nodes_and_time) {
  add_intel(os_);
  start(make_pmu_source());
  const std::uint64_t type = sampling_events().front().sample_type;
  os_.add_perf_record(1, record_of(access_at(0x7000, store_of_l1, 9), type));
  os_.add_perf_record(0, record_of(access_at(0x5000, load_of_local_memory), type));
  collect_at(100);
  ASSERT_TRUE(source_->stop(sampling_));
  const auto samples = Written(os_).samples;
  ASSERT_EQ(samples.size(), 2U);
  EXPECT_EQ(samples[0].address, 0x5000U);
  EXPECT_EQ(samples[0].latency_ns, 200U);
  EXPECT_EQ(samples[0].physical, 0x2000U);
  EXPECT_EQ(samples[0].instruction, 0x401000U);
  EXPECT_EQ(samples[0].tid, static_cast<std::uint32_t>(sampled_pid) + 1);
  EXPECT_EQ(samples[0].cpu, 1U);
  EXPECT_EQ(samples[0].cpu_node, 1U);
  EXPECT_EQ(samples[0].memory_node, 0U);
  EXPECT_EQ(samples[0].operation, SampleOperation::read);
  EXPECT_EQ(samples[0].level, SampleLevel::local_memory);
  EXPECT_EQ(samples[0].source, SampleSource::pmu);
  EXPECT_EQ(samples[1].operation, SampleOperation::write);
  EXPECT_EQ(samples[1].time_ns, 9U);
  EXPECT_EQ(budget_.faults_ns(), 2 * cost_of_sample_ns);
}

TEST_F(PmuSourceTest, leaves_out_the_kernel_and_what_is_no_access) {
  add_intel(os_);
  start(make_pmu_source());
  const std::uint64_t type = sampling_events().front().sample_type;
  os_.add_perf_record(
      0, record_of(access_at(0x5000, load_of_local_memory), type, {}, PERF_RECORD_MISC_KERNEL));
  os_.add_perf_record(0, record_of(access_at(0, load_of_local_memory), type));
  os_.add_perf_record(0, record_of(access_at(0xffff'8880'0000'0000, load_of_local_memory), type));
  os_.add_perf_record(0, record_of(access_at(0x5000, PERF_MEM_S(OP, NA)), type));
  os_.add_perf_record(0, perf_record(PERF_RECORD_SAMPLE, Bytes{}));
  os_.add_perf_record(
      0, perf_record(PERF_RECORD_LOST, Bytes{}.add(std::uint64_t{1}).add(std::uint64_t{17})));
  os_.add_perf_record(0, record_of(access_at(0x6000, load_of_local_memory), type));
  collect_at(100);
  const auto samples = Written(os_).samples;
  ASSERT_EQ(samples.size(), 1U);
  EXPECT_EQ(samples[0].address, 0x6000U);
  EXPECT_EQ(samples[0].flags, static_cast<std::uint32_t>(sample_lost_before));
  EXPECT_EQ(budget_.lost(), 17U);
}

TEST_F(PmuSourceTest, does_without_physical_addresses_and_the_very_instruction) {
  add_intel(os_);
  os_.fail_call("open_perf_event", 3, EACCES);  // The first two hold the rings.
  os_.then_fail_call("open_perf_event", 1, EINVAL);
  start(make_pmu_source());
  for (const perf_event_attr& event : sampling_events()) {
    EXPECT_EQ(event.sample_type & PERF_SAMPLE_PHYS_ADDR, 0U);
    EXPECT_EQ(event.precise_ip, 1U);
  }
  EXPECT_EQ(sampling_events().size(), 4U);
}

TEST_F(PmuSourceTest, opens_loads_in_the_group_of_their_leader) {
  add_intel(os_);
  os_.set_file("/sys/bus/event_source/devices/cpu/events/mem-loads-aux", "event=0x03,umask=0x82\n");
  start(make_pmu_source());
  EXPECT_EQ(os_.count("open_perf_event_in_group"), 2U);
  const auto events = sampling_events();
  EXPECT_EQ(events.size(), 6U);
  for (const perf_event_attr& event : events) {
    if (event.config != 0x8203) continue;
    EXPECT_EQ(event.sample_period, 0U);
    EXPECT_EQ(event.sample_type, 0U);
  }
}

TEST_F(PmuSourceTest, reads_the_registers_of_amd_and_only_of_the_sampled_process) {
  add_amd(os_);
  os_.fail_call("open_perf_event", 3, EINVAL);  // A kernel that samples whole CPUs only.
  start(make_pmu_source());
  const auto events = sampling_events();
  ASSERT_EQ(events.size(), 2U);
  EXPECT_EQ(events[0].inherit, 0U);
  EXPECT_EQ(events[0].exclude_kernel, 0U);
  EXPECT_EQ(events[0].task, 0U);
  encoder::Ibs ibs;
  ibs.data2 = 3;
  ibs.data3 = 1U << 0 | 1U << 7 | 1U << 17 | 1U << 18 | 1U << 20 | std::uint64_t{250} << 32;
  ibs.address = 0x7f0000001040;
  ibs.physical = 0x65000;
  const PerfSample own = access_at(0, 0);
  PerfSample foreign = own;
  foreign.pid = 4711;
  os_.add_perf_record(0, record_of(own, events[0].sample_type, ibs.bytes()));
  os_.add_perf_record(0, record_of(foreign, events[0].sample_type, ibs.bytes()));
  collect_at(100);
  const auto samples = Written(os_).samples;
  ASSERT_EQ(samples.size(), 1U);
  EXPECT_EQ(samples[0].address, 0x7f0000001040U);
  EXPECT_EQ(samples[0].latency_ns, 100U);
  EXPECT_EQ(samples[0].memory_node, 1U);
  EXPECT_EQ(samples[0].level, SampleLevel::local_memory);
}

TEST_F(PmuSourceTest, reads_what_arm_wrote_into_its_own_buffers) {
  add_arm(os_);
  start(make_pmu_source());
  const auto events = sampling_events();
  ASSERT_EQ(events.size(), 2U);
  EXPECT_EQ(events[0].freq, 0U);
  EXPECT_EQ(events[0].sample_period, 2'000'000'000U / 2500);
  EXPECT_EQ(os_.count("map_perf_aux"), 2U);
  encoder::Spe spe;
  spe.address(0, 0x401000).operation(1, 1).latency(0, 50).address(2, 0x7f0000001040);
  spe.address(3, 0x66000).timestamp(1);
  spe.address(0, 0x402000).operation(1, 0).data_source(0xe).address(2, 0x7f0000002040);
  spe.timestamp(2);
  // The buffer ends within the records.
  const std::uint64_t position = (std::uint64_t{3} << 20) - 20;
  os_.set_aux_bytes(1, position, std::string(spe.bytes.begin(), spe.bytes.end()));
  Bytes flush;
  flush.add(position).add(std::uint64_t{spe.bytes.size()}).add(std::uint64_t{1});
  flush.add(std::uint32_t{sampled_pid}).add(std::uint32_t{sampled_pid + 1});
  flush.add(std::uint64_t{77}).add(std::uint32_t{1}).add(std::uint32_t{0});
  os_.add_perf_record(1, perf_record(PERF_RECORD_AUX, flush));
  collect_at(100);
  ASSERT_TRUE(source_->stop(sampling_));
  const auto samples = Written(os_).samples;
  ASSERT_EQ(samples.size(), 2U);
  EXPECT_EQ(samples[0].address, 0x7f0000001040U);
  EXPECT_EQ(samples[0].operation, SampleOperation::write);
  EXPECT_EQ(samples[0].latency_ns, 20U);
  EXPECT_EQ(samples[0].memory_node, 1U);
  EXPECT_EQ(samples[0].tid, std::uint32_t{sampled_pid + 1});
  EXPECT_EQ(samples[0].time_ns, 77U);
  EXPECT_EQ(samples[1].level, SampleLevel::local_memory);
  EXPECT_EQ(samples[1].cpu_node, 1U);
  EXPECT_EQ(budget_.lost(), 1U);
}

TEST_F(PmuSourceTest, reads_no_part_of_a_buffer_that_is_not_there) {
  add_arm(os_);
  start(make_pmu_source());
  for (const std::uint64_t bytes : {std::uint64_t{1} << 21, ~std::uint64_t{0}, std::uint64_t{8}}) {
    Bytes flush;
    flush.add(~std::uint64_t{0}).add(bytes).add(std::uint64_t{0});
    flush.add(std::uint64_t{7}).add(std::uint64_t{77}).add(std::uint64_t{99});
    os_.add_perf_record(1, perf_record(PERF_RECORD_AUX, flush));
    os_.add_perf_record(1, perf_record(PERF_RECORD_AUX, Bytes{}.add(bytes)));
  }
  collect_at(100);
  EXPECT_TRUE(Written(os_).samples.empty());
}

TEST_F(PmuSourceTest, samples_less_while_it_costs_too_much) {
  add_intel(os_);
  start(make_pmu_source());
  const std::size_t before = os_.count("control_perf_event");
  collect_at(2'000'000'000);
  EXPECT_EQ(os_.count("control_perf_event"), before);
  budget_.add_faults_ns(900'000'000'000);
  collect_at(3'500'000'000);
  EXPECT_EQ(os_.count("control_perf_event"), before + sampling_events().size());
}

TEST_F(PmuSourceTest, checks_that_an_event_opens_and_leaves_none_open) {
  const auto source = make_pmu_source();
  add_intel(os_);
  EXPECT_TRUE(source->check(os_, request_));
  EXPECT_EQ(os_.count("close_file"), 1U);
  os_.fail_call("open_perf_event", 1, EACCES);
  os_.then_fail_call("open_perf_event", 1, EACCES);
  const auto refused = source->check(os_, request_);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message().find("perf_event_paranoid is 3"), std::string::npos);
  EXPECT_EQ(refused.error().code, ErrorCode::not_supported);
  EXPECT_EQ(os_.count("close_file"), 1U);
}

TEST_F(PmuSourceTest, leaves_nothing_open_where_it_cannot_start) {
  add_intel(os_);
  source_ = make_pmu_source();
  log_.add_process(sampled_pid);
  os_.fail_call("open_perf_event", 4, EMFILE);
  const auto started = source_->start(sampling_, sampled_pid);
  ASSERT_FALSE(started);
  EXPECT_NE(started.error().message().find("ulimit -n"), std::string::npos);
  ASSERT_TRUE(source_->stop(sampling_));
  EXPECT_EQ(os_.count("close_file"), os_.perf_events().size());
}

}  // namespace
}  // namespace homenode::sensing
