// Every system call under `run` where it shows the hardware, places threads and treats shared
// memory, refused in every way that the kernel documents. All it reads is files of this test.
#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>
#include <cerrno>
#include <cstdlib>
#include <functional>

#include "agent/wire.h"
#include "base/id_list.h"
#include "cli/table.h"
#include "machine/load.h"
#include "os/every_refusal.h"
#include "support/sanitized.h"
#include "support/small_program.h"

namespace homenode::cli {
namespace {

using os::Outcome;
using RunWords = std::vector<std::string>;
using FullMachine = Result<machine::Machine> (*)();

Result<machine::Machine> two_nodes() {
  static const auto machine = machine::load("synthetic:numa:2 core:1 pu:1");
  return machine;
}

/// Two nodes of one CPU each, to the kernel and in its files.
class TwoNodes {
 public:
  explicit TwoNodes(FullMachine full_machine)
      : full_machine_(full_machine),
        os_({{NodeId(0), NodeId(1)}, {{CpuId(0), NodeId(0)}, {CpuId(1), NodeId(1)}}}) {
    os_.set_root("/no such folder");
    os_.set_file("/sys/devices/system/cpu/online", "0-1\n");
    os_.set_file("/sys/devices/system/cpu/present", "0-1\n");
    os_.set_file("/sys/devices/system/node/online", "0-1\n");
    os_.set_file("/proc/self/status", "Cpus_allowed_list:\t0-1\nMems_allowed_list:\t0-1\n");
    for (unsigned node : {0U, 1U}) {
      const std::string folder = fmt::format("/sys/devices/system/node/node{}/", node);
      os_.set_file(folder + "cpumap", node == 0 ? "1\n" : "2\n");
      os_.set_file(folder + "distance", node == 0 ? "10 21\n" : "21 10\n");
      os_.set_file(folder + "meminfo", fmt::format("Node {0} MemTotal: 8192 kB\n"
                                                   "Node {0} MemFree: 4096 kB\n",
                                                   node));
    }
  }

  int run(const RunWords& words) {
    out.str("");
    err.str("");
    Context context{os_, out, err, "/usr/bin/homenode", full_machine_};
    return dispatch(context, words);
  }

  os::Fake& os() { return os_; }
  std::ostringstream out;
  std::ostringstream err;

 private:
  FullMachine full_machine_;
  os::Fake os_;
};

/// A command line; what it comes to is what `facts` says afterwards.
class CommandTrial : public os::Trial {
 public:
  explicit CommandTrial(RunWords words, FullMachine full_machine = two_nodes)
      : nodes_(full_machine), words_(std::move(words)) {}

  os::Fake& kernel() override { return nodes_.os(); }
  Outcome run() override {
    const int code = nodes_.run(words_);
    if (code == exit_done || (code == not_found && was_started())) return {true, {}};
    EXPECT_TRUE(nodes_.out.str().empty()) << nodes_.out.str();
    EXPECT_NE(told().find("; "), std::string::npos) << "says what to do next: " << told();
    return {false, {told()}};
  }
  std::string state() override { return ""; }

 protected:
  [[nodiscard]] std::string told() const {
    std::string text = nodes_.err.str();
    if (text.ends_with('\n')) text.pop_back();
    return text;
  }
  [[nodiscard]] bool was_started() { return nodes_.os().calls().back() == "execute"; }

  static constexpr int not_found = 127;  ///< No program is ever found under the fake kernel.
  TwoNodes nodes_;

