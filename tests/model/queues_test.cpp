#include "model/queues.h"

#include <gtest/gtest.h>

namespace homenode::model {
namespace {

/// So many requests that each occupy a resource for a second.
Customer of_seconds(std::size_t requests, std::size_t in_flight, std::size_t resource = 0) {
  Customer customer;
  customer.kinds = {{{{resource, 1}}, 0, {}}};
  customer.requests.assign(requests, 0);
  customer.in_flight = in_flight;
  return customer;
}

TEST(Queues, ServeOneRequestAfterAnother) {
  // What has begun is let through: the last one begins after the others' three seconds.
  const auto served = serve({of_seconds(4, 4)}, 1);
  EXPECT_DOUBLE_EQ(served[0].seconds, 3);
  EXPECT_DOUBLE_EQ(served[0].stood_still_s[0], 3);
}

TEST(Queues, HaveAsManyRequestsInFlightAsTheCustomer) {
  Customer customer = of_seconds(30, 3);
  customer.kinds = {{{{0, 0}}, 2, {}}};
  const auto served = serve({customer}, 1);
  EXPECT_DOUBLE_EQ(served[0].seconds, 30 / 3 * 2);
  EXPECT_DOUBLE_EQ(served[0].stood_still_s[1], 30 / 3 * 2);
}

TEST(Queues, LetACustomerComputeWhileRequestsAreOnTheirWay) {
  Customer customer = of_seconds(100, 4);
  customer.kinds[0].latency_s = 2;
  customer.computing_s = 5;
  EXPECT_DOUBLE_EQ(serve({customer}, 1)[0].seconds, 2 + 100 * 5);
}

TEST(Queues, ShareAResourceByRequestsInFlight) {
  const auto served = serve({of_seconds(400, 1), of_seconds(1200, 3)}, 1);
  EXPECT_NEAR(served[0].half_s, 800, 5);
  EXPECT_NEAR(served[0].seconds, 1600, 5);
  EXPECT_NEAR(served[1].seconds, 1600, 5);
}

TEST(Queues, LeaveToOthersWhatGoesWithARequestAfterIt) {
  // Nobody waits for what is sent, but it occupies the resource for as long again.
  Customer writer = of_seconds(100, 1);
  writer.kinds[0].sends = {{0, 1}};
  EXPECT_NEAR(serve({writer}, 1)[0].seconds, 200, 2);
}

TEST(Queues, PassOneResourceAfterAnother) {
  // The slower of two decides.
  Customer customer = of_seconds(100, 8);
  customer.kinds[0].passes = {{0, 1}, {1, 3}};
  const auto served = serve({customer}, 2);
  EXPECT_NEAR(served[0].seconds, 300, 10);
  EXPECT_GT(served[0].stood_still_s[1], 200);
}

TEST(Queues, AskForNothingElsewhereBeforeAWalkIsUsed) {
  // Of six requests four are on their way at first and two then; of those without end always four.
  Customer customer = of_seconds(30, 4);
  customer.kinds = {{{{0, 0}}, 2, {}}};
  EXPECT_DOUBLE_EQ(serve({customer}, 1)[0].seconds, 8 * 2);
  customer.ends = {6, 12, 18, 24, 30};
  EXPECT_DOUBLE_EQ(serve({customer}, 1)[0].seconds, 5 * 2 * 2);
  customer.ends = {1, 8};  // One, four and three, and then 22 that end nowhere.
  EXPECT_DOUBLE_EQ(serve({customer}, 1)[0].seconds, (1 + 2 + 6) * 2);
}

TEST(Queues, CustomersWithoutRequestsTakeNoTime) {
  EXPECT_DOUBLE_EQ(serve({Customer{}}, 1)[0].seconds, 0);
}

}  // namespace
}  // namespace homenode::model
