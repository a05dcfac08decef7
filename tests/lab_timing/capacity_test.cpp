#include "lab/timing/capacity.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <thread>
#include <vector>

#include "small_machine.h"

namespace homenode::lab {
namespace {

using timing_test::epoch_ps;

constexpr std::uint64_t service_ps = 5'000;
constexpr std::uint64_t lead_ps = 200'000;

/// Users that each keep so many requests in flight, in the order of modelled time; each asks again
/// `latency_ps` and its wait after it asked. Returns what each has got by `span_ps`.
std::vector<std::uint64_t> served(Capacity& capacity, const std::vector<std::size_t>& in_flight,
                                  std::uint64_t latency_ps, std::uint64_t span_ps) {
  std::vector<std::vector<std::uint64_t>> done;
  done.reserve(in_flight.size());
  for (const std::size_t count : in_flight) done.emplace_back(count);
  std::vector<std::uint64_t> counts(in_flight.size());
  for (;;) {
    unsigned user = 0;
    for (unsigned i = 1; i < done.size(); ++i) {
      if (std::ranges::min(done[i]) < std::ranges::min(done[user])) user = i;
    }
    std::uint64_t& slot = *std::ranges::min_element(done[user]);
    if (slot >= span_ps) return counts;
    slot += latency_ps + capacity.reserve(slot, service_ps, user);
    ++counts[user];
  }
}

constexpr std::uint64_t span_ps = 400'000'000;
constexpr auto whole = static_cast<double>(span_ps / service_ps);

TEST(Capacity, PassesItsCapacityWhenSaturated) {
  for (const std::size_t users : {1U, 2U, 3U, 8U}) {
    Capacity capacity(static_cast<unsigned>(users), epoch_ps);
    const auto counts = served(capacity, std::vector<std::size_t>(users, 30), 100'000, span_ps);
    std::uint64_t sum = 0;
    for (const std::uint64_t count : counts) sum += count;
    EXPECT_NEAR(static_cast<double>(sum), whole, whole * 0.05) << users;
    for (const std::uint64_t count : counts) {
      const double part = whole / static_cast<double>(users);
      EXPECT_NEAR(static_cast<double>(count), part, part * 0.1) << users;
    }
    EXPECT_EQ(capacity.busy_ps(), sum * service_ps);
  }
}

TEST(Capacity, LetsTheOthersHaveWhatOneDoesNotWant) {
  Capacity capacity(3, epoch_ps);
  // The first asks for a twentieth of the whole, the others for all.
  const auto counts = served(capacity, {1, 30, 30}, 100'000, span_ps);
  EXPECT_LT(static_cast<double>(counts[0]), whole * 0.06);
  EXPECT_NEAR(static_cast<double>(counts[0] + counts[1] + counts[2]), whole, whole * 0.05);
  EXPECT_NEAR(static_cast<double>(counts[1]), static_cast<double>(counts[2]), whole * 0.05);
}

TEST(Capacity, NeverMakesALoneUserWaitBelowSaturation) {
  Capacity capacity(4, epoch_ps);
  for (std::uint64_t i = 0; i < 20'000; ++i) {
    ASSERT_EQ(capacity.reserve(i * service_ps, service_ps, 3), 0U) << i;
  }
}

TEST(Capacity, MakesOneWhoAsksForTwiceAsMuchWaitForItself) {
  Capacity capacity(1, epoch_ps);
  constexpr std::uint64_t requests = 4'000;
  std::uint64_t wait_ps = 0;
  for (std::uint64_t i = 0; i < requests; ++i) {
    wait_ps = capacity.reserve(lead_ps + i * service_ps / 2, service_ps, 0);
  }
  // Served when all before it have been.
  EXPECT_NEAR(static_cast<double>(wait_ps), static_cast<double>(requests * service_ps / 2),
              static_cast<double>(lead_ps + 250'000));
}

TEST(Capacity, WaitsAsAQueueWithSteadyServiceWhereOthersAre) {
  for (const std::uint64_t percent : {10U, 25U, 50U, 80U}) {
    Capacity capacity(2, epoch_ps);
    for (std::uint64_t at_ps = 0; at_ps < 4 * epoch_ps; at_ps += service_ps * 100 / percent) {
      (void)capacity.reserve(at_ps, service_ps, 1);
    }
    const double rho = static_cast<double>(percent) / 100;
    const double expected_ps = static_cast<double>(service_ps) * rho / (2 * (1 - rho));
    const std::uint64_t wait_ps = capacity.reserve(4 * epoch_ps, service_ps, 0);
    EXPECT_NEAR(static_cast<double>(wait_ps), expected_ps, expected_ps / 50 + 1) << percent;
  }
}

TEST(Capacity, AcceptsUsersThatRunApart) {
  // Two users, 40 % together, one of them an epoch behind: nobody is near saturation.
  Capacity capacity(2, epoch_ps);
  std::uint64_t longest_ps = 0;
  for (std::uint64_t at_ps = epoch_ps; at_ps < 20 * epoch_ps; at_ps += 5 * service_ps) {
    longest_ps = std::max(longest_ps, capacity.reserve(at_ps, service_ps, 0));
    longest_ps = std::max(longest_ps, capacity.reserve(at_ps - epoch_ps, service_ps, 1));
  }
  // No more than the mean wait at 40 %.
  EXPECT_LE(longest_ps, service_ps * 4 / 12 + 1);
  EXPECT_GT(longest_ps, 0U);
}

TEST(Capacity, AcceptsOnesOwnRequestsOutOfOrder) {
  Capacity capacity(1, epoch_ps);
  for (std::uint64_t at_ps = lead_ps; at_ps < 20 * epoch_ps; at_ps += 5 * service_ps) {
    ASSERT_EQ(capacity.reserve(at_ps, service_ps, 0), 0U);
    ASSERT_EQ(capacity.reserve(at_ps - lead_ps + 2 * service_ps, service_ps, 0), 0U);
  }
}

TEST(Capacity, StartsAnewAfterAPause) {
  Capacity capacity(1, epoch_ps);
  for (int i = 0; i < 1'000; ++i) (void)capacity.reserve(0, service_ps, 0);
  EXPECT_GT(capacity.reserve(0, service_ps, 0), 900 * service_ps);
  for (const std::uint64_t round : {1U, 7U, 1'000U}) {
    EXPECT_EQ(capacity.reserve(round * 1024 * 250'000, service_ps, 0), 0U);
  }
}

TEST(Capacity, LimitsAlsoWhatBeginsAfterManyMinutes) {
  for (const std::uint64_t second : {500U, 600U, 1'200U, 4'000U}) {
    Capacity capacity(2, epoch_ps);
    const std::uint64_t at_ps = second * 1'000'000'000'000;
    for (int i = 0; i < 500; ++i) (void)capacity.reserve(at_ps, service_ps, 0);
    // The bins from here on are full, also for one who has asked for nothing yet.
    EXPECT_GT(capacity.reserve(at_ps, service_ps, 1), 200 * service_ps) << second;
  }
}

TEST(Capacity, CostsNothingWhereServiceDoes) {
  Capacity capacity(2, epoch_ps);
  for (unsigned i = 0; i < 1'000; ++i) ASSERT_EQ(capacity.reserve(0, 0, i % 2), 0U);
  EXPECT_EQ(capacity.busy_ps(), 0U);
}

TEST(Capacity, ForgetsEverythingWhenCleared) {
  Capacity capacity(2, epoch_ps);
  for (int i = 0; i < 1'000; ++i) (void)capacity.reserve(0, service_ps, 1);
  capacity.clear();
  EXPECT_EQ(capacity.busy_ps(), 0U);
  EXPECT_EQ(capacity.reserve(0, service_ps, 1), 0U);
  EXPECT_EQ(capacity.reserve(0, service_ps, 0), 0U);
}

TEST(Capacity, LosesNoRequestOfManyThreads) {
  Capacity capacity(4, epoch_ps);
  constexpr std::uint64_t each = 5'000;
  {
    std::vector<std::jthread> threads;
    for (unsigned user = 0; user < 4; ++user) {
      threads.emplace_back([&capacity, user] {
        for (std::uint64_t i = 0; i < each; ++i) {
          (void)capacity.reserve(i * 4 * service_ps, service_ps, user);
        }
      });
    }
  }
  EXPECT_EQ(capacity.busy_ps(), 4 * each * service_ps);
}

}  // namespace
}  // namespace homenode::lab
