#include <cerrno>

#include "sampled.h"

namespace homenode::sensing {
namespace {

constexpr std::uint64_t second = 1'000'000'000;

class SoftDirtyTest : public SampledTest {};

TEST_F(SoftDirtyTest, ArmsAllPagesAndReportsTheFirstWriteOfARound) {
  start(make_soft_dirty_source());
  collect_at(second);
  EXPECT_EQ(os_.written(), (std::vector<std::string>{"/proc/100/clear_refs=4"}));
  os_.add_perf_record(1, perf_record({100, 101, second + 500, 0x2008, 1, 101 * 4096, 4096}));
  collect_at(second + 1000);
  collect_at(2 * second);
  ASSERT_TRUE(source_->stop(sampling_));
  const Written written(os_);
  ASSERT_EQ(written.samples.size(), 1U);
  const Sample& sample = written.samples[0];
  EXPECT_EQ(sample.source, SampleSource::soft_dirty);
  EXPECT_EQ(sample.operation, SampleOperation::write);
  EXPECT_EQ(sample.flags, sample_first_touch | sample_masked);
  EXPECT_EQ(sample.weight, 500U);
  EXPECT_EQ(sample.round, 1U);
  EXPECT_EQ(sample.tid, 101U);
  EXPECT_EQ(sample.cpu_node, 1U);
  EXPECT_EQ(sample.memory_node, 1U);
  EXPECT_EQ(sample.page_shift, 12U);
  EXPECT_EQ(written.document("round"),
            R"({"kind":"round","round":1,"pid":100,"armed_ns":1000000000,)"
            R"("ended_ns":2000000000,"ranges":null,"pages":10})");
}

TEST_F(SoftDirtyTest, FirstUseOfNewMemoryIsNoFirstWriteOfARound) {
  start(make_soft_dirty_source());
  collect_at(second);
  os_.add_perf_record(0, perf_record({100, 100, second + 500, 0x3000, 0, 0, 0}));
  collect_at(second + 1000);
  const Written written(os_);
  ASSERT_EQ(written.samples.size(), 1U);
  EXPECT_EQ(written.samples[0].flags, 0U);
  EXPECT_EQ(written.samples[0].operation, SampleOperation::unknown);
  EXPECT_EQ(written.samples[0].weight, 0U);
}

TEST_F(SoftDirtyTest, FaultOfANullPointerIsNoUse) {
  start(make_soft_dirty_source());
  os_.add_perf_record(0, perf_record({100, 100, 5, 8, 0, 0, 0}));
  os_.add_perf_record(0, perf_record({100, 100, 6, 0x3000, 0, 0, 0}));
  collect_at(10);
  EXPECT_EQ(Written(os_).samples.size(), 1U);
}

TEST_F(SoftDirtyTest, RoundsWaitForTheBudget) {
  start(make_soft_dirty_source());
  budget_.set_used(100, 10);
  collect_at(second);
  EXPECT_TRUE(os_.written().empty());
  budget_.set_used(0, 1000 * second);
  collect_at(2 * second);
  EXPECT_EQ(os_.written().size(), 1U);
}

TEST_F(SoftDirtyTest, ProcessThatHasEndedIsNotArmedAgain) {
  start(make_soft_dirty_source());
  os_.fail_call("write_file", 1, ESRCH);
  collect_at(second);
  EXPECT_TRUE(log_.alive().empty());
}

TEST_F(SoftDirtyTest, ThreadsAndMappingsThatTheKernelReportsGoToTheLog) {
  start(make_soft_dirty_source());
  Bytes fork;
  fork.add(std::uint32_t{200}).add(std::uint32_t{100}).add(std::uint32_t{200});
  fork.add(std::uint32_t{100}).add(std::uint64_t{5});
  os_.add_perf_record(0, perf_record(PERF_RECORD_FORK, fork));
  Bytes lost;
  lost.add(std::uint64_t{1}).add(std::uint64_t{42});
  os_.add_perf_record(0, perf_record(PERF_RECORD_LOST, lost));
  os_.add_perf_record(0, perf_record({100, 100, 7, 0x3000, 0, 0, 0}));
  collect_at(10);
  EXPECT_EQ(log_.alive(), (std::vector<pid_t>{100, 200}));
  EXPECT_EQ(budget_.lost(), 42U);
  EXPECT_EQ(Written(os_).samples.at(0).flags, std::uint32_t{sample_lost_before});
}

TEST_F(SoftDirtyTest, BufferThatGoesRoundIsReadInOnePiece) {
  start(make_soft_dirty_source());
  const std::string record = perf_record({100, 100, 7, 0x3000, 0, 0, 0});
  std::size_t written = 0;
  for (int turn = 0; turn < 5; ++turn) {  // Of 2,000 records of 72 bytes, in 512 KiB.
    for (int i = 0; i < 2000; ++i) os_.add_perf_record(0, record);
    collect_at(10);
    written += 2000;
  }
  const Written all(os_);
  ASSERT_EQ(all.samples.size(), written);
  for (const Sample& sample : all.samples) ASSERT_EQ(sample.address, 0x3000U);
}

TEST_F(SoftDirtyTest, WithoutPrivilegesItAsksForLess) {
  os_.fail_call("open_perf_event", 3, EACCES);  // Behind the events that hold the buffers.
  start(make_soft_dirty_source());
  const perf_event_attr event = os_.perf_events().back();
  EXPECT_EQ(event.exclude_kernel, 1U);
  EXPECT_EQ(event.sample_type & PERF_SAMPLE_PHYS_ADDR, 0U);
}

TEST_F(SoftDirtyTest, WhatTheKernelRefusesIsAnErrorThatSaysWhatToDo) {
  for (const char* call : {"open_perf_event", "map_perf_ring", "map_memory", "list_folder"}) {
    os_.fail_call(call, 1, EPERM);
    const auto source = make_soft_dirty_source();
    const auto started = source->start(sampling_, sampled_pid);
    ASSERT_FALSE(started) << call;
    EXPECT_FALSE(started.error().next.empty()) << call;
    EXPECT_TRUE(source->stop(sampling_)) << call;
  }
}

}  // namespace
}  // namespace homenode::sensing
