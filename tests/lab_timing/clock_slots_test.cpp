#include "lab/timing/clock_slots.h"

#include <gtest/gtest.h>

#include <array>
#include <cerrno>
#include <filesystem>
#include <fstream>

namespace homenode::lab {
namespace {

/// A file of zeros that goes away with the test.
class ClockFile {
 public:
  explicit ClockFile(std::uintmax_t bytes)
      : path_(testing::TempDir() + "homenode-clock-" +
              testing::UnitTest::GetInstance()->current_test_info()->name()) {
    const std::ofstream created(path_);
    std::filesystem::resize_file(path_, bytes);
  }
  ClockFile(const ClockFile&) = delete;
  ClockFile& operator=(const ClockFile&) = delete;
  ~ClockFile() { std::filesystem::remove(path_); }

  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] std::uint64_t slot(std::streamoff index) const {
    std::ifstream file(path_, std::ios::binary);
    std::array<char, 8> bytes{};
    file.seekg(index * 8).read(bytes.data(), bytes.size());
    std::uint64_t value = 0;
    for (std::size_t i = bytes.size(); i-- > 0;) {
      value = value << 8U | static_cast<unsigned char>(bytes[i]);
    }
    return value;
  }

 private:
  std::string path_;
};

TEST(ClockSlots, AreSeenByWhoeverReadsTheFile) {
  const ClockFile file(65536);
  const auto slots = ClockSlots::open(file.path());
  ASSERT_TRUE(slots);
  EXPECT_EQ(slots->size(), 8192U);
  slots->set(0, 1);
  slots->set(8191, 0x1122334455667788);
  EXPECT_EQ(file.slot(0), 1U);
  EXPECT_EQ(file.slot(1), 0U);
  EXPECT_EQ(file.slot(8191), 0x1122334455667788U);
}

TEST(ClockSlots, IgnoreSlotsThatThereAreNot) {
  const ClockFile file(20);
  const auto slots = ClockSlots::open(file.path());
  ASSERT_TRUE(slots);
  EXPECT_EQ(slots->size(), 2U);
  slots->set(2, 9);
  slots->set(~std::uint64_t{0}, 9);
  slots->set(1, 7);
  EXPECT_EQ(file.slot(1), 7U);
  EXPECT_EQ(std::filesystem::file_size(file.path()), 20U);
}

TEST(ClockSlots, SayWhichFileCannotBeUsed) {
  const auto missing = ClockSlots::open("/no/such/clock");
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code, ErrorCode::failed);
  EXPECT_EQ(missing.error().errno_value, ENOENT);
  EXPECT_NE(missing.error().tried.find("/no/such/clock"), std::string::npos);
  const ClockFile empty(0);
  const auto nothing = ClockSlots::open(empty.path());
  ASSERT_FALSE(nothing);
  EXPECT_NE(nothing.error().tried.find(empty.path()), std::string::npos);
  EXPECT_FALSE(ClockSlots::open(testing::TempDir()));
}

}  // namespace
}  // namespace homenode::lab
