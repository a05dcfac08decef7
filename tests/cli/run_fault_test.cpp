// Every system call under `run` where it shows the hardware, places threads and treats shared
// memory, refused in every way that the kernel documents. All it reads is files of this test.
#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>

#include "../os/every_refusal.h"
#include "agent/wire.h"
#include "base/id_list.h"
#include "cli/dispatch.h"
#include "machine/load.h"

namespace homenode::cli {
namespace {

using os::Outcome;
using RunWords = std::vector<std::string>;

Result<machine::Machine> two_nodes() {
  static const auto machine = machine::load("synthetic:numa:2 core:1 pu:1");
  return machine;
}

/// Two nodes of one CPU each, to the kernel and in its files.
class TwoNodes {
 public:
  TwoNodes() : os_({{NodeId(0), NodeId(1)}, {{CpuId(0), NodeId(0)}, {CpuId(1), NodeId(1)}}}) {
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
    Context context{os_, out, err, "/usr/bin/homenode", two_nodes};
    return dispatch(context, words);
  }

  os::Fake& os() { return os_; }
  std::ostringstream out;
  std::ostringstream err;

 private:
  os::Fake os_;
};

/// A command line; what it comes to is what `facts` says afterwards.
class CommandTrial : public os::Trial {
 public:
  explicit CommandTrial(RunWords words) : words_(std::move(words)) {}

  os::Fake& kernel() override { return nodes_.os(); }
  Outcome run() override {
    const int code = nodes_.run(words_);
    std::string told = nodes_.err.str();
    if (code == exit_done || code == not_found) return {true, {}};
    EXPECT_TRUE(nodes_.out.str().empty()) << nodes_.out.str();
    if (told.ends_with('\n')) told.pop_back();
    EXPECT_NE(told.find("; "), std::string::npos) << "says what to do next: " << told;
    return {false, {told}};
  }
  std::string state() override { return ""; }

 protected:
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

/// A program with the agent, of which there is a file. What it is told is in this process's
/// environment, as it would be in the program's.
class AgentTrial final : public CommandTrial {
 public:
  explicit AgentTrial(RunWords words) : CommandTrial(std::move(words)) {
    folder_ = std::filesystem::temp_directory_path() / fmt::format("homenode-run-{}", getpid());
    std::filesystem::create_directories(folder_);
    std::ofstream(folder_ / agent::agent_file) << "an agent";
    forget();
    setenv("HOMENODE_LIBEXEC", folder_.c_str(), 1);
  }
  AgentTrial(const AgentTrial&) = delete;
  AgentTrial& operator=(const AgentTrial&) = delete;
  ~AgentTrial() override {
    forget();
    unsetenv("HOMENODE_LIBEXEC");
    std::filesystem::remove_all(folder_);
  }

  Outcome run() override {
    forget();
    const Outcome outcome = CommandTrial::run();
    if (!outcome.complete && nodes_.os().calls().back() != "execute") {
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
      const char* const value = std::getenv(name);
      text += fmt::format(", {}={}", name, value != nullptr ? value : "");
    }
    return text;
  }

 private:
  static constexpr const char* variables[] = {"LD_PRELOAD", agent::wire_variable, "GLIBC_TUNABLES",
                                              "KMP_AFFINITY"};
  static void forget() {
    for (const char* name : variables) unsetenv(name);
  }
  std::filesystem::path folder_;
};

/// A file or a segment that a command makes, and that a refused one must not leave behind.
class SegmentTrial final : public CommandTrial {
 public:
  using CommandTrial::CommandTrial;
  std::string result() override { return nodes_.out.str() + state(); }
  std::string state() override {
    return fmt::format("file of {}, {} segments", kernel().shared_file_bytes("new").value_or(0),
                       kernel().segments());
  }
};

template <class Kind>
os::Scenario scenario_of(RunWords words, std::set<std::string> dispensable = {}) {
  std::string name = words.at(1) + " ... " + words.back();
  return {std::move(name), [words] { return std::make_unique<Kind>(words); },
          std::move(dispensable)};
}

std::set<std::string> refused_in(const std::vector<os::Scenario>& scenarios) {
  std::set<std::string> calls;
  for (const os::Scenario& scenario : scenarios) {
    os::refuse_every_call(scenario, calls);
    if (testing::Test::HasFailure()) break;
  }
  return calls;
}

TEST(RunFaults, OfTheHardwareAreToldAndMakeNoNodeUp) {
  EXPECT_EQ(refused_in({scenario_of<HardwareTrial>({"run", "--hardware"}, {"read_file"}),
                        scenario_of<HardwareTrial>({"run", "-H", "--json"}, {"read_file"})}),
            std::set<std::string>{"read_file"});
}

TEST(RunFaults, OfPlacedThreadsAreToldBeforeTheProgramStarts) {
  const auto placed = [](RunWords words) {
    words.emplace_back("no-such-program");
    return scenario_of<AgentTrial>(words);
  };
  EXPECT_EQ(refused_in({placed({"run", "--threads", "0,1"}),
                        placed({"run", "--threads", "0,1", "-C", "0", "--heap=interleave"}),
                        placed({"run", "--thread-memory", "bind@0/bind@1", "-m", "1"}),
                        placed({"run", "--place", "size>1M: cyclic", "-N", "1"}),
                        placed({"run", "--malloc=bind", "-C", "1", "-i", "all"})}),
            (std::set<std::string>{"execute", "read_file", "sched_setaffinity", "set_mempolicy"}));
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

}  // namespace
}  // namespace homenode::cli
