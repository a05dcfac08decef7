#include "balancer/metrics.h"

#include <gtest/gtest.h>

namespace homenode::balancer {
namespace {

Outcome moved(pid_t pid, const std::string& name, std::uint64_t pages) {
  Outcome outcome;
  outcome.seen.process = {pid, 1};
  outcome.seen.name = name;
  outcome.seen.regions.resize(1);
  outcome.decision.action = balance::Action::move_pages;
  outcome.decision.local_before = 0.25;
  outcome.moved.moved = pages;
  outcome.bound = 2;
  return outcome;
}

bool has(const Metrics& metrics, const std::string& line) {
  return ('\n' + metrics.to_prometheus()).find('\n' + line + '\n') != std::string::npos;
}

TEST(BalancerMetrics, SumsOutcomes) {
  Metrics metrics(60);
  metrics.add(moved(7, "solver", 512), 100);
  metrics.add(moved(8, "other", 8), 101);
  EXPECT_TRUE(has(metrics, "homenode_balance_pages_moved_total 520"));
  EXPECT_TRUE(has(metrics, "homenode_balance_threads_bound_total 4"));
  EXPECT_TRUE(has(metrics, "homenode_balance_decisions_total{action=\"move pages\"} 2"));
  EXPECT_TRUE(has(metrics, "homenode_balance_processes 2"));
  EXPECT_TRUE(has(metrics, "homenode_balance_local_share{pid=\"7\",name=\"solver\"} 0.25"));
  EXPECT_TRUE(has(metrics, "homenode_balance_last_decision_seconds 101.000"));
}

TEST(BalancerMetrics, ForgetsProcessesThatAreGoneAndKeepsTheirSums) {
  Metrics metrics(60);
  metrics.add(moved(7, "solver", 512), 100);
  metrics.add(moved(8, "other", 8), 161);
  EXPECT_TRUE(has(metrics, "homenode_balance_processes 1"));
  EXPECT_TRUE(has(metrics, "homenode_balance_pages_moved_total 520"));
  EXPECT_EQ(metrics.to_prometheus().find("solver"), std::string::npos);
}

TEST(BalancerMetrics, EscapesWhatAProcessCallsItself) {
  Metrics metrics(60);
  metrics.add(moved(7, "a\"b\\c\nd\x01\xff", 1), 100);
  EXPECT_TRUE(has(metrics, R"(homenode_balance_local_share{pid="7",name="a\"b\\c\nd??"} 0.25)"));
}

TEST(BalancerMetrics, GivesNoShareForWhatWasNotLookedAtClosely) {
  Metrics metrics(60);
  Outcome outcome = moved(7, "solver", 0);
  outcome.seen.regions.clear();
  metrics.add(outcome, 100);
  EXPECT_EQ(metrics.to_prometheus().find("local_share{"), std::string::npos);
}

}  // namespace
}  // namespace homenode::balancer
