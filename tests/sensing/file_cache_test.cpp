// The page cache of a file, on the kernel that this runs on.
#include "sensing/file_cache.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <fstream>

#include "fake/fake.h"
#include "os/linux.h"

namespace homenode::sensing {
namespace {

class FileCacheOf : public ::testing::Test {
 protected:
  FileCacheOf() : path_(testing::TempDir() + "homenode-cached-" + std::to_string(getpid())) {}
  ~FileCacheOf() override { std::filesystem::remove(path_); }

  void write(std::size_t bytes) const { std::ofstream(path_) << std::string(bytes, 'x'); }

  std::string path_;
  os::Linux os;
};

TEST_F(FileCacheOf, WhatWasJustWrittenIsCachedOnSomeNode) {
  write(1'000'000);
  const auto found = read_file_cache(os, path_);
  ASSERT_TRUE(found) << found.error().message();
  EXPECT_EQ(found->size.value, 1'000'000U);
  const std::uint64_t pages = (1'000'000 + os.page_bytes() - 1) / os.page_bytes();
  EXPECT_EQ(found->cached.value, pages * os.page_bytes());
  EXPECT_EQ(sum_of(found->on_nodes) + found->unknown.value, found->cached.value);
  EXPECT_EQ(found->unknown.value, 0U);
}

TEST_F(FileCacheOf, WhatIsNotCachedIsNotRead) {
  constexpr std::size_t bytes = 8U << 20U;
  write(bytes);
  const int file = open(path_.c_str(), O_RDONLY | O_CLOEXEC);
  ASSERT_GE(file, 0);
  fsync(file);
  posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED);
  close(file);
  const auto first = read_file_cache(os, path_);
  ASSERT_TRUE(first) << first.error().message();
  if (first->cached.value == bytes) GTEST_SKIP() << "this file system keeps what it is to drop";
  const auto again = read_file_cache(os, path_);
  ASSERT_TRUE(again);
  EXPECT_EQ(again->cached.value, first->cached.value) << "looking brought nothing in";
}

TEST_F(FileCacheOf, AnEmptyFileHasNone) {
  write(0);
  const auto found = read_file_cache(os, path_);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->cached.value, 0U);
  EXPECT_TRUE(found->on_nodes.empty());
}

TEST_F(FileCacheOf, WhatIsNoFileFails) {
  EXPECT_EQ(read_file_cache(os, "/nonexistent").error().errno_value, ENOENT);
  EXPECT_EQ(read_file_cache(os, "/").error().errno_value, ENODEV);
  EXPECT_EQ(read_file_cache(os, "/dev/null").error().errno_value, ENODEV);
}

constexpr const char* name = "/a/file";

TEST(FileCacheRefused, AFileOfOthersIsNotSupportedAndNotMapped) {
  os::Fake os;
  os.add_viewed_file(name, 100, false);
  const auto found = read_file_cache(os, name);
  ASSERT_FALSE(found);
  EXPECT_NE(found.error().message().find("owner"), std::string::npos);
  EXPECT_EQ(os.count("map_memory"), 0U);
  EXPECT_EQ(os.count("close_file"), 1U);
}

TEST(FileCacheRefused, EveryRefusalIsToldAndLeavesNoMapping) {
  for (const char* call :
       {"open_viewed_file", "map_memory", "find_cached_pages", "move_pages", "advise_memory"}) {
    os::Fake os;
    os.add_viewed_file(name, 100);
    os.fail_call(call, 1, EINVAL);
    EXPECT_FALSE(read_file_cache(os, name)) << call;
    EXPECT_EQ(os.mappings(), 0U);
    EXPECT_EQ(os.count("close_file"), std::string(call) == "open_viewed_file" ? 0U : 1U);
  }
}

TEST(FileCacheRefused, PagesThatVanishMeanwhileAreUnknown) {
  os::Fake os;
  os.add_viewed_file(name, 3 * os::fake_page_bytes);
  os.fail_call("advise_memory", 1, EFAULT);
  const auto found = read_file_cache(os, name);
  ASSERT_TRUE(found) << found.error().message();
  EXPECT_EQ(found->cached.value, 3 * os::fake_page_bytes);
  EXPECT_EQ(found->unknown.value, 3 * os::fake_page_bytes);
}

}  // namespace
}  // namespace homenode::sensing