 private:
  RunWords words_;
};

/// `run --hardware`, where distances that cannot be read are said not to be there.
class HardwareTrial final : public CommandTrial {
 public:
  using CommandTrial::CommandTrial;
  std::string result() override {
    std::string text;
    for (const std::string& line : os::detail::lines_of(nodes_.out.str())) {
      const bool none = line.find("No distance information") != std::string::npos ||
                        line.find("\"distances\": []") != std::string::npos;
      if (!none) text += line + '\n';
    }
    return text;
  }
};

/// A program with the agent, of which there are files. What it is told is in this process's
/// environment, as it would be in the program's.
class AgentTrial : public CommandTrial {
 public:
  explicit AgentTrial(RunWords words) : CommandTrial(std::move(words)) {
    forget();
    const char* const path = std::getenv("PATH");
    path_ = path != nullptr ? path : "";
    setenv("PATH", "/nowhere:/bin", 1);
    setenv("HOMENODE_LIBEXEC", "/agents", 1);
    kernel().set_file(fmt::format("/agents/{}", agent::agent_file), "an agent");
    kernel().set_file("/bin/program", SmallProgram().text());
    kernel().set_file("/bin/script", "#!program\n");
    kernel().set_file("/lib/libx.so", SmallProgram().text());
    kernel().set_output("/lib/ld.so", "\tlibx.so => /lib/libx.so (0x00007f1)\n");
  }
  AgentTrial(const AgentTrial&) = delete;
  AgentTrial& operator=(const AgentTrial&) = delete;
  ~AgentTrial() override {
    forget();
    unsetenv("HOMENODE_LIBEXEC");
    setenv("PATH", path_.c_str(), 1);
  }

  Outcome run() override {
    forget();
    const Outcome outcome = CommandTrial::run();
    if (!outcome.complete && !was_started()) {
      EXPECT_EQ(std::getenv("LD_PRELOAD"), nullptr) << "nothing is prepared for nobody";
    }
    return outcome;
  }

  std::string result() override {
    int mode = -1;
    NodeSet nodes;
    CpuSet cpus;
    EXPECT_EQ(nodes_.os().get_mempolicy(mode, nodes), 0);
    EXPECT_EQ(nodes_.os().sched_getaffinity(0, cpus), 0);
    std::string text =
        fmt::format("policy {} of {}, CPUs {}, started", mode, to_list(nodes), to_list(cpus));
    for (const std::string& word : nodes_.os().executed()) text += " " + word;
    for (const char* name : variables) {
      const std::string set(std::getenv(name) != nullptr ? std::getenv(name) : "");
      text += fmt::format(", {}={}", name, set.substr(0, set.find(" reported")));
    }
    return text;
  }

 private:
  static constexpr const char* variables[] = {"LD_PRELOAD", agent::wire_variable, "GLIBC_TUNABLES",
                                              "KMP_AFFINITY"};
  static void forget() {
    for (const char* name : variables) unsetenv(name);
  }
  std::string path_;
};

/// A program near a device, of which sysfs has the files.
class NearTrial final : public AgentTrial {
 public:
  explicit NearTrial(RunWords words) : AgentTrial(std::move(words)) {
    const auto add = [this](const std::string& folder, const char* node) {
      kernel().set_file(folder + "/uevent", "\n");
      kernel().set_file(folder + "/numa_node", node);
    };
    add("/sys/class/net/eth0/device", "1\n");
    kernel().set_file("/sys/class/net/eth0/uevent", "\n");
    for (const char* address : {"0000:02:00.0", "0000:3b:00.0"}) {
      const std::string folder = fmt::format("/sys/bus/pci/devices/{}", address);
      add(folder, "1\n");
      kernel().set_file(folder + "/class", "0x030000\n");
      kernel().set_file(folder + "/vendor", address[6] == '2' ? "0x1a03\n" : "0x10de\n");
    }
    kernel().set_file("/proc/driver/nvidia/gpus/0000:3b:00.0/information", "Device Minor: 0\n");
    add("/sys/dev/char/1:3", "0\n");
    kernel().set_file("/dev/null", "");
    os::FileStatus device;
    device.mode = S_IFCHR | 0666U;
    device.special_device = makedev(1, 3);
    kernel().set_status("/dev/null", device);
  }
};

/// A command that another program does: in the lab, outside this one, or where hwloc is.
class HandOverTrial final : public CommandTrial {
 public:
  explicit HandOverTrial(RunWords words) : CommandTrial(std::move(words), nullptr) {
    for (const char* name : {"homenode", "homenode-native", "homenode-lab"}) {
      kernel().set_file(fmt::format("/usr/bin/{}", name), "a program");
    }
  }

