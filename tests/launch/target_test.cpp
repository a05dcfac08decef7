// Programs into which nothing can be preloaded: made here, byte for byte.
#include "launch/target.h"

#include <elf.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "fake/fake.h"
#include "os/linux.h"

namespace homenode::launch {
namespace {

os::Linux system_os;

class Folder {
 public:
  Folder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "homenode-XXXXXX").string();
    EXPECT_NE(mkdtemp(pattern.data()), nullptr);
    path_ = pattern;
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() { std::filesystem::remove_all(path_); }

  std::string file(const std::string& name, const std::string& content) const {
    const std::string path = (path_ / name).string();
    std::ofstream(path, std::ios::binary) << content;
    chmod(path.c_str(), 0755);
    return path;
  }

 private:
  std::filesystem::path path_;
};

/// The start of an executable with one segment.
std::string elf(unsigned segment_type) {
  Elf64_Ehdr header{};
  const unsigned char start[] = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64};
  std::copy(std::begin(start), std::end(start), header.e_ident);
  header.e_phoff = sizeof header;
  header.e_phentsize = sizeof(Elf64_Phdr);
  header.e_phnum = 1;
  Elf64_Phdr segment{};
  segment.p_type = segment_type;
  return std::string(reinterpret_cast<const char*>(&header), sizeof header) +
         std::string(reinterpret_cast<const char*>(&segment), sizeof segment);
}

TEST(RunTarget, TellsStaticFromDynamic) {
  const Folder folder;
  EXPECT_TRUE(check_agent_can_enter(system_os, folder.file("dynamic", elf(PT_INTERP))));
  const auto fixed = check_agent_can_enter(system_os, folder.file("static", elf(PT_LOAD)));
  ASSERT_FALSE(fixed);
  EXPECT_EQ(fixed.error().code, ErrorCode::not_supported);
  EXPECT_NE(fixed.error().message().find("statically linked"), std::string::npos);
  const auto of_malloc =
      check_agent_can_enter(system_os, folder.file("static", elf(PT_LOAD)), "give the malloc to");
  ASSERT_FALSE(of_malloc);
  EXPECT_NE(of_malloc.error().message().find("cannot give the malloc to '"), std::string::npos);
}

TEST(RunTarget, TakesHomenodeForWhatItBecomes) {
  const Folder folder;
  const std::string front = folder.file("homenode", elf(PT_LOAD));
  EXPECT_FALSE(check_agent_can_enter(system_os, front)) << "nothing takes over";
  folder.file("homenode-native", elf(PT_INTERP));
  EXPECT_TRUE(check_agent_can_enter(system_os, front));
  folder.file("homenode-native", elf(PT_LOAD));
  EXPECT_FALSE(check_agent_can_enter(system_os, front));
}

TEST(RunTarget, FindsWhatTakesOverInTheInstallationsLibexec) {
  const Folder folder;
  const std::string root = std::filesystem::path(folder.file("x", "")).parent_path().string();
  std::filesystem::create_directories(root + "/bin");
  std::filesystem::create_directories(root + "/libexec/homenode");
  const std::string front = folder.file("bin/homenode", elf(PT_LOAD));
  EXPECT_FALSE(check_agent_can_enter(system_os, front)) << "nothing takes over";
  folder.file("libexec/homenode/homenode-native", elf(PT_INTERP));
  EXPECT_TRUE(check_agent_can_enter(system_os, front));
}

TEST(RunTarget, LooksBehindScripts) {
  const Folder folder;
  const std::string fixed = folder.file("static", elf(PT_LOAD));
  EXPECT_FALSE(check_agent_can_enter(system_os, folder.file("script", "#! " + fixed + " -x\n")));
  EXPECT_TRUE(check_agent_can_enter(system_os, folder.file("shell", "#!/bin/sh\n")));
  EXPECT_TRUE(check_agent_can_enter(
      system_os, folder.file("loop", std::string("#!") + folder.file("loop", "") + "\n")));
}

TEST(RunTarget, TellsProgramsWithOtherRights) {
  const Folder folder;
  const std::string path = folder.file("setuid", elf(PT_INTERP));
  if (chown(path.c_str(), getuid() + 1, getgid()) != 0)
    GTEST_SKIP() << "only root can give files away";
  ASSERT_EQ(chmod(path.c_str(), 04755), 0);
  const auto other = check_agent_can_enter(system_os, path);
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().code, ErrorCode::not_supported);
}

TEST(RunTarget, SaysWhatItMayNotSee) {
  os::Fake kernel;
  kernel.set_file("/bin/closed", elf(PT_LOAD));
  kernel.fail_call("read_file_at", 1, EACCES);
  const auto unread = check_agent_can_enter(kernel, "/bin/closed");
  ASSERT_TRUE(unread);
  ASSERT_EQ(unread->size(), 1U);
  EXPECT_EQ(unread->front(),
            "cannot see whether '/bin/closed' is statically linked (Permission denied); if so, "
            "nothing is placed inside it");
  kernel.fail_call("read_file_at", 1, EMFILE);
  EXPECT_FALSE(check_agent_can_enter(kernel, "/bin/closed"));
  if (getuid() == 0) return;  // Whom no capabilities of files concern.
  kernel.set_file("/bin/open", elf(PT_INTERP));
  kernel.fail_call("attribute_bytes", 1, EPERM);
  EXPECT_EQ(check_agent_can_enter(kernel, "/bin/open")->size(), 1U);
}

TEST(RunTarget, LooksNoFurtherOnPathWhereTheSystemDoesNotSay) {
  os::Fake kernel;
  kernel.fail_call("check_executable", 1, EIO);
  const auto unknown = find_program_file(kernel, "sh");
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().errno_value, EIO);
  kernel.fail_call("check_executable", 1, EACCES);
  EXPECT_TRUE(find_program_file(kernel, "sh")) << "as the start, it goes on to the next folder";
}

TEST(RunTarget, LeavesWhatItCannotReadToTheStart) {
  EXPECT_TRUE(check_agent_can_enter(system_os, "/nonexistent/program"));
  EXPECT_TRUE(check_agent_can_enter(system_os, "no-such-program-anywhere"));
  EXPECT_TRUE(check_agent_can_enter(system_os, "/"));
  const Folder folder;
  EXPECT_TRUE(check_agent_can_enter(system_os, folder.file("short", "\177ELF")));
  EXPECT_TRUE(check_agent_can_enter(system_os, "sh"));
}

}  // namespace
}  // namespace homenode::launch
