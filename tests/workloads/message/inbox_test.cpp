#include "workloads/message/inbox.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "workloads/message/channels.h"

namespace homenode::workloads::message {
namespace {

TEST(Inbox, GivesTheMessagesOfEverySenderInTheirOrder) {
  constexpr std::uint32_t senders = 4;
  constexpr std::uint64_t each = 5000;
  Inbox inbox;
  const std::atomic<bool> stop{false};
  std::vector<std::vector<Message>> messages(senders);
  std::vector<std::thread> threads;
  for (std::uint32_t sender = 0; sender < senders; ++sender) {
    messages[sender].resize(each);
    threads.emplace_back([&, sender] {
      for (std::uint64_t i = 0; i < each; ++i) {
        messages[sender][i].sender = sender;
        messages[sender][i].number = i;
        inbox.put(messages[sender][i]);
      }
    });
  }
  std::vector<std::uint64_t> next(senders, 0);
  for (std::uint64_t received = 0; received < senders * each;) {
    Message* message = inbox.take();
    if (message == nullptr) inbox.sleep(stop);
    for (; message != nullptr; message = message->next, ++received) {
      ASSERT_EQ(message->number, next[message->sender]++);
    }
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(inbox.take(), nullptr);
}

TEST(Inbox, WakesWhoSleepsInItWhenItIsToStop) {
  Inbox inbox;
  std::atomic<bool> stop{false};
  std::thread sleeper([&] { inbox.sleep(stop); });
  stop = true;
  inbox.wake();
  sleeper.join();
}

class PoolOf : public testing::TestWithParam<bool> {
 protected:
  alignas(line_bytes) std::byte memory_[4 * slot_bytes(100)] = {};
  Pool pool_{GetParam() ? nullptr : memory_, 4, 100};
};

TEST_P(PoolOf, GivesAsManyMessagesAsItHasAndHasThemAgainOnceTheyAreBack) {
  for (int round = 0; round < 3; ++round) {
    std::vector<Message*> taken;
    for (int i = 0; i < 4; ++i) {
      taken.push_back(pool_.take());
      ASSERT_NE(taken.back(), nullptr);
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(taken.back()) % line_bytes, 0U);
      for (std::byte& byte : taken.back()->items<std::byte>(100)) byte = std::byte{0xff};
    }
    if (!GetParam()) {
      EXPECT_EQ(pool_.take(), nullptr);
    }
    EXPECT_EQ(pool_.missing(), 4U);
    std::thread([&taken] {
      for (Message* const message : taken) Pool::give_back(*message);
    }).join();
    EXPECT_EQ(pool_.missing(), 0U);
  }
}

INSTANTIATE_TEST_SUITE_P(MemoryOrMalloc, PoolOf, testing::Bool());

TEST(ChannelPlan, GivesEachPairOfPesPagesOfItsOwn) {
  ChannelPlan plan;
  plan.add(1, 0, 0, 4096);
  plan.add(0, 1, 0, 1000, 2);
  plan.add(0, 1, 0, 1000);
  plan.add(0, 1, 1, 0);
  const auto channels = plan.lay_out(4096);
  ASSERT_EQ(channels.size(), 3U);
  EXPECT_EQ(channels[0].slots, 3U);
  EXPECT_EQ(channels[0].bytes, 4096U);
  EXPECT_EQ(channels[1].kind, 1U);
  EXPECT_EQ(channels[2].from, 1U);
  EXPECT_EQ(channels[2].offset, 8192U);
  EXPECT_EQ(channels[2].bytes, 8192U);  // The payload of a page, and its header.
  EXPECT_EQ(region_bytes(channels), 16384U);
}

}  // namespace
}  // namespace homenode::workloads::message