  /// The fake kernel never starts one: it says that there is none, and that is told.
  Outcome run() override {
    const Outcome outcome = CommandTrial::run();
    EXPECT_FALSE(outcome.complete);
    EXPECT_TRUE(was_started()) << "nothing is done in this process";
    const bool is_fakes = told().find("is neither beside homenode") != std::string::npos ||
                          told().find("No such file or directory") != std::string::npos;
    return is_fakes ? Outcome{true, {}} : outcome;
  }
  std::string result() override { return fmt::format("{}", fmt::join(kernel().executed(), " ")); }
};

/// A file or a segment that a command makes, and that a refused one must not leave behind.
class SegmentTrial final : public CommandTrial {
 public:
  explicit SegmentTrial(RunWords words) : CommandTrial(std::move(words)) {
    kernel().add_shared_file("short", os::fake_page_bytes);
  }
  std::string result() override { return nodes_.out.str() + state(); }
  std::string state() override {
    std::string text = fmt::format("{} segments", kernel().segments());
    for (const char* name : {"new", "short"}) {
      if (const auto bytes = kernel().shared_file_bytes(name)) {
        text += fmt::format(", {} of {}", name, *bytes);
      }
    }
    return text;
  }
};

template <class Kind>
os::Scenario scenario_of(RunWords words, std::set<std::string> dispensable = {},
                         std::set<std::pair<std::string, int>> left_out = {}) {
  std::string name = fmt::format("{}", fmt::join(words, " "));
  return {std::move(name), [words] { return std::make_unique<Kind>(words); },
          std::move(dispensable), std::move(left_out)};
}

std::set<std::string> refused_in(const std::vector<os::Scenario>& scenarios) {
  std::set<std::string> calls;
  for (const os::Scenario& scenario : scenarios) {
    os::refuse_every_call(scenario, calls, refusals_per_trial);
    if (testing::Test::HasFailure()) break;
  }
  return calls;
}

TEST(RunFaults, OfTheHardwareAreToldAndMakeNoNodeUp) {
  EXPECT_EQ(refused_in({scenario_of<HardwareTrial>({"run", "--hardware"}, {"read_file"}),
                        scenario_of<HardwareTrial>({"run", "-H", "--json"}, {"read_file"})}),
            std::set<std::string>{"read_file"});
}

std::set<std::string> and_attributes(std::set<std::string> calls) {
  if (getuid() != 0) calls.insert("attribute_bytes");  // Root is not asked for them.
  return calls;
}

TEST(RunFaults, OfPlacedThreadsAreToldBeforeTheProgramStarts) {
  // A program that is absent, and an agent that is not where it was looked for first.
  const auto placed = [](RunWords words, const char* program) {
    words.emplace_back(program);
    return scenario_of<AgentTrial>(words, {"file_status"});
  };
  EXPECT_EQ(
      refused_in({placed({"run", "--threads", "0,1"}, "program"),
                  placed({"run", "--threads", "0,1", "-C", "0", "--heap=interleave"}, "script"),
                  placed({"run", "--thread-memory", "bind@0/bind@1", "-m", "1"}, "/bin/program"),
                  placed({"run", "--place", "size>1M: cyclic", "-N", "1"}, "program"),
                  placed({"run", "--malloc=bind", "-C", "1", "-i", "all"}, "program")}),
      and_attributes({"check_executable", "execute", "file_status", "get_mempolicy", "mbind",
                      "read_file", "read_file_at", "read_link", "resolve_path", "sched_setaffinity",
                      "set_mempolicy"}));
}

TEST(RunFaults, OfNamesStartNoProgramWhoseDataStayWhereTheyAre) {
  const auto named = [](const char* rule, const char* program) {
    return scenario_of<AgentTrial>({"run", "--place", rule, program},
                                   {"check_executable", "file_status"});
  };
  const std::set<std::string> calls = refused_in(
      {named("name=u: cyclic", "program"), named("from=alloc_3d: block", "/bin/script")});
  EXPECT_TRUE(calls.contains("output_of"));
  EXPECT_TRUE(calls.contains("read_file_at"));
}

TEST(RunFaults, OfDevicesNameNoOtherNode) {
  const auto near = [](RunWords words, std::set<std::pair<std::string, int>> left_out = {}) {
    words.emplace_back("program");
    return scenario_of<NearTrial>(words, {"read_file"}, std::move(left_out));
  };
  // A GPU whose files are gone is gone, and the next one is the first.
  const std::set<std::pair<std::string, int>> gone{{"read_file", ENOENT}, {"list_folder", ENOENT}};
  const std::set<std::string> calls =
      refused_in({near({"run", "--near", "eth0"}), near({"run", "-m", "0,netdev:eth0"}),
                  near({"run", "--near", "gpu"}, gone), near({"run", "--near", "nvidia0"}, gone),
                  near({"run", "-N", "pci:3b:00.0"}), near({"run", "--near", "file:/dev/null"})});
  EXPECT_TRUE(calls.contains("list_folder"));
  EXPECT_TRUE(calls.contains("file_status"));
}

TEST(RunFaults, OfAHandOverAreToldAndNothingIsDoneHere) {
  const auto handed = [](RunWords words) {
    // One that is not beside the command is looked for on PATH.
    return scenario_of<HandOverTrial>(
        words, {}, {{"check_executable", ENOENT}, {"check_executable", ENOTDIR}});
  };
  EXPECT_EQ(refused_in({handed({"run", "--threads", "S0:0-1", "program"}),
                        handed({"run", "--per-rank", "socket", "program"}),
                        handed({"where", "1", "--threads", "0-1"}),
                        handed({"topology", "--machine", "quad-4x2", "--scale", "4"}),
                        handed({"lab", "list"})}),
            (std::set<std::string>{"check_executable", "execute", "read_link"}));
}

TEST(RunFaults, OfSharedMemoryAreToldAndLeaveNothing) {
  const RunWords steps{"-m", "all", "--touch", "--dump", "--dump-nodes"};
  const auto made = [&](const char* option) {
    RunWords words{"run", "--length=64k", option, "new"};
    words.insert(words.end(), steps.begin(), steps.end());
    return scenario_of<SegmentTrial>(words);
  };
  EXPECT_EQ(refused_in({made("--file"), made("--shm")}),
            (std::set<std::string>{"attach_segment", "close_file", "detach_segment", "find_segment",
                                   "map_shared_file", "mbind", "open_shared_file", "page_node",
                                   "page_policy", "populate_memory", "read_file", "resize_file",
                                   "segment_key", "unmap_memory"}));
}

/// The command is refused once, and then what takes back what it made: that is told too, with a
/// command that does it.
void refuse_and_keep(const RunWords& words) {
  const os::Scenario scenario = scenario_of<SegmentTrial>(words);
  const os::detail::CleanRun clean = os::detail::run_cleanly(scenario);
  for (std::size_t nth = 1; nth <= clean.calls.size(); ++nth) {
    for (const std::string call : {"remove_file", "remove_segment", "resize_file"}) {
      SCOPED_TRACE(
          fmt::format("{}: call {} ({}), then {}", scenario.name, nth, clean.calls[nth - 1], call));
      const auto trial = scenario.begin();
      const std::string before = trial->state();
      trial->kernel().fail_call("", static_cast<unsigned>(nth), EACCES);
      trial->kernel().then_fail_call(call, 1, EPERM);
      const Outcome outcome = trial->run();
      if (outcome.complete) continue;
      const bool refused_twice = trial->kernel().has_failed();
      trial->kernel().fail_call("", 0, 0);
      EXPECT_EQ(trial->state() == before, !refused_twice);
      ASSERT_EQ(outcome.told.size(), 1U);
      const std::string& told = outcome.told.front();
      EXPECT_EQ(told.find("Operation not permitted") != std::string::npos, refused_twice) << told;
      EXPECT_NE(told.find("Permission denied"), std::string::npos) << told;
    }
  }
}

TEST(RunFaults, OfTakingBackSharedMemoryAreToldToo) {
  refuse_and_keep({"run", "--length=64k", "--file", "new", "-m", "all", "--dump"});
  refuse_and_keep({"run", "--length=64k", "--shm", "new", "-m", "all", "--dump"});
  refuse_and_keep({"run", "--length=64k", "--file", "short", "-m", "all", "--dump"});
}

}  // namespace
}  // namespace homenode::cli
