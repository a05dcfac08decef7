// Samples of the lab's counts, from blocks as the plugin appends them.
#include <gtest/gtest.h>

#include <cstdlib>

#include "os/lab_clock.h"
#include "sampled.h"
#include "sensing/sources/lab_counts.h"

namespace homenode::sensing {
namespace {

std::string block(const char (&kind)[5], const std::string& content) {
  SampleBlockHeader header{{kind[0], kind[1], kind[2], kind[3]},
                           static_cast<std::uint32_t>(content.size())};
  return std::string(reinterpret_cast<const char*>(&header), sizeof header) + content;
}

std::string threads(const std::string& list) {
  return block("JSON", R"({"kind":"lab_threads","threads":[)" + list + "]}");
}

std::string counts(std::uint32_t thread, std::uint64_t address, std::uint32_t uses) {
  Sample sample;
  sample.tid = thread;
  sample.address = address;
  sample.weight = uses;
  return block("SMPL", {reinterpret_cast<const char*>(&sample), sizeof sample});
}

const std::string two_threads = R"({"id":0,"tid":40},{"id":1,"tid":41},{"id":2,"tid":0})";

std::map<std::uint64_t, std::size_t> by_address(const std::vector<Sample>& samples) {
  std::map<std::uint64_t, std::size_t> found;
  for (const Sample& sample : samples) ++found[sample.address];
  return found;
}

TEST(LabCounts, BecomeSamplesOfTheThreadsThatAreNamed) {
  const std::string blocks =
      threads(two_threads) + counts(0, 0x1000, 3) + counts(1, 0x2000, 1) + counts(2, 0x3000, 9);
  const auto samples = samples_of_counts(blocks, {{40, 7}}, 100);
  ASSERT_TRUE(samples);
  ASSERT_EQ(by_address(*samples), (std::map<std::uint64_t, std::size_t>{{0x1000, 3}}));
  EXPECT_EQ(samples->front().tid, 40U);
  EXPECT_EQ(samples->front().pid, 7U);
  EXPECT_EQ(samples->front().weight, 1U);
}

TEST(LabCounts, AreThinnedInProportion) {
  std::string blocks = threads(two_threads);
  for (std::uint64_t page = 0; page < 50; ++page) blocks += counts(0, page << 12U, 10);
  blocks += counts(1, 0xffff000, 500);
  const auto samples = samples_of_counts(blocks, {{40, 7}, {41, 7}}, 100);
  ASSERT_TRUE(samples);
  EXPECT_EQ(samples->size(), 100U);
  EXPECT_EQ(by_address(*samples)[0xffff000], 50U);
  EXPECT_EQ(samples->front().weight, 10U);
}

TEST(LabCounts, AreThoseOfTheLatestRegion) {
  const std::string blocks = threads(two_threads) + counts(0, 0x1000, 3) +
                             threads(R"({"id":0,"tid":41})") + counts(0, 0x2000, 1);
  const auto samples = samples_of_counts(blocks, {{40, 7}, {41, 8}}, 100);
  ASSERT_TRUE(samples);
  EXPECT_EQ(by_address(*samples), (std::map<std::uint64_t, std::size_t>{{0x2000, 1}}));
}

TEST(LabCounts, SayWhatIsNoFileOfThem) {
  const std::string blocks = threads(two_threads) + counts(0, 0x1000, 3);
  for (std::size_t length = 1; length < blocks.size(); ++length) {
    const auto cut = samples_of_counts(blocks.substr(0, length), {{40, 7}}, 100);
    EXPECT_TRUE(!cut || cut->empty()) << length;
  }
  const auto other = samples_of_counts("something else, and long enough", {}, 100);
  ASSERT_FALSE(other);
  EXPECT_NE(other.error().message().find("HOMENODE_LAB_COUNTS"), std::string::npos);
  EXPECT_TRUE(samples_of_counts(block("JSON", "[1"), {}, 100)->empty());
}

/// A process of a lab, which counts into /counts or not at all.
class LabTest : public SampledTest {
 protected:
  ~LabTest() override {
    unsetenv(os::lab_variable);
    unsetenv(os::lab_counts_variable);
  }
};

TEST_F(LabTest, SamplesARunningProcessOnlyWhereTheLabCountsByUnit) {
  const auto source = make_lab_source();
  unsetenv(os::lab_variable);
  EXPECT_FALSE(source->check(os_, request_));
  setenv(os::lab_variable, "quad-4x2", 1);
  const auto counts_nothing = source->check(os_, request_);
  ASSERT_FALSE(counts_nothing);
  EXPECT_NE(counts_nothing.error().message().find("--samples"), std::string::npos);
  setenv(os::lab_counts_variable, "/counts", 1);
  EXPECT_TRUE(source->check(os_, request_));
}

TEST_F(LabTest, SaysThatTheLabDidNotCount) {
  setenv(os::lab_counts_variable, "/counts", 1);
  os_.set_file("/counts", threads(two_threads) + counts(0, 0x1000, 3));
  start(make_lab_source());
  const auto done = source_->stop(sampling_);
  ASSERT_FALSE(done);
  EXPECT_NE(done.error().message().find("region of interest"), std::string::npos);
}

}  // namespace
}  // namespace homenode::sensing
