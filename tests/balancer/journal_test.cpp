#include "balancer/journal.h"

#include <gtest/gtest.h>

#include <random>

namespace homenode::balancer {
namespace {

Journal sample() {
  Journal journal;
  journal.boot = "boot";
  journal.owner = {3, 4};
  journal.threads.push_back(
      {{10, 7}, {11, 8}, {CpuId(0), CpuId(70)}, {{CpuId(1)}, {CpuId(2), CpuId(3)}}});
  journal.pages.push_back({{10, 7}, 0x7f0000000000, 4_KiB, 12, NodeId(0), NodeId(200), 4});
  journal.kernel_balancing = "1";
  return journal;
}

TEST(BalancerJournal, ReadsWhatItWrote) {
  for (const Journal& journal : {sample(), Journal{}}) {
    const auto read = journal_in(to_json(journal));
    ASSERT_TRUE(read) << read.error().message();
    EXPECT_EQ(*read, journal);
  }
}

TEST(BalancerJournal, RefusesEveryCutOfATextAndSaysWhatToDo) {
  const std::string text = to_json(sample());
  for (std::size_t length = 0; length + 2 < text.size(); ++length) {
    const auto read = journal_in(text.substr(0, length));
    ASSERT_FALSE(read) << length;
    EXPECT_NE(read.error().message().find("remove the file"), std::string::npos);
  }
}

TEST(BalancerJournal, RefusesNumbersThatDoNotFit) {
  std::string text = to_json(sample());
  const std::size_t at = text.find("\"id\":10");
  for (const char* id : {"-1", "1.5", "4294967296", "\"x\"", "null", "[]"}) {
    std::string changed = text;
    changed.replace(at, 7, std::string("\"id\":") + id);
    EXPECT_FALSE(journal_in(changed)) << id;
  }
}

TEST(BalancerJournal, SurvivesRandomBytes) {
  std::mt19937 random(5);
  const std::string text = to_json(sample());
  for (int round = 0; round < 3000; ++round) {
    std::string changed = text;
    for (int change = 0; change < 3; ++change) {
      changed[random() % changed.size()] = static_cast<char>(random());
    }
    const auto read = journal_in(changed);
    if (!read) continue;
    EXPECT_LE(read->threads.size(), 1U);
  }
}

}  // namespace
}  // namespace homenode::balancer
