// Random machines, programs and noise: what must hold whatever is seen. HOMENODE_FUZZ multiplies
// the number of cases, of which a sanitizer watches a twentieth.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <random>

#include "program_model.h"
#include "support/sanitized.h"

namespace homenode::balance {
namespace {

int cases() {
  const char* const more = std::getenv("HOMENODE_FUZZ");
  return (sanitized ? 25 : 1000) * (more == nullptr ? 1 : std::max(1, std::atoi(more)));
}

using Random = std::mt19937;

std::size_t below(Random& random, std::size_t limit) {
  return std::uniform_int_distribution<std::size_t>(0, limit - 1)(random);
}

ProgramModel random_program(Random& random, const machine::Machine& machine) {
  ProgramModel model;
  const std::size_t threads = 1 + below(random, 2 * machine.cpus().size());
  const std::size_t regions = 1 + below(random, 24);
  const auto nodes = machine.nodes.size();
  for (std::size_t t = 0; t < threads; ++t)
    model.threads.emplace_back(static_cast<unsigned>(below(random, nodes)));
  for (std::size_t r = 0; r < regions; ++r)
    model.regions.push_back({NodeId(static_cast<unsigned>(below(random, nodes)))});
  model.uses.assign(threads, std::vector<double>(regions, 0));
  for (auto& of_thread : model.uses) {
    for (double& uses : of_thread) {
      if (below(random, 4) == 0) uses = static_cast<double>(below(random, 200));
    }
  }
  model.pinned.clear();
  for (std::size_t t = 0; t < threads; ++t) model.pinned.push_back(below(random, 4) == 0);
  model.threads_before = model.threads;
  model.regions_before = model.regions;
  return model;
}

TEST(BalanceStepProperty, NeverMakesAProgramWorseOrGoesToAndFro) {
  Random random(11);
  for (int round = 0; round < cases(); ++round) {
    const auto machine = machine_of(static_cast<unsigned>(1 + below(random, 8)),
                                    static_cast<unsigned>(1 + below(random, 4)));
    ProgramModel model = random_program(random, machine);
    const double before = model.local_share();
    const double busiest = model.busiest_share();
    const auto all = model.pages * model.regions.size();
    const std::vector<NodeId> threads = model.threads;
    model.run(machine, 60);
    // A point of it may go for two of the busiest node's share.
    const double spread = std::max(0.0, busiest - model.busiest_share());
    EXPECT_GE(model.local_share(), before - spread / 2 - 1e-9) << "round " << round;
    EXPECT_LE(model.moved_pages, all) << "round " << round;
    EXPECT_EQ(model.count(Action::undo) + model.count(Action::hands_off), 0U) << "round " << round;
    for (std::size_t t = 0; t < threads.size(); ++t) {
      EXPECT_TRUE(!model.pinned[t] || model.threads[t] == threads[t]) << "round " << round;
    }
    if (HasFailure()) return;
  }
}

TEST(BalanceStepProperty, NoiseMovesNothingToAndFro) {
  Random random(12);
  for (int round = 0; round < cases(); ++round) {
    const auto machine = machine_of(static_cast<unsigned>(2 + below(random, 7)),
                                    static_cast<unsigned>(1 + below(random, 4)));
    ProgramModel model = random_program(random, machine);
    model.noise = &random;
    const double before = model.local_share();
    const double busiest = model.busiest_share();
    const std::vector<NodeId> threads = model.threads;
    model.run(machine, 40);
    // What is taken back counts as moved, but not its way back: a region goes at most twice.
    EXPECT_LE(model.moved_pages, 2 * model.pages * model.regions.size()) << "round " << round;
    EXPECT_LE(model.bound, 3 * threads.size()) << "round " << round;
    EXPECT_LE(model.count(Action::hands_off), 1U) << "round " << round;
    const double spread = std::max(0.0, busiest - model.busiest_share());
    EXPECT_GE(model.local_share(), before - spread / 2 - 0.02) << "round " << round;
    for (std::size_t t = 0; t < threads.size(); ++t) {
      EXPECT_TRUE(!model.pinned[t] || model.threads[t] == threads[t]) << "round " << round;
    }
    if (HasFailure()) return;
  }
}

TEST(BalanceStepProperty, PlansStayWithinTheirBounds) {
  Random random(13);
  int plans = 0;
  for (int round = 0; round < cases(); ++round) {
    const auto machine = machine_of(static_cast<unsigned>(2 + below(random, 7)),
                                    static_cast<unsigned>(1 + below(random, 4)));
    ProgramModel model = random_program(random, machine);
    Observation seen = model.seen(machine, true);
    for (auto& [node, free] : seen.free) free = Bytes{(400U << 20U) + (below(random, 64) << 20U)};
    seen.memory = {NodeId(0), NodeId(1)};
    State state;
    Limits limits;
    Costs costs;
    costs.page_s = 1e-3 * static_cast<double>(1 + below(random, 20));
    costs.remote_penalty_s = 1e-5;
    double spent_s = 0;
    for (int window = 0; window < 3; ++window) {
      auto done = step(std::move(state), window * 5, {seen}, machine, costs, limits);
      state = std::move(done.state);
      std::map<NodeId, std::uint64_t> bytes;
      for (const PageMove& move : done.decisions.at(0).pages) {
        for (const auto& [node, pages] : pages_in_turn(move.home, move.pages)) {
          EXPECT_TRUE(seen.memory.contains(node)) << "round " << round;
          bytes[node] += pages * move.page_size.value;
        }
      }
      if (done.decisions[0].action != Action::move_pages) continue;
      ++plans;
      spent_s += done.decisions[0].cost_s;
      EXPECT_GE(done.decisions[0].benefit_s, 2 * done.decisions[0].cost_s) << "round " << round;
      for (const auto& [node, here] : bytes) {
        EXPECT_LE(here, seen.free[node].value - (std::uint64_t{8} << 30U) / 20) << round;
      }
    }
    EXPECT_LE(spent_s, 0.05 * seen.age_s * seen.cpus + 1) << "round " << round;
    if (HasFailure()) return;
  }
  EXPECT_GT(plans, 0);
}

}  // namespace
}  // namespace homenode::balance
