// What a sampled program is started with.
#include "launch/sampling.h"

#include <elf.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>

#include "os/linux.h"

namespace homenode::launch {
namespace {

os::Linux sampling_os;

/// A folder that has the agent, and a program.
class Installed {
 public:
  Installed() {
    std::string pattern = (std::filesystem::temp_directory_path() / "homenode-XXXXXX").string();
    EXPECT_NE(mkdtemp(pattern.data()), nullptr);
    path_ = std::filesystem::canonical(pattern);
    std::ofstream(path_ / "libhomenode-agent.so") << "";
  }
  Installed(const Installed&) = delete;
  Installed& operator=(const Installed&) = delete;
  ~Installed() { std::filesystem::remove_all(path_); }

  [[nodiscard]] std::string program(unsigned segment_type) const {
    Elf64_Ehdr header{};
    const unsigned char start[] = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64};
    std::copy(std::begin(start), std::end(start), header.e_ident);
    header.e_phoff = sizeof header;
    header.e_phentsize = sizeof(Elf64_Phdr);
    header.e_phnum = 1;
    Elf64_Phdr segment{};
    segment.p_type = segment_type;
    const std::string file = (path_ / "program").string();
    std::ofstream stream(file, std::ios::binary);
    stream.write(reinterpret_cast<const char*>(&header), sizeof header);
    stream.write(reinterpret_cast<const char*>(&segment), sizeof segment);
    stream.close();
    chmod(file.c_str(), 0755);
    return file;
  }
  [[nodiscard]] std::string folder() const { return path_.string(); }

  /// The environment of a program of ours, `present` being set already.
  [[nodiscard]] Result<SamplingEnvironment> environment(
      const std::string& name, const std::string& present,
      const std::vector<std::string>& libraries = {}) const {
    return sampling_environment(
        sampling_os, name, "samples", "/nowhere/bin/homenode",
        [&](const std::string& variable) -> std::string {
          if (variable == "HOMENODE_LIBEXEC") return folder();
          return variable == "LD_PRELOAD" || variable == "ASAN_OPTIONS" ? present : "";
        },
        libraries);
  }

 private:
  std::filesystem::path path_;
};

std::string value(const SamplingEnvironment& environment, const std::string& name) {
  const std::map<std::string, std::string> all(environment.variables.begin(),
                                               environment.variables.end());
  const auto found = all.find(name);
  return found == all.end() ? "" : found->second;
}

TEST(Sampling, PreloadsBehindWhatIsThereAndNamesTheFileWhole) {
  const Installed installed;
  const auto found = installed.environment(installed.program(PT_INTERP), "/there.so");
  ASSERT_TRUE(found);
  EXPECT_TRUE(found->notes.empty());
  EXPECT_EQ(value(*found, "LD_PRELOAD"),
            "/there.so:" + installed.folder() + "/libhomenode-sites.so");
  EXPECT_EQ(value(*found, "HOMENODE_SAMPLE"),
            (std::filesystem::current_path() / "samples").string());
}

TEST(Sampling, PreloadsTheLibrariesThatAreAskedFor) {
  const Installed installed;
  const auto found = installed.environment(installed.program(PT_INTERP), "", {"a.so", "b.so"});
  ASSERT_TRUE(found);
  EXPECT_EQ(value(*found, "LD_PRELOAD"),
            installed.folder() + "/a.so:" + installed.folder() + "/b.so");
}

TEST(Sampling, HasAddressSanitizerAcceptALibraryBeforeItsOwn) {
  const Installed installed;
  const auto found = installed.environment(installed.program(PT_INTERP), "detect_leaks=0");
  ASSERT_TRUE(found);
  EXPECT_EQ(value(*found, "ASAN_OPTIONS"), "verify_asan_link_order=0:detect_leaks=0");
}

TEST(Sampling, OfAStaticProgramItSaysSoAndGoesOn) {
  const Installed installed;
  const auto found = installed.environment(installed.program(PT_LOAD), "");
  ASSERT_TRUE(found);
  ASSERT_EQ(found->notes.size(), 1U);
  EXPECT_NE(found->notes[0].find("cannot record the allocations of '"), std::string::npos);
  EXPECT_NE(found->notes[0].find("statically linked"), std::string::npos);
  EXPECT_NE(found->notes[0].find("by mapping"), std::string::npos);
  EXPECT_FALSE(value(*found, "HOMENODE_SAMPLE").empty());
}

TEST(Sampling, SaysWhereTheAgentIsMissing) {
  const auto found =
      sampling_environment(sampling_os, "/bin/sh", "samples", "/nowhere/bin/homenode",
                           [](const std::string&) { return std::string(); });
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().code, ErrorCode::failed);
}

}  // namespace
}  // namespace homenode::launch
