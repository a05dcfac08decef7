// A process of captured files: what the survey says, and what each refusal of the system gives.
#include "sensing/process_reader.h"

#include <gtest/gtest.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "base/id_list.h"
#include "captured.h"
#include "fake/fake.h"

namespace homenode::sensing {
namespace {

class ProcessReader : public ::testing::Test {
 protected:
  ProcessReader() { system.write_example(); }
  Result<Survey> read(ReadOptions options = {}) { return read_survey(files, 100, options); }

  CapturedSystem system;
  os::Fake os;
  SystemFiles files{os, system.root()};
};

TEST_F(ProcessReader, JoinsMappingsAndThreads) {
  const auto survey = read();
  ASSERT_TRUE(survey) << survey.error().message();
  EXPECT_EQ(survey->name, "my prog");
  EXPECT_EQ(survey->started, 50U);
  EXPECT_EQ(survey->source, "numa_maps");
  EXPECT_EQ(to_list(survey->allowed_memory), "0-1,64");
  EXPECT_EQ(survey->mappings.size(), 9U);
  EXPECT_TRUE(survey->notes.empty());
  ASSERT_EQ(survey->threads.size(), 2U);
  EXPECT_EQ(survey->threads[0].id, 100) << "in the order in which they were started";
  EXPECT_EQ(survey->threads[1].id, 90);
  EXPECT_EQ(survey->threads[1].node, NodeId(1));
  EXPECT_EQ(to_list(survey->threads[1].allowed), "4-7");
}

TEST_F(ProcessReader, AThreadsStackIsFoundByItsStackPointer) {
  const auto survey = read();
  ASSERT_TRUE(survey);
  EXPECT_EQ(survey->mappings[3].group, Group::stack);
  EXPECT_EQ(survey->mappings[3].stack_of, 90);
}

TEST_F(ProcessReader, OnlyNumaMapsReadsNothingElseOfTheProcess) {
  system.remove("proc/100/maps");
  system.remove("proc/100/task");
  const auto survey = read({.only_numa_maps = true});
  ASSERT_TRUE(survey);
  EXPECT_TRUE(survey->notes.empty());
  EXPECT_FALSE(survey->with_threads);
  EXPECT_EQ(survey->mappings.size(), 9U);
}

TEST_F(ProcessReader, NotesWhatCouldNotBeRead) {
  system.remove("proc/100/status");
  system.remove("proc/100/task/90/status");
  system.remove("sys/devices/system/node/node0/cpulist");
  system.remove("sys/devices/system/node/node1/meminfo");
  const auto survey = read();
  ASSERT_TRUE(survey);
  ASSERT_EQ(survey->notes.size(), 4U);
  EXPECT_NE(survey->notes[0].find("/proc/100/status"), std::string::npos);
  EXPECT_EQ(survey->notes[1], "cannot read the CPUs of node 0");
  EXPECT_EQ(survey->notes[2], "cannot read the memory of node 1");
  EXPECT_NE(survey->notes[3].find("/proc/100/task/90/status"), std::string::npos);
}

TEST_F(ProcessReader, AmountsComeFromSmaps) {
  system.write("proc/100/smaps",
               "7f0000000000-7f0000400000 rw-p 00000000 00:00 0 \nAnonHugePages:  2048 kB\n");
  const auto survey = read({.amounts = true});
  ASSERT_TRUE(survey);
  EXPECT_EQ(survey->mappings[2].transparent_huge, 2_MiB);
}

TEST_F(ProcessReader, WithoutNumaMapsTheOnlyNodeHasEverything) {
  system.remove("proc/100/numa_maps");
  system.remove("sys/devices/system/node");
  system.write("proc/100/status", status_text("0-7", "0"));
  system.write("sys/devices/system/cpu/online", "0-7\n");
  system.write("proc/meminfo", "MemTotal: 8192 kB\nMemFree: 4096 kB\n");
  system.write("proc/100/smaps",
               "00600000-00700000 rw-p 00000000 00:00 0    [heap]\nRss:  40 kB\n"
               "7f2000000000-7f2000200000 rw-s 00000000 00:1a 5    /dev/shm/x\nRss:  8 kB\n"
               "7f5000000000-7f6000000000 ---p 00000000 00:00 0\nRss:  0 kB\n");
  const auto survey = read();
  ASSERT_TRUE(survey) << survey.error().message();
  EXPECT_EQ(survey->source, "smaps and the only node");
  EXPECT_EQ(bytes_on_nodes(*survey), (BytesOnNodes{{NodeId(0), 48U << 10U}}));
  EXPECT_EQ(survey->mappings[1].group, Group::shared);
  EXPECT_EQ(survey->notes.size(), 1U);
  EXPECT_EQ(os.count("move_pages"), 0U);
}

/// Nodes 0, 1 and 64 with memory, which is real memory of this test.
struct PagesOfOurOwn {
  explicit PagesOfOurOwn(const CapturedSystem& system)
      : os({.nodes = {NodeId(0), NodeId(1), NodeId(64)}, .node_of_cpu = {{CpuId(0), NodeId(0)}}}) {
    void* address = nullptr;
    EXPECT_EQ(os.map_memory(8 * os.page_bytes(), address), 0);
    auto* const pages = static_cast<char*>(address);
    os.first_touch(pages, 3 * os.page_bytes(), NodeId(1));
    os.first_touch(pages + 3 * os.page_bytes(), os.page_bytes(), NodeId(64));
    first = reinterpret_cast<std::uintptr_t>(address);
    system.write("proc/100/smaps", fmt::format("{:x}-{:x} rw-p 00000000 00:00 0\nRss:  16 kB\n",
                                               first, first + 8 * os.page_bytes()));
  }
  os::Fake os;
  std::uint64_t first = 0;
};

TEST_F(ProcessReader, AnArrayThatSharesTheStacksMappingIsApart) {
  PagesOfOurOwn own(system);
  const std::uint64_t page = own.os.page_bytes();
  const std::uint64_t first = own.first;
  system.write("proc/100/numa_maps",
               fmt::format("{:x} default anon=4 dirty=4 N1=3 N64=1 kernelpagesize_kB=4\n", first));
  system.write("proc/100/maps", fmt::format("{:x}-{:x} ---p 00000000 00:00 0\n"
                                            "{:x}-{:x} rw-p 00000000 00:00 0\n",
                                            first - page, first, first, first + 8 * page));
  system.write("proc/100/limits", fmt::format("Max stack size  {}  unlimited  bytes\n", 3 * page));
  system.write("proc/100/task/90/syscall", fmt::format("7 0x1 0x2 0x{:x} 0x4000\n", first + page));
  const auto survey = read_survey({own.os, system.root()}, 100, {});
  ASSERT_TRUE(survey) << survey.error().message();
  ASSERT_EQ(survey->mappings.size(), 2U);
  EXPECT_EQ(survey->mappings[0].group, Group::stack);
  EXPECT_EQ(survey->mappings[0].stack_of, 90);
  EXPECT_EQ(survey->mappings[0].end, first + 3 * page);
  EXPECT_EQ(survey->mappings[0].pages, (PagesOnNodes{{NodeId(1), 3}}));
  EXPECT_EQ(survey->mappings[1].group, Group::anonymous);
  EXPECT_EQ(survey->mappings[1].first, first + 3 * page);
  EXPECT_EQ(survey->mappings[1].pages, (PagesOnNodes{{NodeId(64), 1}}));
  EXPECT_FALSE(survey->mappings[1].stack_of);
  EXPECT_TRUE(survey->notes.empty());
}

TEST_F(ProcessReader, AStackInABlockOfTheProgramEndsWithItsControlBlock) {
  PagesOfOurOwn own(system);
  const std::uint64_t page = own.os.page_bytes();
  const std::uint64_t first = own.first;
  system.write("proc/100/numa_maps",
               fmt::format("{:x} default anon=4 dirty=4 N1=3 N64=1 kernelpagesize_kB=4\n", first));
  system.write("proc/100/maps",
               fmt::format("{:x}-{:x} rw-p 00000000 00:00 0\n", first, first + 8 * page));
  system.write("proc/100/limits", fmt::format("Max stack size  {}  unlimited  bytes\n", 2 * page));
  system.write("proc/100/task/90/syscall",
               fmt::format("7 0x1 0x2 0x{:x} 0x4000\n", first + page + 64));
  const std::array<std::uint64_t, 3> block{first + 2 * page + 128, 0, first + 2 * page + 128};
  std::string bytes(page, '\0');
  std::memcpy(bytes.data() + 128, block.data(), sizeof block);
  const std::array<std::uint64_t, 2> present{std::uint64_t{1} << 63U, std::uint64_t{1} << 63U};
  own.os.set_bytes(system.root() + "/proc/100/pagemap", (first / page + 1) * 8,
                   {reinterpret_cast<const char*>(present.data()), sizeof present});
  own.os.set_bytes(system.root() + "/proc/100/mem", first + page, std::string(page, '\0'));
  own.os.set_bytes(system.root() + "/proc/100/mem", first + 2 * page, bytes);
  const auto survey = read_survey({own.os, system.root()}, 100, {});
  ASSERT_TRUE(survey) << survey.error().message();
  ASSERT_EQ(survey->mappings.size(), 3U);
  EXPECT_EQ(survey->mappings[0].group, Group::anonymous);
  EXPECT_EQ(survey->mappings[0].end, first + page);
  EXPECT_EQ(survey->mappings[1].group, Group::stack);
  EXPECT_EQ(survey->mappings[1].stack_of, 90);
  EXPECT_EQ(survey->mappings[1].first, first + page);
  EXPECT_EQ(survey->mappings[1].end, first + 3 * page);
  EXPECT_EQ(survey->mappings[2].group, Group::anonymous);
  EXPECT_EQ(survey->mappings[2].pages, (PagesOnNodes{{NodeId(64), 1}}));
  EXPECT_TRUE(survey->notes.empty());
}

TEST_F(ProcessReader, WithoutNumaMapsEachPageIsAskedFor) {
  system.remove("proc/100/numa_maps");
  PagesOfOurOwn own(system);
  const auto survey = read_survey({own.os, system.root()}, 100, {});
  ASSERT_TRUE(survey) << survey.error().message();
  ASSERT_EQ(survey->mappings.size(), 1U);
  EXPECT_EQ(survey->mappings[0].pages, (PagesOnNodes{{NodeId(1), 3}, {NodeId(64), 1}}));
}

TEST_F(ProcessReader, WithoutNumaMapsARefusedQueryIsToldOf) {
  system.remove("proc/100/numa_maps");
  PagesOfOurOwn own(system);
  own.os.fail_call("move_pages", 1, EPERM);
  const auto survey = read_survey({own.os, system.root()}, 100, {});
  ASSERT_FALSE(survey);
  EXPECT_EQ(survey.error().code, ErrorCode::not_supported);
  EXPECT_NE(survey.error().next.find("CAP_SYS_PTRACE"), std::string::npos);
}

TEST_F(ProcessReader, AProcessThatIsNotThere) {
  const auto survey = read_survey(files, 101, {});
  ASSERT_FALSE(survey);
  EXPECT_EQ(survey.error().code, ErrorCode::failed);
  EXPECT_EQ(survey.error().tried, "there is no process 101");
}

TEST_F(ProcessReader, AThreadOfTheKernelHasNoMemory) {
  system.write("proc/100/numa_maps", "");
  system.write("proc/100/stat", stat_line({.id = 100, .flags = 0x208040}));
  const auto survey = read();
  ASSERT_FALSE(survey);
  EXPECT_NE(survey.error().message().find("kernel thread"), std::string::npos);
}

TEST_F(ProcessReader, AProcessWhoseMemoryIsGoneHasEnded) {
  system.write("proc/100/numa_maps", "");
  // It still ran when its first file was read; it is exiting; it waits for its parent.
  for (const StatWords& words :
       {StatWords{.id = 100, .state = 'R'}, StatWords{.id = 100, .state = 'R', .flags = 0x40010c},
        StatWords{.id = 100, .state = 'Z'}}) {
    system.write("proc/100/stat", stat_line(words));
    EXPECT_EQ(read().error().message(),
              "process 100 (program) has no memory of its own; it has ended or is ending");
  }
}

TEST_F(ProcessReader, AnotherUsersProcessNeedsACapability) {
  // The first two files, stat and status, may be read by everybody; then come the nodes' seven.
  os.fail_call("read_file", 10, EACCES);
  const auto survey = read();
  ASSERT_TRUE(os.has_failed());
  ASSERT_FALSE(survey);
  EXPECT_EQ(survey.error().code, ErrorCode::not_supported);
  EXPECT_EQ(survey.error().tried, "cannot read /proc/100/numa_maps");
  EXPECT_NE(survey.error().next.find("CAP_SYS_PTRACE"), std::string::npos);
}

TEST_F(ProcessReader, EveryFailingReadIsAnErrorANoteOrLeavesOneThingOut) {
  const auto whole = read();
  ASSERT_TRUE(whole);
  for (int errno_value : {EACCES, EPERM, ENOENT, ESRCH, EIO, ENOMEM, EMFILE}) {
    for (unsigned nth = 1;; ++nth) {
      os.fail_call("", nth, errno_value);
      const auto survey = read();
      if (!os.has_failed()) {
        EXPECT_GT(nth, 12U);
        break;
      }
      SCOPED_TRACE(fmt::format("call {}, errno {}", nth, errno_value));
      if (!survey) {
        EXPECT_FALSE(survey.error().next.empty());
        EXPECT_EQ(survey.error().message().find('\n'), std::string::npos);
        continue;
      }
      EXPECT_LE(survey->threads.size(), 2U);
      EXPECT_EQ(survey->mappings.size(), 9U);
      EXPECT_EQ(bytes_on_nodes(*survey), bytes_on_nodes(*whole)) << "no page is lost silently";
    }
    os.fail_call("", 0, 0);
  }
}

TEST_F(ProcessReader, AProcessIsKnownByItsStart) {
  EXPECT_TRUE(is_running(files, 100, 50));
  EXPECT_FALSE(is_running(files, 100, 51)) << "the number was given to another process";
  EXPECT_FALSE(is_running(files, 101, 50));
  os.fail_call("read_file", 1, EMFILE);
  EXPECT_TRUE(is_running(files, 100, 50)) << "that it cannot be seen does not mean that it ended";
  os.fail_call("read_file", 1, ESRCH);
  EXPECT_FALSE(is_running(files, 100, 50));
  system.write("proc/100/stat", stat_line({.id = 100, .started = 50, .state = 'Z'}));
  EXPECT_FALSE(is_running(files, 100, 50));
  system.write("proc/100/stat", stat_line({.id = 100, .started = 50, .state = 'R', .flags = 0x4}));
  EXPECT_FALSE(is_running(files, 100, 50)) << "its memory is gone before it is a zombie";
}

}  // namespace
}  // namespace homenode::sensing
