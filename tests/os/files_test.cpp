// Files that are looked at: on the system that the test runs on, and those of the fake kernel.
#include "os/files.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "fake/fake.h"
#include "os/linux.h"

namespace homenode::os {
namespace {

namespace fs = std::filesystem;
using Names = std::vector<std::string>;

class LinuxFiles : public ::testing::Test {
 protected:
  LinuxFiles() {
    std::string pattern = (fs::temp_directory_path() / "homenode-files-XXXXXX").string();
    folder = fs::canonical(mkdtemp(pattern.data())).string();
    std::ofstream(folder + "/b") << "some text";
    fs::create_directory(folder + "/a");
    fs::create_symlink("b", folder + "/c");
  }
  ~LinuxFiles() override { fs::remove_all(folder); }

  std::string folder;
  Linux os;
};

TEST_F(LinuxFiles, AFolderListsItsNamesInOrder) {
  Names names{"from before"};
  EXPECT_EQ(os.list_folder(folder, names), 0);
  EXPECT_EQ(names, (Names{"a", "b", "c"}));
  EXPECT_EQ(os.list_folder(folder + "/nowhere", names), -ENOENT);
  EXPECT_TRUE(names.empty());
  EXPECT_EQ(os.list_folder(folder + "/b", names), -ENOTDIR);
}

TEST_F(LinuxFiles, TheStatusIsThatOfTheFileBehindALink) {
  FileStatus file;
  FileStatus link;
  ASSERT_EQ(os.file_status(folder + "/b", file), 0);
  ASSERT_EQ(os.file_status(folder + "/c", link), 0);
  EXPECT_TRUE(S_ISREG(link.mode));
  EXPECT_EQ(link.inode, file.inode);
  EXPECT_EQ(link.device, file.device);
  EXPECT_EQ(link.owner, getuid());
  EXPECT_EQ(os.file_status(folder + "/nowhere", file), -ENOENT);
  ASSERT_EQ(os.file_status("/dev/null", file), 0);
  EXPECT_TRUE(S_ISCHR(file.mode));
  EXPECT_NE(file.special_device, 0U);
}

TEST_F(LinuxFiles, LinksAndPathsAreResolved) {
  std::string text;
  EXPECT_EQ(os.read_link(folder + "/c", text), 0);
  EXPECT_EQ(text, "b");
  EXPECT_EQ(os.read_link(folder + "/b", text), -EINVAL);
  EXPECT_EQ(os.resolve_path(folder + "/a/../c", text), 0);
  EXPECT_EQ(text, folder + "/b");
  EXPECT_EQ(os.resolve_path(folder + "/nowhere", text), -ENOENT);
}

TEST_F(LinuxFiles, AProgramIsAskedWhatItSays) {
  EXPECT_EQ(os.check_executable("/bin/sh"), 0);
  EXPECT_EQ(os.check_executable(folder + "/b"), -EACCES);
  std::string output = "from before";
  EXPECT_EQ(os.output_of({"/bin/sh", "-c", "echo said; echo complained >&2"}, output), 0);
  EXPECT_EQ(output, "said\n");
  EXPECT_EQ(os.output_of({"/bin/sh", "-c", "echo half; exit 3"}, output), 3);
  EXPECT_EQ(output, "half\n");
  EXPECT_EQ(os.output_of({"/bin/sh", "-c", "kill -9 $$"}, output), 128 + 9);
  EXPECT_EQ(os.output_of({folder + "/nowhere"}, output), -ENOENT);
  EXPECT_EQ(os.output_of({}, output), -EINVAL);
}

TEST_F(LinuxFiles, AProgramOnPathFiltersAnInputOfAnyLength) {
  const std::string input(std::size_t{1} << 20, 'x');
  Printed printed{"from before", "too"};
  EXPECT_EQ(os.filter({"sh", "-c", "cat; cat >&2; echo complained >&2; exit 3"}, input, printed),
            3);
  EXPECT_EQ(printed.output, input);
  EXPECT_EQ(printed.errors, "complained\n");
  EXPECT_EQ(os.filter({"cat"}, "", printed), 0);
  EXPECT_EQ(printed.output, "");
  EXPECT_EQ(os.filter({"sh", "-c", "kill -9 $$"}, "", printed), 128 + 9);
  EXPECT_EQ(os.filter({folder + "/nowhere"}, "", printed), -ENOENT);
  EXPECT_EQ(os.filter({folder + "/b"}, "", printed), -EACCES);
  EXPECT_EQ(os.filter({}, "", printed), -EINVAL);
}

TEST_F(LinuxFiles, AnExitCodeIsKnownWhereTheEndOfChildrenIsIgnored) {
  const auto before = signal(SIGCHLD, SIG_IGN);
  std::string output;
  EXPECT_EQ(os.output_of({"/bin/sh", "-c", "exit 3"}, output), 3);
  EXPECT_EQ(signal(SIGCHLD, before), SIG_IGN);
}

TEST_F(LinuxFiles, AFileWithoutAnAttributeSaysSo) {
  const int bytes = os.attribute_bytes(folder + "/b", "user.homenode");
  EXPECT_TRUE(bytes == -ENODATA || bytes == -EOPNOTSUPP) << bytes;
  EXPECT_EQ(os.attribute_bytes(folder + "/nowhere", "user.homenode"), -ENOENT);
}

TEST(FakeFiles, AreListedReadAndLookedAt) {
  Fake os;
  os.set_root("/no such folder");
  os.set_file("/proc/7/stat", "seven");
  os.set_file("/proc/7/maps", "");
  os.set_file("/proc/12/stat", "twelve");
  os.set_file("/process", "");
  Names names;
  EXPECT_EQ(os.list_folder("/proc", names), 0);
  EXPECT_EQ(names, (Names{"12", "7"}));
  EXPECT_EQ(os.list_folder("/proc/9", names), -ENOENT);
  FileStatus status;
  EXPECT_EQ(os.file_status("/proc/7/stat", status), 0);
  EXPECT_TRUE(S_ISREG(status.mode));
  EXPECT_EQ(os.file_status("/proc/9", status), -ENOENT);
  char middle[3] = {};
  EXPECT_EQ(os.read_file_at("/proc/12/stat", 2, middle), 3);
  EXPECT_EQ(std::string(middle, 3), "elv");
  EXPECT_EQ(os.read_file_at("/proc/12/stat", 99, middle), 0);
}

TEST(FakeFiles, FailuresHappenOneAfterTheOther) {
  Fake os;
  os.set_file("/a", "");
  std::string text;
  os.fail_call("read_file", 2, EIO);
  os.then_fail_call("", 1, EACCES);
  EXPECT_EQ(os.read_file("/a", text), 0);
  EXPECT_EQ(os.read_file("/a", text), -EIO);
  EXPECT_FALSE(os.has_failed()) << "one is to come";
  EXPECT_EQ(os.check_executable("/a"), -EACCES);
  EXPECT_TRUE(os.has_failed());
  EXPECT_EQ(os.check_executable("/a"), 0);
}

}  // namespace
}  // namespace homenode::os
