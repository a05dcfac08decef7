#include "workloads/message/runtime.h"

#include <gtest/gtest.h>

#include <array>
#include <thread>
#include <vector>

#include "workloads/message/channels.h"

namespace homenode::workloads::message {
namespace {

/// Memory for some PEs.
class Pes {
 public:
  explicit Pes(unsigned count) : room_(count) {
    for (Room& room : room_) memory_.push_back(&room);
  }
  [[nodiscard]] std::span<void* const> memory() const { return memory_; }

 private:
  struct alignas(alignof(Pe)) Room {
    std::array<std::byte, sizeof(Pe)> bytes;
  };
  std::vector<Room> room_;
  std::vector<void*> memory_;
};

/// One message that goes round the PEs until it has been handled `turns` times.
class Relay final : public Objects {
 public:
  Relay(unsigned pes, unsigned turns) : pes_(pes), left_(turns) {}
  void build(unsigned pe) override {
    if (pe == 0) pool_ = std::make_unique<Pool>(nullptr, 1, 0);
  }
  void start(Runtime& runtime, unsigned pe) override {
    if (pe == 0 && left_ > 0) runtime.send(0, (pe + 1) % pes_, *pool_->take());
  }
  void receive(Runtime& runtime, unsigned pe, Message& message) override {
    left_ -= 1;  // One message: one writer at a time.
    if (left_ > 0) {
      runtime.send(pe, (pe + 1) % pes_, message);
    } else {
      Pool::give_back(message);
    }
  }
  [[nodiscard]] unsigned left() const { return left_; }
  [[nodiscard]] std::size_t missing() { return pool_->missing(); }

 private:
  unsigned pes_;
  unsigned left_;
  std::unique_ptr<Pool> pool_;
};

TEST(Runtime, EndsWhenTheLastMessageIsHandledAndNotBefore) {
  for (const unsigned pes : {1U, 2U, 5U}) {
    for (const unsigned looks : {0U, 100U}) {
      for (const unsigned turns : {0U, 1U, 500U}) {
        Relay relay(pes, turns);
        const Pes memory(pes);
        PeTeam team;
        team.looks = looks;
        const RunOutcome outcome = run_objects(relay, memory.memory(), team);
        EXPECT_TRUE(outcome.prepared);
        EXPECT_EQ(outcome.messages, turns);
        EXPECT_EQ(relay.left(), 0U);
        EXPECT_EQ(relay.missing(), 0U);
      }
    }
  }
}

TEST(Runtime, BindsEveryPeInItsOwnThreadAndRunsNothingWhereOneRefuses) {
  Relay relay(3, 10);
  const Pes memory(3);
  std::vector<std::thread::id> threads(3);
  PeTeam team;
  team.prepare = [&](unsigned pe) {
    threads[pe] = std::this_thread::get_id();
    return pe != 2;
  };
  const RunOutcome outcome = run_objects(relay, memory.memory(), team);
  EXPECT_FALSE(outcome.prepared);
  EXPECT_EQ(relay.left(), 10U);
  EXPECT_EQ(threads[0], std::this_thread::get_id());
  EXPECT_NE(threads[1], threads[0]);
  EXPECT_NE(threads[1], threads[2]);
}

/// Every PE sends many messages to every PE, numbered; nobody sends more than its pool has.
class Crowd final : public Objects {
 public:
  Crowd(unsigned pes, unsigned each) : pes_(pes), each_(each), next_(pes), plan_(plan_of()) {}
  void build(unsigned pe) override {
    channels_.open(pe);
    next_[pe].assign(pes_, 0);
  }
  void start(Runtime& runtime, unsigned pe) override {
    for (unsigned i = 0; i < each_; ++i) {
      for (unsigned to = 0; to < pes_; ++to) {
        Message* const message = channels_.pool(pe, to, 0).take();
        message->sender = pe;
        message->number = i;
        runtime.send(pe, to, *message);
      }
    }
  }
  void receive(Runtime& /*runtime*/, unsigned pe, Message& message) override {
    if (message.number != next_[pe][message.sender]++) in_order_ = false;
    Pool::give_back(message);
  }
  [[nodiscard]] bool in_order() const { return in_order_; }
  [[nodiscard]] std::size_t missing() const { return channels_.missing(); }

 private:
  [[nodiscard]] std::vector<Channel> plan_of() const {
    ChannelPlan plan;
    for (unsigned from = 0; from < pes_; ++from) {
      for (unsigned to = 0; to < pes_; ++to) plan.add(from, to, 0, 8, each_);
    }
    return plan.lay_out(4096);
  }

  unsigned pes_;
  unsigned each_;
  std::vector<std::vector<std::uint64_t>> next_;
  std::vector<Channel> plan_;
  Channels channels_{plan_, nullptr};
  std::atomic<bool> in_order_{true};
};

TEST(Runtime, DeliversEveryMessageOnceAndThoseOfOneSenderInOrder) {
  Crowd crowd(4, 1000);
  const Pes memory(4);
  const RunOutcome outcome = run_objects(crowd, memory.memory(), {});
  EXPECT_EQ(outcome.messages, 4U * 4U * 1000U);
  EXPECT_TRUE(crowd.in_order());
  EXPECT_EQ(crowd.missing(), 0U);
}

}  // namespace
}  // namespace homenode::workloads::message
