#include "lab/plugin/counts.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace homenode::lab {
namespace {

class CountsFileTest : public ::testing::Test {
 protected:
  CountsFileTest() {
    std::string name = std::filesystem::temp_directory_path() / "homenode-counts-XXXXXX";
    directory_ = ::mkdtemp(name.data());
  }
  ~CountsFileTest() override { std::filesystem::remove_all(directory_); }

  [[nodiscard]] std::string path() const { return directory_ / "counts"; }
  [[nodiscard]] std::string content() const {
    std::ostringstream text;
    text << std::ifstream(path()).rdbuf();
    return text.str();
  }

 private:
  std::filesystem::path directory_;
};

TEST_F(CountsFileTest, ShowsEachLineAtOnce) {
  const auto file = CountsFile::open(path());
  ASSERT_TRUE(file);
  EXPECT_EQ(content(), "");
  EXPECT_TRUE(file->append("one\n"));
  EXPECT_EQ(content(), "one\n");
  EXPECT_TRUE(file->append("two\n"));
  EXPECT_EQ(content(), "one\ntwo\n");
}

TEST_F(CountsFileTest, KeepsWhatIsThere) {
  std::ofstream(path()) << "before\n";
  const auto file = CountsFile::open(path());
  ASSERT_TRUE(file);
  EXPECT_TRUE(file->append("after\n"));
  EXPECT_EQ(content(), "before\nafter\n");
}

TEST_F(CountsFileTest, CannotBeOpenedWhereThereIsNoFolder) {
  const auto file = CountsFile::open(path() + "/below/counts");
  ASSERT_FALSE(file);
  EXPECT_EQ(file.error().errno_value, ENOENT);
  EXPECT_NE(file.error().tried.find("cannot write"), std::string::npos);
}

TEST_F(CountsFileTest, SaysWhenTheDiskIsFull) {
  const auto file = CountsFile::open("/dev/full");
  ASSERT_TRUE(file);
  const auto written = file->append("line\n");
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().errno_value, ENOSPC);
  EXPECT_NE(written.error().tried.find("cannot write /dev/full"), std::string::npos);
}

}  // namespace
}  // namespace homenode::lab
