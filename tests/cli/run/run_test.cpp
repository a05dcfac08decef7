// The verb `run` against the fake kernel: what it sets, what it starts, what each refusal gives.
#include <linux/mempolicy.h>

#include <algorithm>
#include <cerrno>
#include <nlohmann/json.hpp>

#include "support/command_line.h"

namespace homenode::cli {
namespace {

using Words = std::vector<std::string>;

constexpr int not_found = 127;
constexpr int cannot_execute = 126;

/// The calls that change or ask something, without the reading of files.
Words calls_but_reads(const os::Fake& os) {
  Words calls = os.calls();
  std::erase(calls, "read_file");
  return calls;
}

void expect_one_line(const std::string& text) {
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 1) << text;
  EXPECT_TRUE(text.starts_with("homenode run: ")) << text;
  EXPECT_NE(text.find("; "), std::string::npos) << "says what to do next: " << text;
}

TEST(Run, SetsThePolicyAndStartsTheProgram) {
  CommandLine line;
  EXPECT_EQ(line.run({"run", "-i", "all", "-C", "all", "prog", "-m", "x y"}), not_found);
  EXPECT_EQ(line.os.executed(), (Words{"prog", "-m", "x y"}));
  int mode = -1;
  NodeSet nodes;
  ASSERT_EQ(line.os.get_mempolicy(mode, nodes), 0);
  EXPECT_EQ(mode, MPOL_INTERLEAVE);
  EXPECT_EQ(nodes, live_as_fake().nodes);
  const Words calls = line.os.calls();
  const auto set = std::find(calls.begin(), calls.end(), "set_mempolicy");
  EXPECT_LT(set, std::find(calls.begin(), calls.end(), "execute"));
  EXPECT_EQ(line.os.count("sched_setaffinity"), 1U);
}

TEST(Run, WithoutOptionsStartsTheProgramAsItIs) {
  CommandLine line;
  EXPECT_EQ(line.run({"run", "prog"}), not_found);
  EXPECT_EQ(line.os.calls(), (Words{"execute"}));
}

TEST(Run, TellsAProgramThatIsNotThereFromOneThatCannotRun) {
  CommandLine line;
  EXPECT_EQ(line.run({"run", "prog"}), not_found);
  expect_one_line(line.err.str());
  for (int errno_value : {EACCES, ENOEXEC, E2BIG, ENOMEM}) {
    line.os.fail_call("execute", 1, errno_value);
    EXPECT_EQ(line.run({"run", "prog"}), cannot_execute);
    expect_one_line(line.err.str());
  }
}

TEST(Run, ExplainSetsAndStartsNothing) {
  CommandLine line;
  EXPECT_EQ(line.run({"run", "-b", "-m", "all", "--explain", "--json", "prog", "a"}), exit_done);
  const auto json = nlohmann::json::parse(line.out.str());
  EXPECT_EQ(json["schema"], "homenode.run.explain/2");
  EXPECT_EQ(json["memory"]["policy"], "bind");
  EXPECT_EQ(json["memory"]["balancing"], true);
  EXPECT_TRUE(json["cpus"].is_null());
  EXPECT_EQ(json["program"], (Words{"prog", "a"}));
  EXPECT_EQ(line.run({"run", "-l", "--explain"}), exit_done);
  EXPECT_EQ(line.out.str(), "memory policy: local\nCPUs: unchanged\nprogram: none\n");
  // These ask whether policies are forbidden.
  for (const std::string& call : calls_but_reads(line.os)) {
    EXPECT_TRUE(call == "get_mempolicy" || call == "set_mempolicy" || call == "mbind") << call;
  }
  int mode = -1;
  NodeSet nodes;
  ASSERT_EQ(line.os.get_mempolicy(mode, nodes), 0);
  EXPECT_EQ(mode, MPOL_DEFAULT);
}

TEST(Run, ShowPrintsWhatThenHoldsAndStartsNothing) {
  CommandLine line;
  EXPECT_EQ(line.run({"run", "-m", "all", "--show", "prog"}), exit_done);
  EXPECT_TRUE(line.out.str().starts_with("policy: bind\n"));
  EXPECT_TRUE(line.os.executed().empty());
  EXPECT_EQ(line.run({"run", "-s", "--json"}), exit_done);
  EXPECT_EQ(nlohmann::json::parse(line.out.str())["policy"], "bind");
}

TEST(Run, BindsWithoutBalancingWhereTheKernelHasNone) {
  CommandLine line;
  line.os.fail_call("set_mempolicy", 1, EINVAL);
  EXPECT_EQ(line.run({"run", "-b", "-m", "all", "--show"}), exit_done);
  EXPECT_TRUE(line.out.str().starts_with("policy: bind\n"));
  EXPECT_NE(line.err.str().find("without it"), std::string::npos);
}

TEST(Run, PrintsTheHardwareAndTheVersion) {
  CommandLine line;
  EXPECT_EQ(line.run({"run", "-H"}), exit_done);
  EXPECT_TRUE(line.out.str().starts_with("available: ")) << line.out.str();
  EXPECT_EQ(line.run({"run", "--version"}), exit_done);
  EXPECT_TRUE(line.out.str().starts_with("homenode "));
  EXPECT_TRUE(calls_but_reads(line.os).empty());
}

TEST(Run, EmitsForOtherToolsAndStartsNothing) {
  CommandLine line;
  EXPECT_EQ(line.run({"run", "-l", "--emit", "numactl", "prog", "x y"}), exit_done);
  EXPECT_EQ(line.out.str(), "numactl --localalloc -- prog 'x y'\n");
  EXPECT_TRUE(line.err.str().empty());
  EXPECT_EQ(line.run({"run", "-l", "--emit=omp", "prog"}), exit_done);
  EXPECT_NE(line.err.str().find("omp cannot express"), std::string::npos);
  EXPECT_EQ(line.run({"run", "-l", "--emit=taskset", "prog"}), exit_launcher_failed);
  // Where a job is prepared there is no rank in the environment.
  line.out.str("");
  EXPECT_EQ(line.run({"run", "--per-rank", "node", "--emit=slurm", "prog"}), exit_done);
  EXPECT_TRUE(line.out.str().starts_with("srun --cpu-bind=mask_cpu:0x")) << line.out.str();
  EXPECT_TRUE(calls_but_reads(line.os).empty());
}

TEST(Run, SetsWeightedInterleave) {
  CommandLine line;
  EXPECT_EQ(line.run({"run", "-w", "all", "prog"}), not_found);
  int mode = -1;
  NodeSet nodes;
  ASSERT_EQ(line.os.get_mempolicy(mode, nodes), 0);
  EXPECT_EQ(mode, 6);
}

TEST(Run, BecomesTheFullCommandForWhatItDoesNotKnow) {
  CommandLine line;
  Context small{line.os, line.out, line.err, "/usr/bin/homenode"};
  const Words words{"run", "--threads", "S0:0", "prog"};
  EXPECT_EQ(dispatch(small, words), exit_launcher_failed);
  const Words executed = line.os.executed();
  ASSERT_EQ(executed.size(), words.size() + 1);
  EXPECT_TRUE(executed[0].ends_with("homenode-native"));
  EXPECT_EQ(Words(executed.begin() + 1, executed.end()), words);
}

TEST(Run, BadUsageStartsNothing) {
  for (const Words& words :
       {Words{"run", "-l"}, Words{"run", "-i", "60000", "x"}, Words{"run", "-C", "60000", "x"},
        Words{"run", "-l", "-m", "all", "x"}, Words{"run", "-i", "same", "x"},
        Words{"run", "-m", "all", "-a", "x"}, Words{"run", "-i", "[0,1]", "x"},
        Words{"run", "-i", "", "x"}, Words{"run", "--json", "x"}, Words{"run", "-z", "x"}}) {
    CommandLine line;
    EXPECT_EQ(line.run(words), words.back() == "x" ? exit_launcher_failed : exit_usage)
        << testing::PrintToString(words);
    expect_one_line(line.err.str());
    EXPECT_TRUE(calls_but_reads(line.os).empty());
  }
}

TEST(Run, EveryRefusalIsOneLineAndStartsNothing) {
  for (const Words& words :
       {Words{"run", "-i", "all", "-N", "all", "prog"}, Words{"run", "-m", "all", "prog"},
        Words{"run", "-P", "all", "prog"}, Words{"run", "-l", "prog"},
        Words{"run", "-C", "all", "-i", "all", "--show"}}) {
    for (int errno_value : {EPERM, ENOSYS, EINVAL, ENOMEM}) {
      for (unsigned nth = 1;; ++nth) {
        CommandLine line;
        line.os.fail_call("", nth, errno_value);
        const int code = line.run(words);
        if (!line.os.has_failed()) break;
        SCOPED_TRACE(testing::PrintToString(words) + " call " + std::to_string(nth) + " errno " +
                     std::to_string(errno_value));
        EXPECT_NE(code, exit_done);
        expect_one_line(line.err.str());
        if (line.os.calls().back() == "execute") {
          EXPECT_EQ(code, cannot_execute);
          continue;
        }
        EXPECT_TRUE(line.os.executed().empty());
        EXPECT_TRUE(line.out.str().empty());
        if (line.os.calls()[nth - 1] == "read_file") {
          EXPECT_EQ(code, words.back() == "prog" ? exit_launcher_failed : exit_failed);
          continue;
        }
        if (errno_value == EPERM || errno_value == ENOSYS) {
          EXPECT_EQ(code, words.back() == "prog" ? exit_launcher_failed : exit_not_supported);
        }
        if (errno_value == EPERM) {
          EXPECT_NE(line.err.str().find("CAP_SYS_NICE"), std::string::npos);
        }
      }
    }
  }
}

TEST(Run, PoliciesThatAreForbiddenInsideTheProgramAreReportedOnce) {
  for (const std::string option : {"--malloc=interleave", "--malloc=bind:strict", "--heap=local"}) {
    CommandLine line;
    line.os.fail_call("get_mempolicy", 1, EPERM);
    line.run({"run", option, "true"});
    const std::string text = line.err.str();
    EXPECT_NE(text.find("memory stays where it would be without homenode"), std::string::npos)
        << option << text;
  }
  CommandLine without;
  without.os.fail_call("get_mempolicy", 1, EPERM);
  without.run({"run", "--malloc=local", "true"});
  EXPECT_EQ(without.err.str().find("memory stays"), std::string::npos) << without.err.str();
}

}  // namespace
}  // namespace homenode::cli
