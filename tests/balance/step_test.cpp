#include "balance/step.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "program_model.h"

namespace homenode::balance {
namespace {

TEST(BalanceStep, DoesNothingForAPerfectProgram) {
  const auto machine = machine_of(4, 2);
  auto model = private_regions(machine, 4,
                               [&](std::size_t t) { return NodeId(static_cast<unsigned>(t / 2)); });
  model.run(machine, 20);
  EXPECT_EQ(model.moved_pages, 0U);
  EXPECT_EQ(model.bound, 0U);
  EXPECT_EQ(model.count(Action::bind_threads) + model.count(Action::move_pages), 0U);
}

TEST(BalanceStep, MovesEachMisplacedPageOnce) {
  const auto machine = machine_of(4, 2);
  auto model = private_regions(machine, 4, [](std::size_t) { return NodeId(0); });
  const std::size_t misplaced = 6 * 4 * 512;
  model.run(machine, 20);
  EXPECT_EQ(model.moved_pages, misplaced);
  EXPECT_DOUBLE_EQ(model.local_share(), 1);
  EXPECT_EQ(model.count(Action::undo), 0U);
  EXPECT_GE(model.count(Action::verify), 1U);
}

TEST(BalanceStep, BindsThreadsBeforeItMovesPages) {
  const auto machine = machine_of(4, 2);
  auto model = private_regions(
      machine, 4, [](std::size_t t) { return NodeId(static_cast<unsigned>((t / 2 + 1) % 4)); });
  model.run(machine, 20);
  EXPECT_EQ(model.moved_pages, 0U);
  EXPECT_EQ(model.bound, 8U);
  EXPECT_DOUBLE_EQ(model.local_share(), 1);
}

/// Eight threads beside each other's memory; a window has so many samples of each region.
ProgramModel of_few_samples(const machine::Machine& machine, double of_a_region) {
  auto model = private_regions(
      machine, 4, [](std::size_t t) { return NodeId(static_cast<unsigned>((t / 2 + 1) % 4)); });
  for (auto& of_thread : model.uses) {
    for (double& uses : of_thread) uses = std::min(uses, of_a_region);
  }
  return model;
}

TEST(BalanceStep, JudgesHugePagesByTheFewSamplesThatTheyGive) {
  const auto machine = machine_of(4, 2);
  auto huge = of_few_samples(machine, 3);  // 96 in a window.
  huge.run(machine, 20);
  EXPECT_EQ(huge.bound, 8U);
  EXPECT_DOUBLE_EQ(huge.local_share(), 1);
  auto hardly = of_few_samples(machine, 1);  // 32.
  hardly.run(machine, 20);
  EXPECT_EQ(hardly.bound + hardly.moved_pages, 0U);
}

/// What the last of so many windows said about a process that its source of samples does not see.
Decision of_a_blind_source(int windows, double samples) {
  const auto machine = machine_of(4, 2);
  const auto model = private_regions(machine, 4, [](std::size_t) { return NodeId(0); });
  State state;
  Decision decision;
  for (int window = 0; window < windows; ++window) {
    auto coarse =
        step(std::move(state), 5.0 * window, {model.seen(machine, false)}, machine, {}, {});
    EXPECT_EQ(coarse.decisions.at(0).action, Action::look);
    Observation seen = model.seen(machine, true);
    seen.regions.resize(samples > 0 ? 1 : 0);
    for (Region& region : seen.regions) region.uses = {{ProgramModel::key(0), samples}};
    seen.source = "soft-dirty";
    seen.source_misses = "reads";
    seen.better_sources = {{"pmu", "this virtual machine has no PMU"}};
    auto close = step(std::move(coarse.state), 5.0 * window, {seen}, machine, {}, {});
    state = std::move(close.state);
    decision = close.decisions.at(0);
  }
  return decision;
}

TEST(BalanceStep, SaysThatItsSourceGivesNoSamplesAndWhatWouldSeeMore) {
  const Decision first = of_a_blind_source(1, 0);
  EXPECT_EQ(first.action, Action::nothing);
  EXPECT_EQ(first.reason, "soft-dirty gave no samples to judge by");
  const Decision third = of_a_blind_source(3, 0);
  EXPECT_EQ(third.action, Action::nothing);
  EXPECT_EQ(third.reason,
            "soft-dirty gave no samples to judge by, for 3 looks in a row; soft-dirty cannot see "
            "reads; pmu would see more, but this virtual machine has no PMU");
  EXPECT_TRUE(of_a_blind_source(2, 7).reason.starts_with(
      "7 samples are too few to judge by, for 2 looks in a row; soft-dirty cannot see reads"));
}

TEST(BalanceStep, LeavesThreadsAloneThatTheirOwnerHasBound) {
  const auto machine = machine_of(4, 2);
  auto model = private_regions(
      machine, 4, [](std::size_t t) { return NodeId(static_cast<unsigned>((t / 2 + 1) % 4)); });
  model.pinned.assign(8, true);
  model.run(machine, 20);
  EXPECT_EQ(model.bound + model.moved_pages, 0U);
}

// Four threads want the two CPUs beside their memory; which ones get them must not depend on the
// noise of a window, nor on where the scheduler has just taken those that are free.
TEST(BalanceStep, PlansTheSameThreadsInEachWindow) {
  const auto machine = machine_of(4, 2);
  for (unsigned seed = 1; seed <= 50; ++seed) {
    std::mt19937 random(seed);
    ProgramModel model;
    model.threads = {NodeId(0), NodeId(1), NodeId(2), NodeId(3)};
    model.regions.assign(16, {NodeId(0)});
    model.uses.assign(4, std::vector<double>(16, 0));
    for (std::size_t r = 0; r < 16; ++r) model.uses[r / 4][r] = 40;
    model.pinned.assign(4, false);
    model.noise = &random;
    model.wanders = true;
    model.run(machine, 12);
    EXPECT_EQ(model.count(Action::undo), 0U) << "seed " << seed;
    EXPECT_DOUBLE_EQ(model.local_share(), 1) << "seed " << seed;
    EXPECT_LE(model.moved_pages, 8U * 512U) << "seed " << seed;
  }
}

TEST(BalanceStep, WaitsForASecondWindow) {
  const auto machine = machine_of(2, 2);
  auto model = private_regions(machine, 8, [](std::size_t) { return NodeId(0); });
  model.run(machine, 1);
  EXPECT_EQ(model.moved_pages, 0U);
  EXPECT_EQ(model.actions, std::vector{Action::look});
}

TEST(BalanceStep, DoesNotPayMoreThanItGets) {
  const auto machine = machine_of(4, 2);
  auto model = private_regions(machine, 4, [](std::size_t) { return NodeId(0); });
  Limits limits;
  limits.misses_per_cpu_s = 1;
  model.run(machine, 20, limits);
  EXPECT_EQ(model.moved_pages, 0U);
}

TEST(BalanceStep, BringsToItsEndWhatItHasBegun) {
  const auto machine = machine_of(4, 2);
  auto model = private_regions(machine, 4, [](std::size_t) { return NodeId(0); });
  Limits limits;
  limits.most_cost_share = 2e-4;  // Half of the pages at first, and more as the program goes on.
  model.run(machine, 40, limits);
  EXPECT_GE(model.local_share(), 1 - limits.least_gain);
  EXPECT_GE(model.count(Action::move_pages), 3U);
}

// Samples of a large memory show another part of it in each window, so that what two windows show
// cannot be compared.
TEST(BalanceStep, JudgesByWindowsThatSeeDifferentParts) {
  const auto machine = machine_of(4, 2);
  for (unsigned seed = 1; seed <= 50; ++seed) {
    std::mt19937 random(seed);
    // Of each thread's eight regions, some are on the node of another's.
    auto model = private_regions(machine, 8, [](std::size_t) { return NodeId(0); });
    for (std::size_t r = 0; r < model.regions.size(); ++r) {
      model.regions[r] = {NodeId(static_cast<unsigned>((r + 6) / 16 % 4))};
    }
    State state;
    for (int window = 0; window < 60; ++window) {
      Observation seen = model.seen(machine, true);
      std::vector<std::size_t> first(model.threads.size());
      for (std::size_t& of_thread : first) of_thread = random() % 8;
      std::erase_if(seen.regions, [&](const Region& region) {
        const std::size_t r = (region.first >> 21U) - 1;
        return (r + first[r / 8]) % 8 < 4;
      });
      auto done = step(std::move(state), window * 5, {seen}, machine, {}, {});
      state = std::move(done.state);
      model.apply(done.decisions.at(0));
    }
    EXPECT_GE(model.local_share(), 1 - Limits{}.least_gain) << "seed " << seed;
    EXPECT_LE(model.count(Action::undo), 1U) << "seed " << seed;
    EXPECT_EQ(model.count(Action::hands_off), 0U) << "seed " << seed;
  }
}

TEST(BalanceStep, KeepsANodeFromFilling) {
  const auto machine = machine_of(2, 2);
  auto model = private_regions(machine, 8, [](std::size_t) { return NodeId(0); });
  auto seen = model.seen(machine, true);
  seen.free[NodeId(1)] = Bytes{std::uint64_t{8} << 30U};
  State state;
  Limits limits;
  limits.least_free_share = 1;
  for (int window = 0; window < 4; ++window) {
    auto done = step(std::move(state), window * 5, {seen}, machine, {}, limits);
    state = std::move(done.state);
    EXPECT_NE(done.decisions[0].action, Action::move_pages);
  }
}

TEST(BalanceStep, TakesBackWhatDidNotHelpAndThenLeavesItAlone) {
  const auto machine = machine_of(4, 2);
  auto model = private_regions(machine, 4, [](std::size_t) { return NodeId(0); });
  State state;
  std::vector<Action> actions;
  // Whatever is done, the next window sees the same: no plan holds.
  for (int window = 0; window < 60; ++window) {
    auto done = step(std::move(state), window * 5, {model.seen(machine, true)}, machine, {}, {});
    state = std::move(done.state);
    actions.push_back(done.decisions[0].action);
  }
  EXPECT_EQ(std::count(actions.begin(), actions.end(), Action::move_pages), 2);
  EXPECT_EQ(std::count(actions.begin(), actions.end(), Action::undo), 1);
  EXPECT_EQ(std::count(actions.begin(), actions.end(), Action::hands_off), 1);
  EXPECT_EQ(actions.back(), Action::nothing);
}

TEST(BalanceStep, DoesNotActOnTheLittleThatTwoWindowsAgreeOn) {
  const auto machine = machine_of(4, 2);
  auto model = private_regions(
      machine, 4, [](std::size_t t) { return NodeId(static_cast<unsigned>((t / 2 + 1) % 4)); });
  State state;
  // The scheduler takes all threads to another node between two windows.
  for (unsigned window = 0; window < 12; ++window) {
    for (std::size_t t = 0; t < model.threads.size(); ++t) {
      model.threads[t] = NodeId(static_cast<unsigned>((t + window) % 4));
    }
    auto done = step(std::move(state), window * 5, {model.seen(machine, true)}, machine, {}, {});
    state = std::move(done.state);
    const Decision& decision = done.decisions.at(0);
    if (decision.action != Action::bind_threads && decision.action != Action::move_pages) continue;
    EXPECT_GE(decision.local_predicted - decision.local_before, Limits{}.least_gain);
  }
}

TEST(BalanceStep, SaysWhyAtTheGate) {
  const auto machine = machine_of(2, 1);
  auto model = private_regions(machine, 1, [](std::size_t) { return NodeId(0); });
  const auto reason = [&](const auto& change) {
    auto seen = model.seen(machine, false);
    change(seen);
    return step({}, 0, {seen}, machine, {}, {}).decisions.at(0).reason;
  };
  EXPECT_EQ(reason([](Observation& s) { s.why_not = "process 9 traces it"; }),
            "process 9 traces it");
  EXPECT_EQ(reason([](Observation& s) { s.cpus = 0.1; }), "it uses 0.10 CPUs, less than 0.50");
  EXPECT_EQ(reason([](Observation& s) { s.age_s = 2; }), "it has run for 2 s, less than 5");
  EXPECT_EQ(reason([](Observation& s) { s.resident = 1_MiB; }),
            "it has 1 MiB of memory, less than 64");
  EXPECT_EQ(step({}, 0, {model.seen(machine, false)}, machine_of(1, 2), {}, {}).decisions[0].reason,
            "the machine has one node");
}

}  // namespace
}  // namespace homenode::balance
