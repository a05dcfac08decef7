// A thousand processes on a machine of 64 nodes, all judged in the same steps.
#include <gtest/gtest.h>

#include <map>
#include <random>

#include "program_model.h"
#include "support/sanitized.h"

namespace homenode::balance {
namespace {

struct Fleet {
  machine::Machine machine = machine_of(64, 32);
  std::vector<ProgramModel> programs;
  State state;
  double now_s = 0;

  explicit Fleet(std::size_t size) {
    std::mt19937 random(14);
    std::uniform_int_distribution<unsigned> any(0, 63);
    for (std::size_t p = 0; p < size; ++p) {
      ProgramModel program;
      program.threads.assign(2, NodeId(static_cast<unsigned>(p % 64)));
      program.regions.assign(8, {NodeId(any(random))});
      program.uses.assign(2, std::vector<double>(8, 20));
      // The owner has bound a thread of every other one: there only memory can move.
      program.pinned = {false, p % 2 == 1};
      program.threads_before = program.threads;
      program.regions_before = program.regions;
      programs.push_back(program);
    }
  }

  void window() {
    std::vector<Observation> seen;
    for (std::size_t p = 0; p < programs.size(); ++p) {
      seen.push_back(programs[p].seen(machine, true));
      seen.back().process = {static_cast<pid_t>(1000 + p), 1};
    }
    auto done = step(std::move(state), now_s, seen, machine, {}, {});
    state = std::move(done.state);
    for (std::size_t p = 0; p < programs.size(); ++p) {
      ASSERT_EQ(done.decisions[p].process.id, static_cast<pid_t>(1000 + p));
      programs[p].apply(done.decisions[p]);
      programs[p].age_s += 5;
    }
    now_s += 5;
  }
};

TEST(BalanceFleet, AThousandProcessesBecomeLocalWithinTheCpusThatThereAre) {
  const std::size_t many = sanitized ? 250 : 1000;
  Fleet fleet(many);
  for (int window = 0; window < 6; ++window) fleet.window();
  std::map<NodeId, std::size_t> threads;
  double local = 0;
  for (const ProgramModel& program : fleet.programs) {
    local += program.local_share();
    for (const NodeId node : program.threads) ++threads[node];
    EXPECT_LE(program.moved_pages, program.pages * program.regions.size());
    EXPECT_EQ(program.count(Action::undo) + program.count(Action::hands_off), 0U);
  }
  for (const auto& [node, count] : threads) EXPECT_LE(count, 32U + 2U) << node.value();
  EXPECT_GT(local / static_cast<double>(many), 0.95);
}

}  // namespace
}  // namespace homenode::balance
