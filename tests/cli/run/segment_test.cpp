// Shared memory on the command line: what the options ask for, and what is done against the fake
// kernel, which keeps files and segments from one command to the next.
#include "launch/segment.h"

#include <gtest/gtest.h>
#include <linux/mempolicy.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "cli/run/facts.h"
#include "os/linux.h"
#include "support/command_line.h"
#include "support/sanitized.h"

namespace homenode::cli {
namespace {

using Kind = launch::RunSetting::Kind;
using Step = actuation::SegmentRequest::Step;
using SegmentWords = std::vector<std::string>;

TEST(RunSegment, ReadsBytesAsNumactlDoes) {
  const auto length_of = [](const char* text) {
    std::vector<launch::RunSetting> settings{{Kind::length, text}, {Kind::shm, "/run/key"}};
    return launch::take_segment(settings);
  };
  const std::pair<const char*, std::uint64_t> good[] = {{"4096", 4096},
                                                        {"0x1000", 4096},
                                                        {"010", 8},
                                                        {"0", 0},
                                                        {"64k", 65536},
                                                        {"1M", 1048576},
                                                        {"3g", std::uint64_t{3} << 30U}};
  for (const auto& [text, bytes] : good) {
    const auto taken = length_of(text);
    ASSERT_TRUE(taken && taken->has_value()) << text;
    EXPECT_EQ((*taken)->length, bytes) << text;
  }
  for (const char* text :
       {"", "k", "1x", "-1", "1 k", "1kk", "08", "0x", "99999999999999999999", "9999999999999g"}) {
    EXPECT_FALSE(length_of(text)) << text;
  }
}

TEST(RunSegment, KeepsTheOrderOfTheSteps) {
  std::vector<launch::RunSetting> settings{
      {Kind::all, ""},         {Kind::length, "1m"},    {Kind::offset, "64k"},
      {Kind::shmid, "0x10"},   {Kind::shmmode, "0640"}, {Kind::huge, ""},
      {Kind::shm, "/run/key"}, {Kind::dump, ""},        {Kind::strict, ""},
      {Kind::membind, "0"},    {Kind::touch, ""},       {Kind::dump_nodes, ""}};
  const auto taken = launch::take_segment(settings);
  ASSERT_TRUE(taken && *taken);
  const actuation::SegmentRequest& request = **taken;
  EXPECT_FALSE(request.is_file);
  EXPECT_EQ(request.path, "/run/key");
  EXPECT_EQ(request.project, 16);
  EXPECT_EQ(request.permissions, 0640U);
  EXPECT_TRUE(request.huge_pages && request.strict);
  EXPECT_EQ(request.offset, 65536U);
  EXPECT_EQ(request.length, 1048576U);
  EXPECT_EQ(request.steps,
            (std::vector<Step>{Step::dump, Step::policy, Step::touch, Step::dump_nodes}));
  ASSERT_EQ(settings.size(), 2U);
  EXPECT_EQ(settings[0].kind, Kind::all);
  EXPECT_EQ(settings[1].kind, Kind::membind);
}

TEST(RunSegment, LeavesProgramsAlone) {
  std::vector<launch::RunSetting> settings{{Kind::membind, "0"}, {Kind::physcpubind, "0"}};
  const auto taken = launch::take_segment(settings);
  ASSERT_TRUE(taken);
  EXPECT_FALSE(*taken);
  EXPECT_EQ(settings.size(), 2U);
}

TEST(RunSegment, RefusesWhatBreaksTheOrder) {
  const std::vector<std::vector<launch::RunSetting>> wrong{
      {{Kind::length, "4k"}},
      {{Kind::dump, ""}},
      {{Kind::verify, ""}},
      {{Kind::file, "f"}, {Kind::verify, ""}, {Kind::membind, "0"}},
      {{Kind::membind, "0"}, {Kind::file, "f"}},
      {{Kind::touch, ""}, {Kind::file, "f"}},
      {{Kind::file, "f"}, {Kind::length, "4k"}},
      {{Kind::file, "f"}, {Kind::shm, "k"}},
      {{Kind::file, ""}},
      {{Kind::huge, ""}, {Kind::file, "f"}},
      {{Kind::file, "f"}, {Kind::membind, "0"}, {Kind::strict, ""}},
      {{Kind::file, "f"}, {Kind::cpunodebind, "0"}},
      {{Kind::length, "4q"}, {Kind::file, "f"}},
      {{Kind::shmmode, "9"}, {Kind::file, "f"}},
      {{Kind::shmmode, "1777"}, {Kind::file, "f"}},
      {{Kind::shmid, "x"}, {Kind::shm, "k"}},
  };
  for (std::size_t i = 0; i < wrong.size(); ++i) {
    std::vector<launch::RunSetting> settings = wrong[i];
    const auto taken = launch::take_segment(settings);
    ASSERT_FALSE(taken) << i;
    EXPECT_EQ(taken.error().code, ErrorCode::bad_usage) << i;
  }
}

TEST(RunSegment, PrintsNumactlsLines) {
  const std::vector<actuation::SegmentDump> dumps{
      {false,
       {{0x0, 0x4000, MPOL_BIND, {NodeId(0)}},
        {0x4000, 0x8000, MPOL_BIND, {NodeId(1)}},
        {0x8000, 0xc000, MPOL_DEFAULT, {}},
        {0xc000, 0x10000, MPOL_INTERLEAVE, {NodeId(1), NodeId(2)}}}},
      {true, {{0x0, 0x1000, 0, {}, NodeId(3)}}}};
  EXPECT_EQ(segment_text(dumps),
            "0000000000000000-0000000000004000: bind : 0 \n"
            "0000000000004000-0000000000008000: bind : 1 \n"
            "000000000000c000-0000000000010000: interleave : 1 2 \n"
            "0000000000000000-0000000000001000: 3\n");
  actuation::SegmentRequest request;
  request.path = "k";
  const auto json = nlohmann::json::parse(segment_json(request, dumps));
  EXPECT_EQ(json["schema"], "homenode.run.dump/2");
  EXPECT_EQ(json["dumps"][0]["ranges"][2]["policy"], "default");
  EXPECT_EQ(json["dumps"][0]["ranges"][3]["nodes"], (std::vector<int>{1, 2}));
  EXPECT_TRUE(json["dumps"][0]["ranges"][3]["node"].is_null());
  EXPECT_EQ(json["dumps"][1]["ranges"][0]["node"], 3);
  EXPECT_TRUE(json["dumps"][1]["ranges"][0]["policy"].is_null());
  EXPECT_TRUE(json["dumps"][1]["ranges"][0]["nodes"].is_null());
}

/// The words of a command on a file that is made.
SegmentWords on_file(SegmentWords more) {
  SegmentWords words{"run", "--length", "64k", "--file", "f"};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

TEST(RunSegment, MakesAFileAndItKeepsThePolicy) {
  CommandLine line;
  EXPECT_EQ(line.run(on_file({"--interleave=all", "--dump"})), exit_done) << line.err.str();
  EXPECT_TRUE(line.out.str().starts_with("0000000000000000-0000000000010000: interleave : "));
  EXPECT_NE(line.err.str().find("created the file 'f', mode 0600, 65536 bytes"), std::string::npos);
  EXPECT_EQ(line.os.shared_file_bytes("f"), 65536U);
  EXPECT_EQ(line.run({"run", "--offset=32k", "--length=16k", "--file=f", "-l", "--touch"}),
            exit_done);
  EXPECT_TRUE(line.err.str().empty());
  EXPECT_EQ(line.run({"run", "-f", "f", "-d", "--json"}), exit_done) << line.err.str();
  const auto ranges = nlohmann::json::parse(line.out.str())["dumps"][0]["ranges"];
  ASSERT_EQ(ranges.size(), 3U);
  EXPECT_EQ(ranges[1]["policy"], "local");
  EXPECT_EQ(ranges[1]["first_byte"], 32768);
  EXPECT_EQ(ranges[2]["policy"], "interleave");
  EXPECT_EQ(line.os.count("execute"), 0U);
}

TEST(RunSegment, MakesASegmentWithItsKeyFile) {
  CommandLine line;
  EXPECT_EQ(line.run({"run", "--length", "8k", "--shmid", "3", "--shm", "k", "-m", "all", "-D"}),
            exit_done)
      << line.err.str();
  EXPECT_TRUE(line.os.shared_file_bytes("k"));
  EXPECT_EQ(line.os.segments(), 1U);
  EXPECT_EQ(line.run({"run", "--shmid=3", "--shm=k", "--dump"}), exit_done);
  EXPECT_TRUE(line.out.str().starts_with("0000000000000000-0000000000002000: bind : "));
  EXPECT_EQ(line.run({"run", "--shm=k", "--dump"}), exit_failed);
  EXPECT_NE(line.err.str().find("with the id 0; give --length"), std::string::npos);
  EXPECT_EQ(line.run({"run", "--length=12k", "--shmid=3", "--shm=k", "--dump"}), exit_usage);
  EXPECT_NE(line.err.str().find("too small"), std::string::npos);
}

TEST(RunSegment, VerifiesEveryPage) {
  CommandLine line;
  for (const char* policy : {"--interleave=all", "--membind=all", "--preferred-many=all", "-l"}) {
    EXPECT_EQ(line.run(on_file({policy, "--verify"})), exit_done) << policy << line.err.str();
  }
  CommandLine refused;  // The first two calls ask whether the policy stays.
  refused.os.fail_call("page_policy", 3, EPERM);
  EXPECT_EQ(refused.run(on_file({"-l", "-V"})), exit_not_supported) << refused.err.str();
}

TEST(RunSegment, RefusesWhatIsNotThereOrNotWhole) {
  for (const SegmentWords& words :
       {SegmentWords{"run", "--length=100", "--file=f", "-l"},
        SegmentWords{"run", "--length=4k", "--offset=1", "--shm=k", "-l"},
        SegmentWords{"run", "--length=4k", "--file=f", "-l", "prog"},
        SegmentWords{"run", "--length=4k", "--file=f", "-l", "--show"},
        SegmentWords{"run", "--length=4k", "--file=f", "--threads=0", "-l"},
        SegmentWords{"run", "--length=4k", "--file=f", "-l", "-m", "all"},
        SegmentWords{"run", "--length=4k", "--file=f", "-m", "60000"}}) {
    CommandLine line;
    EXPECT_EQ(line.run(words), words.back() == "prog" ? exit_launcher_failed : exit_usage)
        << testing::PrintToString(words);
    EXPECT_FALSE(line.os.shared_file_bytes("f"));
    EXPECT_FALSE(line.os.shared_file_bytes("k"));
    EXPECT_EQ(line.os.segments(), 0U);
  }
}

TEST(RunSegment, TellsAFileSystemThatForgetsPolicies) {
  CommandLine line;
  line.os.add_shared_file("f", 65536, false);
  EXPECT_EQ(line.run({"run", "--file=f", "-l"}), exit_not_supported);
  EXPECT_NE(line.err.str().find("keeps no memory policies"), std::string::npos);
}

TEST(RunSegment, HugePagesArePlacedByTheirTouchAndKeepNoPolicy) {
  for (const SegmentWords& memory :
       {SegmentWords{"--file=f"}, SegmentWords{"--length=16k", "--huge", "--shm=k"}}) {
    CommandLine line;
    line.os.add_shared_file("f", 65536, false, 2 * line.os.page_bytes());
    line.os.set_file("/proc/meminfo", "Hugepagesize:       8 kB\n");
    SegmentWords words{"run"};
    words.insert(words.end(), memory.begin(), memory.end());
    words.insert(words.end(), {"-m", "all"});
    EXPECT_EQ(line.run(words), exit_not_supported) << testing::PrintToString(words);
    EXPECT_NE(line.err.str().find("; add --touch after the policy"), std::string::npos);
    EXPECT_EQ(line.os.segments(), 0U);
    words.emplace_back("--touch");
    EXPECT_EQ(line.run(words), exit_done) << line.err.str();
    EXPECT_NE(line.err.str().find("later ones are not"), std::string::npos) << line.err.str();
  }
}

TEST(RunSegment, StrictIsIgnoredForAProgramAndReported) {
  CommandLine line;
  line.run({"run", "--strict", "-l", "prog"});
  EXPECT_EQ(line.os.executed(), SegmentWords{"prog"});
  EXPECT_NE(line.err.str().find("--strict"), std::string::npos);
}

TEST(RunSegment, EveryRefusalLeavesNothingBehind) {
  unsigned first = 0;  // Where one of several is tried, others by the next error.
  for (const bool is_file : {true, false}) {
    for (const int errno_value : {EACCES, EPERM, ENOMEM, ENOSPC, EINVAL, EIO, EEXIST}) {
      first = first % unsigned{refusals_per_trial} + 1;
      for (unsigned nth = first;; nth += unsigned{refusals_per_trial}) {
        CommandLine line;
        line.os.add_shared_file("older", 4096);
        line.os.fail_call("", nth, errno_value);
        const int code = line.run({"run", "--length=64k", is_file ? "--file" : "--shm", "new", "-m",
                                   "all", "--touch", "--dump", "--dump-nodes", "--verify"});
        if (!line.os.has_failed()) break;
        const std::string failed = line.os.calls()[nth - 1];
        SCOPED_TRACE(failed + " errno " + std::to_string(errno_value));
        // What is only cleaning up may fail.
        if (failed == "close_file" || failed == "detach_segment" || failed == "unmap_memory" ||
            failed == "remove_file" || failed == "remove_segment") {
          continue;
        }
        EXPECT_NE(code, exit_done);
        EXPECT_TRUE(line.out.str().empty());
        const std::string told = line.err.str();
        EXPECT_EQ(std::count(told.begin(), told.end(), '\n'), 1) << told;
        EXPECT_FALSE(line.os.shared_file_bytes("new"));
        EXPECT_EQ(line.os.segments(), 0U);
      }
    }
  }
}

TEST(RunSegment, AFileThatWasMadeLongerIsCutAgain) {
  CommandLine line;
  line.os.add_shared_file("f", 4096);
  line.os.fail_call("mbind", 1, EPERM);
  EXPECT_EQ(line.run(on_file({"-m", "all"})), exit_not_supported);
  EXPECT_EQ(line.os.shared_file_bytes("f"), 4096U);
}

/// The kernel itself, as far as it lets this process set policies.
TEST(RunSegment, TheKernelKeepsThePolicies) {
  std::string folder = "/dev/shm/homenode-segment-XXXXXX";
  if (mkdtemp(folder.data()) == nullptr) GTEST_SKIP() << "no folder in /dev/shm";
  os::Linux kernel;
  std::ostringstream out;
  std::ostringstream err;
  Context context{kernel, out, err, "/usr/bin/homenode", machine::load_live};
  const std::string whole = "0000000000000000-0000000000010000: local : \n";
  for (const std::string& option : {"--file=" + folder + "/f", "--shm=" + folder + "/k"}) {
    out.str("");
    const int made = dispatch(context, {"run", "--length=64k", option, "-l", "--dump"});
    if (made == exit_not_supported) GTEST_SKIP() << err.str();
    EXPECT_EQ(made, exit_done) << err.str();
    EXPECT_EQ(out.str(), whole);
    out.str("");
    EXPECT_EQ(dispatch(context, {"run", option, "--touch", "--dump"}), exit_done) << err.str();
    EXPECT_EQ(out.str(), whole);
  }
  int key = 0;
  os::SharedSegment segment;
  ASSERT_EQ(kernel.segment_key(folder + "/k", 0, key), 0);
  ASSERT_EQ(kernel.find_segment(key, std::nullopt, segment), 0);
  EXPECT_EQ(segment.bytes, 65536U);
  EXPECT_EQ(kernel.remove_segment(segment.id), 0);
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace homenode::cli
