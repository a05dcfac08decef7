// The control socket on the fake kernel: each call that it, or its client, makes is refused once.
#include <gtest/gtest.h>

#include <array>
#include <cerrno>
#include <optional>

#include "balancer/control.h"
#include "fake/fake.h"

namespace homenode::balancer {
namespace {

using std::chrono::nanoseconds;
constexpr const char* path = "/run/balancer.socket";
constexpr std::array errors{EPERM,  ENOMEM, EINTR,      EAGAIN, EMFILE, ENFILE,
                            ENOSYS, EPIPE,  ECONNRESET, EIO,    EBADF,  ENOBUFS};

Result<std::string> answer_of(const Request& request) {
  return "{\"asked\": " + std::to_string(request.pid) + "}\n";
}

/// A balancer and one that asks it, in turn: whenever somebody looks at the clock, the balancer
/// does what it can.
class Conversation {
 public:
  Conversation() : control_(Control::open(kernel_, path, answer_of)) {}

  Result<std::string> ask() {
    return balancer::ask(kernel_, path, {Request::Kind::explain, 7}, pace());
  }
  void turn() {
    if (control_) (*control_)->turn({}, now_);
  }
  /// Clients that have not gone by themselves are let go.
  void lose_patience() {
    turn();  // One that was not accepted yet.
    now_ += client_patience + nanoseconds(1);
    turn();
  }
  os::Fake& kernel() { return kernel_; }
  [[nodiscard]] std::size_t clients() const { return (*control_)->clients(); }

 private:
  os::Pace pace() {
    return {[this] {
              turn();
              return now_ += std::chrono::milliseconds(1);
            },
            [this](nanoseconds time) { now_ += time; }, [] { return false; }};
  }

  os::Fake kernel_;
  Result<std::unique_ptr<Control>> control_;
  nanoseconds now_{};
};

/// The calls of a conversation that nothing goes wrong in.
std::size_t calls_of_one() {
  Conversation conversation;
  const std::size_t before = conversation.kernel().calls().size();
  EXPECT_TRUE(conversation.ask());
  return conversation.kernel().calls().size() - before;
}

TEST(BalancerControlFaults, ARefusedCallCostsOneAnswerAtMost) {
  const std::size_t calls = calls_of_one();
  EXPECT_GT(calls, 8U);
  for (std::size_t call = 1; call <= calls; ++call) {
    for (const int error : errors) {
      Conversation conversation;
      conversation.kernel().fail_call("", static_cast<unsigned>(call), error);
      const auto answer = conversation.ask();
      SCOPED_TRACE(conversation.kernel().calls().back() + ", call " + std::to_string(call) +
                   ", errno " + std::to_string(error));
      ASSERT_TRUE(conversation.kernel().has_failed());
      if (answer) {
        EXPECT_EQ(*answer, "{\"asked\": 7}\n");
      } else {
        EXPECT_FALSE(answer.error().next.empty());
        EXPECT_EQ(answer.error().message().find('\n'), std::string::npos);
      }
      conversation.lose_patience();
      EXPECT_EQ(conversation.clients(), 0U);
      EXPECT_EQ(conversation.kernel().sockets(), 1U) << "the one that listens";
      EXPECT_TRUE(conversation.ask());
    }
  }
}

TEST(BalancerControlFaults, OpensWholeOrNotAtAll) {
  for (unsigned call = 1; call <= 4; ++call) {
    for (const int error : errors) {
      SCOPED_TRACE("call " + std::to_string(call) + ", errno " + std::to_string(error));
      os::Fake kernel;
      kernel.add_dead_socket(path);
      kernel.fail_call("", call, error);
      {
        const auto control = Control::open(kernel, path, answer_of);
        ASSERT_TRUE(kernel.has_failed());
        ASSERT_FALSE(control);
        EXPECT_FALSE(control.error().next.empty());
      }
      EXPECT_EQ(kernel.sockets(), 0U);
      EXPECT_TRUE(Control::open(kernel, path, answer_of));
    }
  }
}

TEST(BalancerControlFaults, AnotherUsersClientGetsAReasonAndNoAnswer) {
  Conversation conversation;
  conversation.kernel().set_users(1000, 1001);
  int connection = -1;
  ASSERT_EQ(conversation.kernel().connect_to(path, connection), 0);
  conversation.kernel().send_some(connection, "status\n");
  for (int i = 0; i < 3; ++i) conversation.turn();
  std::string got;
  conversation.kernel().receive_some(connection, 4096, got);
  EXPECT_NE(got.find("belongs to another user"), std::string::npos);
  EXPECT_EQ(got.find("asked"), std::string::npos);
  EXPECT_EQ(conversation.clients(), 0U);
}

class BalancerControlWaits : public testing::TestWithParam<const char*> {};

TEST_P(BalancerControlWaits, PausesWhereTheKernelRefusesToWaitOrToAccept) {
  os::Fake kernel;
  const auto control = Control::open(kernel, path, answer_of);
  ASSERT_TRUE(control);
  int client = -1;
  ASSERT_EQ(kernel.connect_to(path, client), 0);
  for (unsigned i = 0; i < 5; ++i) kernel.then_fail_call(GetParam(), 1, ENOMEM);
  nanoseconds now{};
  int pauses = 0;
  const os::Pace pace{[&] { return now += nanoseconds(1); },
                      [&](nanoseconds time) {
                        now += time;
                        ++pauses;
                      },
                      [] { return false; }};
  (*control)->serve(5 * signal_latency, pace);
  EXPECT_EQ(pauses, 5);
}

INSTANTIATE_TEST_SUITE_P(Calls, BalancerControlWaits,
                         testing::Values("wait_for_sockets", "accept_from"));

}  // namespace
}  // namespace homenode::balancer
