#include "balancer/history.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace homenode::balancer {
namespace {

using Json = nlohmann::json;

Outcome outcome(pid_t pid, const std::string& reason, std::uint64_t started = 1) {
  Outcome made;
  made.seen.process = {pid, started};
  made.seen.name = "solver";
  made.seen.cpus = 3.5;
  made.decision.process = made.seen.process;
  made.decision.reason = reason;
  return made;
}

Outcome moved(pid_t pid) {
  Outcome made = outcome(pid, "most of it is remote");
  made.seen.regions.resize(1);
  made.seen.source = "hint faults";
  made.decision.action = balance::Action::move_pages;
  made.decision.local_before = 0.25;
  made.decision.local_predicted = 0.75;
  made.decision.benefit_s = 2;
  made.decision.cost_s = 0.5;
  made.applied = true;
  made.bound = 2;
  made.moved.moved = 512;
  return made;
}

Json asked(const History& history, const Request& request, double now_s,
           const Journal& journal = {}) {
  const auto answer = history.answer(request, journal, now_s);
  return answer ? Json::parse(*answer) : Json();
}

constexpr Request explain_7{Request::Kind::explain, 7};

TEST(BalancerHistory, GivesTheLatestDecisionAboutEachProcess) {
  History history({1, 90, 5, false, 60});
  history.add(moved(7), 100);
  history.add(outcome(8, "too idle"), 100);
  history.add(outcome(7, "it rests"), 105);
  Journal journal;
  journal.pages.push_back({{7, 1}, 0, Bytes{4096}, 512, NodeId(0), NodeId(1)});
  const Json status = asked(history, {}, 106, journal);
  EXPECT_EQ(status["schema"], "homenode.balance.status/1");
  EXPECT_EQ(status["changed"]["pages"], 512);
  ASSERT_EQ(status["processes"].size(), 2U);
  EXPECT_EQ(status["processes"][0]["reason"], "it rests");
  EXPECT_EQ(status["processes"][0]["local_share"], 0.25);  // As last measured.
  EXPECT_TRUE(status["processes"][1]["local_share"].is_null());
}

TEST(BalancerHistory, CountsEqualDecisionsInARow) {
  History history({1, 90, 5, false, 60});
  for (const double now_s : {100, 105, 110}) history.add(outcome(7, "too idle"), now_s);
  const Json decisions = asked(history, explain_7, 111)["decisions"];
  ASSERT_EQ(decisions.size(), 1U);
  EXPECT_EQ(decisions[0]["times"], 3);
  EXPECT_EQ(decisions[0]["first_s"], 100);
  EXPECT_EQ(decisions[0]["latest"]["time_s"], 110);
}

TEST(BalancerHistory, KeepsChangesApartAndTheLatestOfMany) {
  History history({1, 90, 5, false, 60});
  for (int i = 0; i < 20; ++i) history.add(moved(7), 100 + i);
  const Json decisions = asked(history, explain_7, 120)["decisions"];
  ASSERT_EQ(decisions.size(), kept_decisions);
  EXPECT_EQ(decisions.back()["latest"]["time_s"], 119);
}

TEST(BalancerHistory, ForgetsWhatWasNotSeenForLong) {
  History history({1, 90, 5, false, 60});
  history.add(outcome(7, "too idle"), 100);
  history.add(outcome(8, "too idle"), 161);
  const auto answer = history.answer(explain_7, {}, 161);
  ASSERT_FALSE(answer);
  EXPECT_NE(answer.error().message().find("balance status"), std::string::npos);
}

TEST(BalancerHistory, ExplainsTheLatestProcessOfANumber) {
  History history({1, 90, 5, false, 60});
  history.add(outcome(7, "old", 10), 100);
  history.add(outcome(7, "new", 20), 101);
  history.add(outcome(9, "other"), 101);
  EXPECT_EQ(asked(history, explain_7, 102)["decisions"][0]["latest"]["decision"]["reason"], "new");
  EXPECT_TRUE(asked(history, {Request::Kind::explain, 8}, 102).is_null());
  EXPECT_TRUE(asked(history, {Request::Kind::explain, 10}, 102).is_null());
}

TEST(BalancerHistory, IsReadByPeople) {
  History history({1, 90, 5, false, 60});
  history.add(moved(7), 100);
  Journal journal;
  journal.threads.resize(2);
  const auto status = status_text(*history.answer({}, journal, 160));
  ASSERT_TRUE(status);
  EXPECT_EQ(*status,
            "balancer 1: runs for 70 s, looks every 5 s, has bound 2 threads and moved 0 pages\n"
            "     pid   cpus  local name             decision\n"
            "       7    3.5   25 % solver           move pages: most of it is remote\n");
  const auto text = explain_text(*history.answer(explain_7, {}, 160));
  ASSERT_TRUE(text);
  EXPECT_EQ(
      *text,
      "7 (solver)\n"
      "  60 s ago: move pages: most of it is remote; bound 2 threads, moved 512 pages, "
      "put back 0 threads and 0 pages\n"
      "    0 samples of hint faults: 25 % of the uses are local, 75 % predicted; benefit 2 s, "
      "cost 0.5 s\n");
}

TEST(BalancerHistory, RefusesADocumentOfAnotherForm) {
  for (const char* const text : {"", "{}", "[1]", R"({"time_s": "x"})"}) {
    EXPECT_FALSE(status_text(text)) << text;
    EXPECT_FALSE(explain_text(text)) << text;
  }
}

}  // namespace
}  // namespace homenode::balancer
