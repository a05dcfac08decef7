// Every system call under the verb `run` and under a repair, refused in every way that the kernel
// documents: lines that say what to do next, or all is done.
#include <functional>

#include "actuation/repair.h"
#include "base/id_list.h"
#include "os/every_refusal.h"
#include "support/command_line.h"
#include "support/sanitized.h"
#include "support/where_process.h"

namespace homenode::cli {
namespace {

using os::Outcome;

std::string cpus_of(os::Os& os, pid_t thread) {
  CpuSet cpus;
  EXPECT_EQ(os.sched_getaffinity(thread, cpus), 0);
  return to_list(cpus);
}

/// A command line under the fake kernel of this machine, where no program is ever found.
class RunTrial final : public os::Trial {
 public:
  explicit RunTrial(std::vector<std::string> words) : words_(std::move(words)) {}

  os::Fake& kernel() override { return line_.os; }

  Outcome run() override {
    const int code = line_.run(words_);
    std::string told = code == exit_done ? refused_here() : line_.err.str();
    if (told.empty() || code == not_found) return {true, {}};
    if (told.ends_with('\n')) told.pop_back();
    EXPECT_NE(told.find("; "), std::string::npos) << "says what to do next: " << told;
    return {false, {told}};
  }

  std::string result() override {
    int mode = -1;
    NodeSet nodes;
    EXPECT_EQ(line_.os.get_mempolicy(mode, nodes), 0);
    std::string text = fmt::format("{}policy {} of {}, CPUs {}, started", line_.out.str(), mode,
                                   to_list(nodes), cpus_of(line_.os, 0));
    for (const std::string& word : line_.os.executed()) text += " " + word;
    return text;
  }

  std::string state() override { return fmt::format("{} mappings", line_.os.mappings()); }

 private:
  static constexpr int not_found = 127;

  /// What --explain says of a policy that the kernel would refuse.
  [[nodiscard]] std::string refused_here() const {
    const std::string text = line_.out.str();
    const std::size_t at = text.find("refused here: ");
    return at == std::string::npos ? "" : text.substr(at, text.find('\n', at) - at);
  }

  std::vector<std::string> words_;
  CommandLine line_;
};

/// A process with memory on two nodes, and two threads.
class RepairTrial final : public os::Trial {
 public:
  using Repair = std::function<Outcome(os::Os&, const sensing::Survey&)>;
  explicit RepairTrial(Repair repair) : repair_(std::move(repair)) {
    first_ = process_.add(std::vector<unsigned>(pages, 0));
    second_ = process_.add(std::vector<unsigned>(pages, 64));
    process_.survey.threads = {{10, "a", 'S', 1, CpuId(0), {}, {}},
                               {11, "b", 'S', 2, CpuId(0), {}, {}}};
  }

  os::Fake& kernel() override { return process_.os; }
  Outcome run() override { return repair_(process_.os, process_.survey); }

  std::string result() override {
    std::string text =
        fmt::format("CPUs {} and {}, nodes", cpus_of(process_.os, 10), cpus_of(process_.os, 11));
    for (const char* memory : {first_, second_}) {
      for (unsigned node : process_.nodes_at(memory, pages)) text += fmt::format(" {}", node);
    }
    return text;
  }

  std::string state() override { return fmt::format("{} mappings", process_.os.mappings()); }

 private:
  static constexpr std::size_t pages = 70;
  Repair repair_;
  WhereProcess process_;
  char* first_ = nullptr;
  char* second_ = nullptr;
};

Outcome repair_to(const std::string& rule, os::Os& os, const sensing::Survey& survey) {
  FakePace pace;
  actuation::RepairRequest request;
  request.rule = *placement::parse_memory_rule(rule, {NodeId(0), NodeId(1), NodeId(64)});
  request.groups = {sensing::Group::heap};
  const auto receipt = actuation::repair_pages(os, survey, request, pace.pace(), nullptr);
  if (!receipt) return os::outcome_of(receipt);
  Outcome outcome{receipt->moved_bytes == receipt->planned_bytes && !receipt->ended, {}};
  for (const actuation::RefusedMove& refused : receipt->refusals) {
    outcome.told.push_back(os::outcome_of(refused.error).told.front());
  }
  const std::uint64_t counted = receipt->vanished_bytes + receipt->kept_shared_bytes;
  if (receipt->ended || counted > 0) {
    outcome.told.emplace_back("the process ended, or pages are gone or shared");
    outcome.names_errno = false;
  }
  return outcome;
}

Outcome bind_threads(os::Os& os, const sensing::Survey& survey) {
  const placement::ThreadMap map{{{CpuId(1)}, {CpuId(0)}}};
  Outcome outcome{true, {}};
  for (const actuation::ThreadRepair& thread : actuation::repair_threads(os, survey, map, false)) {
    outcome.complete = outcome.complete && thread.bound;
    if (thread.refusal) outcome.told.push_back(os::outcome_of(*thread.refusal).told.front());
    if (!thread.ended) continue;
    outcome.told.emplace_back("the thread has ended");
    outcome.names_errno = false;
  }
  return outcome;
}

os::Scenario run_of(std::vector<std::string> words,
                    std::set<std::pair<std::string, int>> left_out = {}) {
  std::string name = words.at(1);
  return {std::move(name),
          [words] { return std::make_unique<RunTrial>(words); },
          {"read_file"},
          std::move(left_out)};
}

os::Scenario repair_of(const std::string& name, RepairTrial::Repair repair) {
  return {name, [repair] { return std::make_unique<RepairTrial>(repair); }, {"read_file"}};
}

TEST(Faults, OfARunAreToldInOneLine) {
  std::set<std::string> calls;
  const std::vector<os::Scenario> scenarios{
      run_of({"run", "-i", "0", "-C", "0", "prog"}),
      // A kernel that does not balance: bound without, and said so.
      run_of({"run", "-b", "-m", "0", "prog"}, {{"set_mempolicy", EINVAL}}),
      run_of({"run", "-i", "0", "--show"}),
      run_of({"run", "-m", "0", "--explain", "prog"}),
      run_of({"run", "-l", "--emit=numactl", "prog"}),
  };
  for (const os::Scenario& scenario : scenarios) {
    os::refuse_every_call(scenario, calls, refusals_per_trial);
    if (HasFailure()) return;
  }
  EXPECT_EQ(calls, (std::set<std::string>{"execute", "get_mempolicy", "mbind",
                                          "next_interleave_node", "read_file", "sched_getaffinity",
                                          "sched_setaffinity", "set_mempolicy"}));
}

TEST(Faults, OfARepairAreInItsReceipt) {
  std::set<std::string> calls;
  const std::vector<os::Scenario> scenarios{
      repair_of("bind", [](auto&... is) { return repair_to("bind@1", is...); }),
      repair_of("interleave", [](auto&... is) { return repair_to("interleave@0-1", is...); }),
      repair_of("block", [](auto&... is) { return repair_to("block@1,64", is...); }),
      repair_of("threads", bind_threads),
  };
  for (const os::Scenario& scenario : scenarios) {
    os::refuse_every_call(scenario, calls, refusals_per_trial);
    if (HasFailure()) return;
  }
  EXPECT_EQ(calls, (std::set<std::string>{"move_pages", "sched_getaffinity", "sched_setaffinity"}));
}

}  // namespace
}  // namespace homenode::cli
