// Blocks appended from several processes, and what the file system does against it.
#include "agent/sample_output.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

namespace homenode::agent {
namespace {

class SampleOutputTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string folder = testing::TempDir() + "sample-XXXXXX";
    ASSERT_NE(mkdtemp(folder.data()), nullptr);
    folder_ = folder;
    path_ = folder + "/file";
    const SampleFileHeader header;
    std::ofstream(path_).write(reinterpret_cast<const char*>(&header), sizeof header);
  }
  void TearDown() override {
    unlink(path_.c_str());
    rmdir(folder_.c_str());
  }

  [[nodiscard]] std::string content() const {
    std::ostringstream text;
    text << std::ifstream(path_).rdbuf();
    return text.str();
  }

  /// The contents of the blocks; a last one "cut" where the file is not made of whole blocks.
  [[nodiscard]] std::vector<std::string> blocks() const {
    const std::string text = content();
    std::vector<std::string> found;
    std::size_t at = sizeof(SampleFileHeader);
    while (at < text.size()) {
      SampleBlockHeader header{};
      if (text.size() - at >= sizeof header) {
        std::memcpy(&header, text.data() + at, sizeof header);
        at += sizeof header;
      }
      if (std::memcmp(header.kind, "JSON", 4) != 0 || text.size() - at < header.bytes) {
        found.emplace_back("cut");
        break;
      }
      found.push_back(text.substr(at, header.bytes));
      at += header.bytes;
    }
    return found;
  }

  std::string folder_;
  std::string path_;
  SampleOutput output_;
};

/// Runs in a child process; its exit status is 0 where it gives true.
template <class Work>
bool in_child(Work work) {
  const pid_t child = fork();
  if (child == 0) _exit(work() ? 0 : 1);
  int status = -1;
  waitpid(child, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

using Texts = std::vector<std::string>;

TEST_F(SampleOutputTest, AppendsPartsAsOneBlock) {
  ASSERT_EQ(output_.open(path_.c_str()), 0);
  const std::array<BlockPart, 2> parts = {{{"{\"a\":", 5}, {"1}", 2}}};
  errno = 77;
  EXPECT_TRUE(output_.append("JSON", parts.data(), parts.size()));
  EXPECT_TRUE(output_.append_document("{}", 2));
  EXPECT_EQ(errno, 77);
  EXPECT_EQ(blocks(), (Texts{"{\"a\":1}", "{}"}));
  EXPECT_EQ(output_.lost_blocks(), 0U);
}

TEST_F(SampleOutputTest, AppendsSamplesInTheirLayout) {
  ASSERT_EQ(output_.open(path_.c_str()), 0);
  std::array<Sample, 2> samples;
  samples[1].address = 0x1234;
  ASSERT_TRUE(output_.append_samples(samples.data(), samples.size()));
  const std::string text = content();
  ASSERT_EQ(text.size(), sizeof(SampleFileHeader) + sizeof(SampleBlockHeader) + 128);
  EXPECT_EQ(text.substr(sizeof(SampleFileHeader), 4), "SMPL");
  Sample second;
  std::memcpy(&second, text.data() + text.size() - sizeof second, sizeof second);
  EXPECT_EQ(second.address, 0x1234U);
}

TEST_F(SampleOutputTest, OpensSampleFilesAlone) {
  std::ofstream(path_) << "something else, and longer than a header";
  EXPECT_EQ(output_.open(path_.c_str()), -EINVAL);
  EXPECT_FALSE(output_.is_open());
  EXPECT_FALSE(output_.append_document("{}", 2));
  EXPECT_EQ(output_.open((path_ + ".not").c_str()), -ENOENT);
  EXPECT_EQ(output_.open(std::string(5000, 'x').c_str()), -ENAMETOOLONG);
}

TEST_F(SampleOutputTest, AFifoInItsPlaceDoesNotStopTheProgram) {
  unlink(path_.c_str());
  ASSERT_EQ(mkfifo(path_.c_str(), 0600), 0);
  EXPECT_LT(output_.open(path_.c_str()), 0);
}

TEST_F(SampleOutputTest, BlocksOfThreadsAndProcessesStayWhole) {
  ASSERT_EQ(output_.open(path_.c_str()), 0);
  const auto append_some = [this] {
    const std::string text(1000, ' ');
    for (int i = 0; i < 200; ++i) {
      if (!output_.append_document(text.data(), text.size())) return false;
    }
    return true;
  };
  EXPECT_TRUE(in_child([&] {
    output_.reopen();
    std::thread other([&] { (void)append_some(); });
    const bool all = append_some();
    other.join();
    return all;
  }));
  std::thread other([&] { (void)append_some(); });
  EXPECT_TRUE(append_some());
  other.join();
  EXPECT_EQ(blocks().size(), 800U);
}

TEST_F(SampleOutputTest, AProgramMayCloseAllFilesAndOpenItsOwn) {
  ASSERT_EQ(output_.open(path_.c_str()), 0);
  ASSERT_TRUE(output_.append_document("{}", 2));
  const std::string own = path_ + ".own";
  EXPECT_TRUE(in_child([&] {
    for (int file = 3; file < 1024; ++file) close(file);
    const int kept = open(own.c_str(), O_RDWR | O_CREAT, 0600);
    for (int file = 400; file < 600; ++file) dup2(kept, file);
    return output_.append_document("[1]", 3) && lseek(kept, 0, SEEK_END) == 0;
  }));
  unlink(own.c_str());
  EXPECT_EQ(blocks(), (Texts{"{}", "[1]"}));
}

TEST_F(SampleOutputTest, AFullFileLosesWholeBlocksAndNoSignalComes) {
  ASSERT_EQ(output_.open(path_.c_str()), 0);
  EXPECT_TRUE(in_child([&] {
    const rlimit limit{1500, 1500};
    if (setrlimit(RLIMIT_FSIZE, &limit) != 0) return false;
    const std::string text(1000, ' ');
    const bool first = output_.append_document(text.data(), text.size());
    const bool second = output_.append_document(text.data(), text.size());
    const bool third = output_.append_document("{}", 2);
    return first && !second && third && output_.lost_blocks() == 1;
  }));
  ASSERT_EQ(blocks().size(), 2U);
  EXPECT_EQ(blocks()[1], "{}");
}

TEST_F(SampleOutputTest, FindsItsVariable) {
  std::string other = "HOMENODE_SAMPLER=/b";
  std::string empty = "HOMENODE_SAMPLE=";
  std::string full = "HOMENODE_SAMPLE=/a";
  std::vector<char*> environment = {other.data(), empty.data(), nullptr};
  EXPECT_EQ(find_sample_file(environment.data()), nullptr);
  environment[1] = full.data();
  EXPECT_STREQ(find_sample_file(environment.data()), "/a");
  EXPECT_EQ(find_sample_file(nullptr), nullptr);
}

}  // namespace
}  // namespace homenode::agent
