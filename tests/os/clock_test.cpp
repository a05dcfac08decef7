#include "os/clock.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <vector>

#include "os/lab_clock.h"

namespace homenode::os {
namespace {

/// A file such as the lab shares with its guest; the plugin's part is played by the test.
class SharedSlots {
 public:
  explicit SharedSlots(std::size_t slots)
      : path_(std::filesystem::temp_directory_path() / fmt::format("homenode-clock-{}", getpid())) {
    std::vector<std::uint64_t> values(slots);
    for (std::size_t i = 0; i < slots; ++i) values[i] = 1'000'000 + i;
    std::ofstream(path_, std::ios::binary)
        .write(reinterpret_cast<const char*>(values.data()),
               static_cast<std::streamsize>(slots * sizeof(std::uint64_t)));
  }
  SharedSlots(const SharedSlots&) = delete;
  SharedSlots& operator=(const SharedSlots&) = delete;
  ~SharedSlots() { std::filesystem::remove(path_); }
  [[nodiscard]] std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

TEST(SteadyClock, NeverRunsBackwardsAndIsNotModelled) {
  SteadyClock clock;
  EXPECT_FALSE(clock.modelled());
  const std::uint64_t before = clock.now_ps(0);
  EXPECT_GT(before, 0U);
  EXPECT_GE(clock.now_ps(1), before);
}

TEST(LabClock, ReadsTheSlotOfTheCaller) {
  const SharedSlots file(clock_slots);
  const auto clock = LabClock::open(file.path());
  ASSERT_TRUE(clock) << clock.error().message();
  EXPECT_TRUE((*clock)->modelled());
  EXPECT_EQ((*clock)->now_ps(0), 1'000'000U);
  EXPECT_EQ((*clock)->now_ps(7), 1'000'007U);
  EXPECT_EQ((*clock)->now_ps(clock_slots - 1), 1'000'000U + clock_slots - 1);
}

TEST(LabClock, SeesWhatIsWrittenLater) {
  const SharedSlots file(clock_slots);
  const auto clock = LabClock::open(file.path());
  ASSERT_TRUE(clock);
  const std::uint64_t later = 42;
  std::fstream(file.path(), std::ios::binary | std::ios::in | std::ios::out)
      .write(reinterpret_cast<const char*>(&later), sizeof later);
  EXPECT_EQ((*clock)->now_ps(0), later);
}

TEST(LabClock, NamesAFileThatIsMissingOrTooShort) {
  const auto missing = LabClock::open("/nonexistent/resource2");
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code, ErrorCode::failed);
  EXPECT_NE(missing.error().message().find("/nonexistent/resource2"), std::string::npos);
  const SharedSlots file(clock_slots - 1);
  EXPECT_FALSE(LabClock::open(file.path()));
}

TEST(OpenClock, TakesTheLabsWhereTheEnvironmentNamesIt) {
  const SharedSlots file(clock_slots);
  setenv(lab_clock_variable, file.path().c_str(), 1);
  const auto modelled = open_clock();
  unsetenv(lab_clock_variable);
  ASSERT_TRUE(modelled);
  EXPECT_TRUE((*modelled)->modelled());
  const auto steady = open_clock();
  ASSERT_TRUE(steady);
  EXPECT_FALSE((*steady)->modelled());
}

TEST(OpenClock, IsNotTheHostsInsideALab) {
  setenv(lab_variable, "quad-4x2", 1);
  const auto none = open_clock();
  unsetenv(lab_variable);
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().code, ErrorCode::not_supported);
  EXPECT_NE(none.error().message().find("quad-4x2"), std::string::npos);
}

TEST(OpenClock, NamesTheOptionThatLeavesTheLabWithoutOne) {
  setenv(lab_variable, "quad", 1);
  setenv(lab_without_clock_variable, "--no-plugin", 1);
  const auto clock = open_clock();
  unsetenv(lab_variable);
  unsetenv(lab_without_clock_variable);
  ASSERT_FALSE(clock);
  EXPECT_EQ(clock.error().code, ErrorCode::not_supported);
  EXPECT_NE(clock.error().message().find("because of --no-plugin"), std::string::npos);
}

}  // namespace
}  // namespace homenode::os
