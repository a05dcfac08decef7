#include <cerrno>

#include "sampled.h"

namespace homenode::sensing {
namespace {

constexpr const char* balancing = "/proc/sys/kernel/numa_balancing";

class HintFaultsTest : public SampledTest {
 protected:
  std::string balancing_now() {
    std::string text;
    EXPECT_EQ(os_.read_file(balancing, text), 0);
    return text;
  }

  void set_periods(const std::string& folder) {
    os_.set_file(folder + "scan_period_min_ms", "1000\n");
    os_.set_file(folder + "scan_period_max_ms", "60000\n");
  }

  std::string periods(const std::string& folder) {
    std::string least;
    std::string most;
    EXPECT_EQ(os_.read_file(folder + "scan_period_min_ms", least), 0);
    EXPECT_EQ(os_.read_file(folder + "scan_period_max_ms", most), 0);
    return least.substr(0, least.find('\n')) + " " + most.substr(0, most.find('\n'));
  }

  void move_to_node_1(std::uint64_t address) {
    void* const page = reinterpret_cast<void*>(address);
    const int target = 1;
    int status = 0;
    ASSERT_EQ(os_.move_pages(0, {&page, 1}, {&target, 1}, {&status, 1}, 0), 0);
    ASSERT_EQ(status, 1);
  }
};

TEST_F(HintFaultsTest, SwitchesBalancingOnAndBack) {
  start(make_hint_faults_source());
  EXPECT_EQ(balancing_now(), "1");
  EXPECT_EQ(os_.count("start_guard"), 1U);
  ASSERT_TRUE(source_->stop(sampling_));
  EXPECT_EQ(balancing_now(), "0");
}

TEST_F(HintFaultsTest, LeavesBalancingAloneThatIsOn) {
  os_.set_file(balancing, "1\n");
  start(make_hint_faults_source());
  ASSERT_TRUE(source_->stop(sampling_));
  EXPECT_TRUE(os_.written().empty());
  EXPECT_EQ(os_.count("start_guard"), 0U);
}

TEST_F(HintFaultsTest, TheKernelLooksMoreOftenMeanwhile) {
  const std::string folder = "/sys/kernel/debug/sched/numa_balancing/";
  set_periods(folder);
  start(make_hint_faults_source());
  EXPECT_EQ(periods(folder), "100 100");
  // So a tenth of a second after a fault the next is no consequence of it.
  constexpr std::uint64_t millisecond = 1'000'000;
  for (const std::uint64_t time : {5U, 15U, 105U}) {
    os_.add_perf_record(0, perf_record({100, 100, time * millisecond, 0x3000, 0, 0, 4096}));
  }
  collect_at(200 * millisecond);
  EXPECT_EQ(Written(os_).samples.size(), 2U);
  ASSERT_TRUE(source_->stop(sampling_));
  EXPECT_EQ(periods(folder), "1000 60000");
  EXPECT_EQ(balancing_now(), "0");
}

TEST_F(HintFaultsTest, WithoutAGuardForThemThePeriodsStay) {
  const std::string folder = "/proc/sys/kernel/numa_balancing_";
  set_periods(folder);
  os_.fail_call("start_guard", 3, EAGAIN);
  start(make_hint_faults_source());
  EXPECT_EQ(periods(folder), "1000 60000");
  EXPECT_EQ(balancing_now(), "1");
  ASSERT_TRUE(source_->stop(sampling_));
  EXPECT_EQ(balancing_now(), "0");
}

TEST_F(HintFaultsTest, OnlyAPageThatWasThereWasArmed) {
  start(make_hint_faults_source());
  os_.add_perf_record(0, perf_record({100, 100, 5, 0x3000, 0, 0, 4096}));
  os_.add_perf_record(0, perf_record({100, 100, 6, 0x4000, 0, 0, 0}));
  collect_at(10);
  const Written written(os_);
  ASSERT_EQ(written.samples.size(), 2U);
  EXPECT_EQ(written.samples[0].flags, sample_first_touch | sample_masked);
  EXPECT_EQ(written.samples[1].flags, 0U);
  EXPECT_EQ(written.samples[0].weight, 0U);
}

TEST_F(HintFaultsTest, TheTimeOfAPageThatAFaultMovedIsClosedAtTheEnd) {
  constexpr std::uint64_t second = 1'000'000'000;
  void* block = nullptr;
  ASSERT_EQ(os_.map_memory(2 * os::fake_page_bytes, block), 0);
  os_.first_touch(block, 2 * os::fake_page_bytes, NodeId(0));
  const auto stays = reinterpret_cast<std::uint64_t>(block);
  const std::uint64_t moves = stays + os::fake_page_bytes;
  start(make_hint_faults_source());
  for (const std::uint64_t page : {stays, moves}) {
    os_.add_perf_record(0, perf_record({100, 100, 5, page, 0, 0, 0}));
  }
  collect_at(10);
  move_to_node_1(moves);  // As the kernel does in the next fault.
  for (const std::uint64_t page : {stays, moves}) {
    os_.add_perf_record(0, perf_record({100, 101, second, page, 0, 0, 4096}));
    os_.add_perf_record(0, perf_record({100, 100, second + 20, page, 0, 0, 4096}));
  }
  collect_at(second + 30);
  now_ = second + 70;
  ASSERT_TRUE(source_->stop(sampling_));
  const Written written(os_);
  ASSERT_EQ(written.samples.size(), 5U) << "without the faults that follow from those";
  EXPECT_EQ(written.samples[3].memory_node, 0U) << "where it was before the fault";
  const Sample& last = written.samples[4];
  EXPECT_EQ(last.flags, sample_closing);
  EXPECT_EQ(last.address, moves);
  EXPECT_EQ(last.memory_node, 1U);
  EXPECT_EQ(last.pid, 100U);
  EXPECT_EQ(last.tid, 101U);
  EXPECT_EQ(last.time_ns, second + 70);
}

TEST_F(HintFaultsTest, RestsBeyondTheBudgetAndGoesOnWithinIt) {
  constexpr std::uint64_t second = 1'000'000'000;
  start(make_hint_faults_source());
  budget_.set_used(600, 1000);
  collect_at(second / 2);
  EXPECT_EQ(balancing_now(), "1") << "a look lasts a second at least";
  collect_at(second);
  EXPECT_EQ(balancing_now(), "0");
  budget_.set_used(600, 2000);
  collect_at(2 * second);
  EXPECT_EQ(balancing_now(), "0") << "another look like the last would cost 600 again";
  budget_.set_used(600, 2400);
  collect_at(3 * second);
  EXPECT_EQ(balancing_now(), "1");
  ASSERT_TRUE(source_->stop(sampling_));
  EXPECT_EQ(balancing_now(), "0");
}

TEST_F(HintFaultsTest, WhereTheKernelBalancesAnywayTheEventRestsAndFaultsCostNothing) {
  os_.set_file(balancing, "1\n");
  start(make_hint_faults_source());
  os_.add_perf_record(0, perf_record({100, 100, 5, 0x3000, 0, 0, 4096}));
  collect_at(10);
  EXPECT_EQ(budget_.faults_ns(), 0U);
  const std::size_t before = os_.count("control_perf_event");
  budget_.set_used(600, 1000);
  collect_at(1'000'000'000);
  EXPECT_GT(os_.count("control_perf_event"), before);
  EXPECT_EQ(balancing_now(), "1\n");
  ASSERT_TRUE(source_->stop(sampling_));
}

TEST_F(HintFaultsTest, NothingIsSwitchedOnWithoutAGuard) {
  os_.fail_call("start_guard", 1, EAGAIN);
  const auto source = make_hint_faults_source();
  EXPECT_FALSE(source->start(sampling_, sampled_pid));
  EXPECT_TRUE(source->stop(sampling_));
  EXPECT_TRUE(os_.written().empty());
}

TEST_F(HintFaultsTest, RefusedSwitchIsUndoneAndSaid) {
  os_.fail_call("write_file", 1, EPERM);
  const auto source = make_hint_faults_source();
  EXPECT_FALSE(source->start(sampling_, sampled_pid));
  EXPECT_TRUE(source->stop(sampling_));
  EXPECT_EQ(balancing_now(), "0");
  os_.fail_call("end_guard", 1, EIO);
  start(make_hint_faults_source());
  const auto stopped = source_->stop(sampling_);
  ASSERT_FALSE(stopped);
  EXPECT_NE(stopped.error().message().find("'echo 0 > /proc/sys/kernel/numa_balancing'"),
            std::string::npos);
}

}  // namespace
}  // namespace homenode::sensing
