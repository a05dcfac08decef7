// Memory that several nodes' threads use: spread over them, or split into its pages.
#include <gtest/gtest.h>

#include <algorithm>

#include "balance/step.h"
#include "program_model.h"

namespace homenode::balance {
namespace {

/// All threads use all of the memory.
ProgramModel shared_regions(const machine::Machine& machine, auto home) {
  auto model = private_regions(machine, 4, home);
  for (auto& of_thread : model.uses) std::fill(of_thread.begin(), of_thread.end(), 5.0);
  return model;
}

TEST(BalanceStepShared, LeavesSharedMemoryAloneThatLiesOnAllNodes) {
  const auto machine = machine_of(4, 2);
  auto model =
      shared_regions(machine, [](std::size_t t) { return NodeId(static_cast<unsigned>(t % 4)); });
  model.run(machine, 20);
  EXPECT_EQ(model.bound + model.moved_pages, 0U);
}

TEST(BalanceStepShared, SpreadsSharedMemoryThatOneNodeServesAlone) {
  const auto machine = machine_of(4, 2);
  auto model = shared_regions(machine, [](std::size_t) { return NodeId(0); });
  model.run(machine, 40);
  EXPECT_EQ(model.bound, 0U);
  EXPECT_EQ(model.moved_pages, 24U * model.pages);  // Each once, but for those that may stay.
  for (const Home& home : model.regions) EXPECT_EQ(home.size(), 4U);
  EXPECT_EQ(model.count(Action::undo), 0U);
  EXPECT_GE(model.count(Action::verify), 1U);
}

// All on three of four nodes, and the one without threads is another in each window: over as many
// as have the CPUs that they take.
TEST(BalanceStepShared, SpreadsSharedMemoryOfThreadsThatWander) {
  const auto machine = machine_of(4, 3);
  for (const std::size_t threads : {std::size_t{12}, std::size_t{9}}) {
    auto model = shared_regions(machine, [](std::size_t) { return NodeId(0); });
    for (std::size_t t = 0; t < 12; ++t) {
      model.threads[t] = NodeId(static_cast<unsigned>(t % 3));
      if (t >= threads) model.uses[t].assign(model.regions.size(), 0);
    }
    model.wanders = true;
    model.run(machine, 40);
    for (const Home& home : model.regions) EXPECT_EQ(home.size(), threads / 3);
  }
}

TEST(BalanceStepShared, SpreadsOverTheNodesThatThreadsWhichShareCpusWouldTake) {
  const auto machine = machine_of(4, 2);
  auto model = shared_regions(machine, [](std::size_t) { return NodeId(0); });
  for (std::size_t t = 0; t < 8; ++t) model.threads[t] = NodeId(static_cast<unsigned>(t % 3));
  model.run(machine, 40);
  for (const Home& home : model.regions) EXPECT_EQ(home.size(), 4U);
}

TEST(BalanceStepShared, DoesNotSpreadForThreadsThatOneNodeCanServe) {
  const auto machine = machine_of(4, 2);
  auto model = shared_regions(machine, [](std::size_t) { return NodeId(0); });
  Limits limits;
  limits.least_spread_cpus = 9;
  model.run(machine, 20, limits);
  EXPECT_EQ(model.bound + model.moved_pages, 0U);
}

// Where free threads are when a window ends is the scheduler's doing; with the pages that a plan
// brings them, it keeps them.
TEST(BalanceStepShared, MovesPagesOfThreadsThatWander) {
  const auto machine = machine_of(4, 2);
  auto model = private_regions(machine, 4, [](std::size_t) { return NodeId(0); });
  model.wanders = true;
  model.run(machine, 20);
  EXPECT_DOUBLE_EQ(model.local_share(), 1);
  EXPECT_EQ(model.moved_pages, 6U * 4 * 512);
}

/// Four regions on node 0, whose pages belong to the threads in turn, or are shared by all nodes.
/// `window` says by how many threads they have changed hands.
Observation of_pages(const machine::Machine& machine, double uses, bool shared,
                     std::size_t window = 0) {
  auto model = shared_regions(machine, [](std::size_t) { return NodeId(0); });
  Observation seen = model.seen(machine, true);
  seen.regions.resize(4);
  for (Region& region : seen.regions) {
    for (std::uint64_t p = 0; p < 512; ++p) {
      Page page{region.first + p * 4096, NodeId(0), {{ProgramModel::key((p + window) % 8), uses}}};
      for (std::size_t t = 0; shared && t < 8; t += 2) page.uses[ProgramModel::key(t)] = uses;
      for (const auto& [thread, uses] : page.uses) region.uses[thread] += uses;
      region.used_pages.push_back(page);
    }
  }
  return seen;
}

/// The plan that at most six windows come to.
Decision of_windows(const machine::Machine& machine, auto seen_in, const Limits& limits = {}) {
  State state;
  Decision decision;
  for (std::size_t window = 0; window < 6 && decision.action != Action::move_pages; ++window) {
    auto done = step(std::move(state), static_cast<double>(window) * 5, {seen_in(window)}, machine,
                     {}, limits);
    state = std::move(done.state);
    decision = done.decisions.at(0);
  }
  EXPECT_EQ(decision.action, Action::move_pages) << decision.reason;
  return decision;
}

/// So many moves, each of so many pages to a home of so many nodes.
void expect_moves(const Decision& decision, std::size_t moves, std::size_t nodes,
                  std::uint64_t pages) {
  EXPECT_EQ(decision.pages.size(), moves);
  for (const PageMove& move : decision.pages) {
    EXPECT_EQ(move.home.size(), nodes);
    EXPECT_EQ(move.pages, pages);
  }
}

TEST(BalanceStepShared, SplitsRegionsWhosePagesBelongToSeveralNodes) {
  const auto machine = machine_of(4, 2);
  for (const double uses : {2, 4}) {
    const Decision decision =
        of_windows(machine, [&](std::size_t) { return of_pages(machine, uses, false); });
    EXPECT_EQ(decision.pages.size(), 3U * 512) << uses;
    for (const PageMove& move : decision.pages) {
      EXPECT_EQ(move.pages, 1U);
      EXPECT_EQ(move.home, Home{NodeId((move.first / 4096 % 8) / 2)}) << move.first;
    }
  }
}

// Some threads use a page in the same window, or another one in each, several times in a row.
TEST(BalanceStepShared, KeepsRegionsWholeWhosePagesAreShared) {
  const auto machine = machine_of(4, 2);
  for (const bool at_once : {false, true}) {
    const Decision decision = of_windows(machine, [&](std::size_t window) {
      return of_pages(machine, 4, at_once, at_once ? 0 : 2 * window);
    });
    expect_moves(decision, 4, 4, 384);
  }
}

// Each thread's memory becomes the next one's every two windows, before a plan has been proved.
TEST(BalanceStepShared, SpreadsMemoryThatThreadsHandOn) {
  const auto machine = machine_of(4, 2);
  auto model = private_regions(machine, 4, [](std::size_t t) { return NodeId(t < 4 ? 0 : 1); });
  const double busiest = model.busiest_share();
  model.changes = [](ProgramModel& program, int window) {
    if (window % 2 != 0) return;
    std::rotate(program.uses.begin(), program.uses.begin() + 1, program.uses.end());
  };
  model.run(machine, 80);
  for (const Home& home : model.regions) EXPECT_EQ(home.size(), 4U);
  EXPECT_LT(model.busiest_share(), busiest);
  const std::uint64_t of_the_last_plan = 32U * 384;
  EXPECT_LE(model.moved_pages, 2 * of_the_last_plan);
}

// A thread that ends hands nothing on: its memory goes to the node of the next one. No plan is made
// before three generations of threads were there.
TEST(BalanceStepShared, MovesMemoryToThreadsThatCameAfterOthers) {
  const auto machine = machine_of(4, 2);
  const auto model = private_regions(machine, 4, [](std::size_t) { return NodeId(0); });
  Limits limits;
  limits.windows = 6;
  const auto renewed = [&](std::size_t window) {
    Observation seen = model.seen(machine, true);
    const std::uint64_t started = window / 2;
    for (Thread& thread : seen.threads) thread.key.started = started;
    for (Region& region : seen.regions) {
      std::map<TaskKey, double> uses;
      for (const auto& [thread, count] : region.uses) uses[{thread.id, started}] = count;
      region.uses = uses;
    }
    return seen;
  };
  ProcessMemory memory;
  for (std::size_t window = 0; window < 6; ++window) remember(memory, renewed(window), limits);
  for (const auto& [first, region] : memory.regions) EXPECT_EQ(region.handovers, 0) << first;
  const Decision decision = of_windows(machine, renewed, limits);
  EXPECT_EQ(decision.pages.size(), 24U);
  for (const PageMove& move : decision.pages) EXPECT_EQ(move.home.size(), 1U);
}

TEST(BalanceStepShared, SpreadsHugePagesAsWholes) {
  const auto machine = machine_of(4, 2);
  const auto model = shared_regions(machine, [](std::size_t) { return NodeId(0); });
  Observation seen = model.seen(machine, true);
  for (Region& region : seen.regions) region.is_whole = true;
  const Decision decision = of_windows(machine, [&](std::size_t) { return seen; });
  expect_moves(decision, 24, 1, 512);
}

// Half of the threads are with the memory that all use: spread, twice as much of it would be
// remote.
TEST(BalanceStepShared, DoesNotSpreadAtTheCostOfLocality) {
  const auto machine = machine_of(2, 4);
  auto model = shared_regions(machine, [](std::size_t t) { return NodeId(t < 2 ? 0 : 1); });
  model.threads.assign(8, NodeId(1));
  model.threads[0] = model.threads[1] = NodeId(0);
  model.pinned.assign(8, true);
  model.run(machine, 20);
  EXPECT_EQ(model.moved_pages, 0U);
}

}  // namespace
}  // namespace homenode::balance
