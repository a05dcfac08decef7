#include "sensing/sources/process_log.h"

#include <gtest/gtest.h>

#include "fake/fake.h"

namespace homenode::sensing {
namespace {

constexpr const char* maps =
    "00400000-00452000 r-xp 00001000 08:02 173521      /usr/bin/my prog\n"
    "7f00-8f00 rw-p 00000000 00:00 0 \n"
    "broken line\n"
    "7fff0000-7fff1000 rw-p 00000000 00:00 0          [stack]\n";

class ProcessLogTest : public testing::Test {
 protected:
  /// What has been written since the last call.
  std::string news() {
    std::string content;
    EXPECT_EQ(os_.read_file("/out", content), 0);
    return content.substr(std::exchange(seen_, content.size()));
  }

  os::Fake os_;
  Result<SampleFile> file_ = SampleFile::create(os_, "/out");
  ProcessLog log_{os_, *file_};
  std::size_t seen_ = 0;
};

TEST_F(ProcessLogTest, MappingsAreReadAsTheKernelWritesThem) {
  const auto mappings = parse_sampled_mappings(maps);
  ASSERT_EQ(mappings.size(), 3U);
  EXPECT_EQ(mappings[0], (SampledMapping{0x400000, 0x452000, "r-xp", 0x1000, "/usr/bin/my prog"}));
  EXPECT_EQ(mappings[1].path, "");
  EXPECT_EQ(mappings[2].path, "[stack]");
}

TEST_F(ProcessLogTest, WritesOnlyWhatHasChanged) {
  os_.set_file("/proc/7/maps", maps);
  os_.set_file("/proc/7/task/7/comm", "solver\n");
  log_.add_process(7);
  ASSERT_TRUE(log_.write_changes(1, true));
  const std::string first = news();
  EXPECT_NE(first.find("my prog"), std::string::npos);
  EXPECT_NE(first.find(R"({"tid":7,"name":"solver"})"), std::string::npos);
  ASSERT_TRUE(log_.write_changes(2, true));
  EXPECT_EQ(news(), "");
  os_.set_file("/proc/7/task/8/comm", "worker\n");
  ASSERT_TRUE(log_.write_changes(3, true));
  EXPECT_NE(news().find("worker"), std::string::npos);
}

TEST_F(ProcessLogTest, ProcessThatEndsBeforeItIsReadLeavesWhatWasReported) {
  log_.add_thread(9, 10, "brief");
  log_.add_mapping(9, {0x1000, 0x2000, "rw-p", 0, "/lib/x.so"});
  ASSERT_TRUE(log_.write_changes(1, false));
  const std::string text = news();
  EXPECT_NE(text.find("/lib/x.so"), std::string::npos);
  EXPECT_NE(text.find("brief"), std::string::npos);
}

TEST_F(ProcessLogTest, FindsChildrenOfChildren) {
  os_.set_file("/proc/7/task/7/children", "8 ");
  os_.set_file("/proc/8/task/8/children", "9 10 ");
  log_.add_process(7);
  log_.find_children();
  EXPECT_EQ(log_.alive(), (std::vector<pid_t>{7, 8, 9, 10}));
}

TEST_F(ProcessLogTest, ProcessorTimeOfThoseThatEndedStays) {
  os_.add_process(7, 100);
  os_.add_process(8, 20);
  log_.add_process(7);
  log_.add_process(8);
  EXPECT_EQ(log_.cpu_ns(), 120U);
  log_.end_process(8);
  EXPECT_EQ(log_.cpu_ns(), 120U);
}

}  // namespace
}  // namespace homenode::sensing
