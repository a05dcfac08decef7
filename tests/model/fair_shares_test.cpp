#include "model/fair_shares.h"

#include <gtest/gtest.h>

#include <numeric>
#include <random>

namespace homenode::model {
namespace {

/// A flow of so many bytes at a byte a second, whose share of a resource is one of bytes.
Flow bytes(double amount, std::size_t resource = 0) {
  return {.weight = 1 / amount, .needs = {{resource, amount}}};
}

TEST(FairShares, GiveAFlowAloneAllThatThereIs) {
  const auto done = complete({bytes(3)}, 1);
  EXPECT_DOUBLE_EQ(done[0].seconds, 3);
  EXPECT_DOUBLE_EQ(done[0].held_up_s[0], 3);
}

TEST(FairShares, LeaveWhatOneNoLongerNeedsToTheOther) {
  // Both get half until 2 s; then the second gets all for the other 2 of its 3 bytes.
  const auto done = complete({bytes(1), bytes(3)}, 1);
  EXPECT_DOUBLE_EQ(done[0].seconds, 2);
  EXPECT_DOUBLE_EQ(done[1].seconds, 4);
}

TEST(FairShares, GiveWhatASlowFlowCannotTakeToTheOthers) {
  Flow slow = bytes(1);
  slow.least_s = 4;
  const auto done = complete({slow, bytes(1)}, 1);
  EXPECT_DOUBLE_EQ(done[1].seconds, 1 / 0.75);
  EXPECT_DOUBLE_EQ(done[0].seconds, 4);
  EXPECT_DOUBLE_EQ(done[0].held_up_s[1], 4);
}

TEST(FairShares, AreMaxMinFairOverSeveralResources) {
  // The long flow passes both; each short one passes one of them (Bertsekas and Gallager).
  Flow both{.weight = 1, .needs = {{0, 1}, {1, 1}}};
  const Flow second{.weight = 1, .needs = {{1, 0.25}}};
  const auto done = complete({both, bytes(1, 0), second}, 2);
  EXPECT_DOUBLE_EQ(done[1].seconds, 2);
  // The rest of the second resource, a half, serves it twice as fast as it needs a quarter.
  EXPECT_DOUBLE_EQ(done[2].seconds, 0.5);
  EXPECT_DOUBLE_EQ(done[0].seconds, 2);
}

TEST(FairShares, OfCoursesThatMeetAtOneResourceAfterTheOtherLastTwiceAsLong) {
  const Course one{bytes(1, 0), bytes(1, 1)};
  const Course same = one;
  const Course turned{bytes(1, 1), bytes(1, 0)};
  EXPECT_DOUBLE_EQ(complete(std::vector<Course>{one, same}, 2)[1].seconds, 4);
  const auto apart = complete(std::vector<Course>{one, turned}, 2);
  EXPECT_DOUBLE_EQ(apart[0].seconds, 2);
  EXPECT_DOUBLE_EQ(apart[1].held_up_s[0], 1);
  EXPECT_DOUBLE_EQ(apart[1].held_up_s[1], 1);
}

TEST(FairShares, LetACourseGoOnToWhatNobodyElseUses) {
  // Both get half of the first resource until 2 s; the second then has the other by itself.
  const auto done =
      complete(std::vector<Course>{{bytes(1, 0)}, {bytes(1, 0), Flow{}, bytes(3, 1)}}, 2);
  EXPECT_DOUBLE_EQ(done[0].seconds, 2);
  EXPECT_DOUBLE_EQ(done[1].seconds, 5);
}

TEST(FairShares, TakeNoTimeForNothing) {
  const auto done = complete({Flow{}, bytes(1)}, 1);
  EXPECT_EQ(done[0].seconds, 0);
  EXPECT_DOUBLE_EQ(done[1].seconds, 1);
}

TEST(FairShares, NeverBeatAResourceNorTheFlowItselfAndUseOneThatIsAlwaysAskedFor) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> amount(0.01, 2);
  for (int round = 0; round < 200; ++round) {
    std::vector<Flow> flows(1 + random() % 12);
    std::vector<double> asked(3, 0);
    for (Flow& flow : flows) {
      flow.weight = amount(random);
      flow.least_s = random() % 2 == 0 ? amount(random) : 0;
      for (std::size_t resource = 0; resource < asked.size(); ++resource) {
        if (random() % 3 == 0) continue;
        flow.needs.push_back({resource, amount(random)});
        asked[resource] += flow.needs.back().seconds;
      }
    }
    const auto done = complete(flows, asked.size());
    double last = 0;
    double bound = 0;
    for (std::size_t index = 0; index < flows.size(); ++index) {
      last = std::max(last, done[index].seconds);
      bound += flows[index].least_s;
      EXPECT_GE(done[index].seconds, flows[index].least_s * (1 - 1e-9));
      const auto& held = done[index].held_up_s;
      EXPECT_NEAR(std::accumulate(held.begin(), held.end(), 0.0), done[index].seconds, 1e-9);
    }
    for (const double seconds : asked) {
      EXPECT_GE(last, seconds * (1 - 1e-9));
      bound += seconds;
    }
    EXPECT_LE(last, bound * (1 + 1e-9));
  }
}

}  // namespace
}  // namespace homenode::model
