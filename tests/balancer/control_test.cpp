#include "balancer/control.h"

#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <thread>

#include <unistd.h>

#include "os/linux.h"

namespace homenode::balancer {
namespace {

using std::chrono::nanoseconds;

/// A folder of its own, with a balancer in it that answers with what it was asked.
class BalancerControl : public testing::Test {
 protected:
  BalancerControl() {
    std::string pattern = (std::filesystem::temp_directory_path() / "control.XXXXXX").string();
    folder_ = mkdtemp(pattern.data());
    path_ = folder_ + "/socket";
  }
  ~BalancerControl() override { std::filesystem::remove_all(folder_); }

  static Result<std::string> echo(const Request& request) {
    if (request.pid == 13) return failed("13 is unknown", "ask for another");
    return "{\"asked\": \"" + to_line(request).substr(0, to_line(request).size() - 1) + "\"}\n";
  }
  [[nodiscard]] std::unique_ptr<Control> open() {
    auto control = Control::open(os_, path_, echo);
    EXPECT_TRUE(control);
    return control ? std::move(*control) : nullptr;
  }
  [[nodiscard]] os::Socket client() {
    int connection = -1;
    EXPECT_EQ(os_.connect_to(path_, connection), 0);
    return {os_, connection};
  }
  /// Accepts, reads and writes what is there; the moment is the test's.
  static void turn(Control& control, nanoseconds now = {}) {
    for (int i = 0; i < 3; ++i) control.turn({}, now);
  }
  std::string received(const os::Socket& connection) {
    std::string bytes;
    while (os_.receive_some(connection.descriptor(), 4096, bytes) > 0) {
    }
    return bytes;
  }
  bool is_closed(const os::Socket& connection) {
    std::string bytes;
    return os_.receive_some(connection.descriptor(), 1, bytes) == 0;
  }

  os::Linux os_;
  std::string folder_;
  std::string path_;
};

TEST_F(BalancerControl, AnswersARequestAndCloses) {
  const auto control = open();
  const os::Socket asking = client();
  EXPECT_EQ(os_.send_some(asking.descriptor(), "explain 7\n"), 10);
  turn(*control);
  EXPECT_EQ(received(asking), "{\"asked\": \"explain 7\"}\n");
  EXPECT_EQ(control->clients(), 0U);
  EXPECT_TRUE(is_closed(asking));
}

TEST_F(BalancerControl, SaysWhatIsWrongWithGarbageAndLongLines) {
  const auto control = open();
  const os::Socket garbage = client();
  const os::Socket endless = client();
  os_.send_some(garbage.descriptor(), "\x01\xff\n");
  os_.send_some(endless.descriptor(), std::string(100000, 'x'));
  turn(*control);
  EXPECT_NE(received(garbage).find("homenode.balance.error/1"), std::string::npos);
  EXPECT_NE(received(endless).find("more than 256 bytes"), std::string::npos);
  EXPECT_EQ(control->clients(), 0U);
}

TEST_F(BalancerControl, LetsASilentClientGoAndAnswersOthersMeanwhile) {
  const auto control = open();
  const os::Socket silent = client();
  const os::Socket slow = client();
  os_.send_some(slow.descriptor(), "sta");
  turn(*control);
  EXPECT_EQ(control->clients(), 2U);
  const os::Socket asking = client();
  os_.send_some(asking.descriptor(), "status\n");
  turn(*control, client_patience);
  EXPECT_NE(received(asking), "");
  EXPECT_EQ(control->clients(), 2U);
  turn(*control, client_patience + nanoseconds(1));
  EXPECT_EQ(control->clients(), 0U);
  EXPECT_TRUE(is_closed(silent));
}

TEST_F(BalancerControl, SurvivesAClientThatGoesBeforeItsAnswer) {
  const auto control = open();
  {
    const os::Socket gone = client();
    os_.send_some(gone.descriptor(), "status\n");
  }
  turn(*control);
  EXPECT_EQ(control->clients(), 0U);
}

TEST_F(BalancerControl, HasSoManyClientsAtATime) {
  const auto control = open();
  std::vector<os::Socket> silent(most_clients);
  for (os::Socket& one : silent) {
    one = client();
    turn(*control);
  }
  const os::Socket waiting = client();
  os_.send_some(waiting.descriptor(), "status\n");
  turn(*control);
  EXPECT_EQ(control->clients(), most_clients);
  silent.pop_back();
  turn(*control);
  EXPECT_NE(received(waiting), "");
}

TEST_F(BalancerControl, SendsALongAnswerInPieces) {
  const std::string answer(5 << 20U, 'x');
  auto control =
      Control::open(os_, path_, [&](const Request&) { return Result<std::string>(answer); });
  ASSERT_TRUE(control);
  const os::Socket asking = client();
  os_.send_some(asking.descriptor(), "status\n");
  std::string got;
  for (int i = 0; i < 10000 && got.size() < answer.size(); ++i) {
    (*control)->turn({}, {});
    os_.receive_some(asking.descriptor(), 1 << 20U, got);
  }
  EXPECT_EQ(got, answer);
}

TEST_F(BalancerControl, IsForItsUserAlone) {
  const auto control = open();
  using std::filesystem::perms;
  EXPECT_EQ(std::filesystem::status(path_).permissions(), perms::owner_read | perms::owner_write);
  EXPECT_TRUE(may_ask(1000, 1000));
  EXPECT_TRUE(may_ask(0, 1000));
  EXPECT_FALSE(may_ask(1001, 1000));
  EXPECT_FALSE(may_ask(1000, 0));
  const os::Socket asking = client();
  os::Peer peer;
  ASSERT_EQ(os_.peer_of(asking.descriptor(), peer), 0);
  EXPECT_EQ(peer.user, os_.own_user());
  EXPECT_EQ(peer.pid, getpid());
}

TEST_F(BalancerControl, ReplacesTheSocketOfADeadBalancerAndNoOther) {
  {
    int dead = -1;
    ASSERT_EQ(os_.listen_at(path_, dead), 0);
    os_.close_socket(dead);
  }
  ASSERT_TRUE(std::filesystem::exists(path_));
  const auto control = open();
  const auto second = Control::open(os_, path_, echo);
  ASSERT_FALSE(second);
  EXPECT_NE(second.error().message().find("another balancer"), std::string::npos);
  const os::Socket asking = client();
  os_.send_some(asking.descriptor(), "status\n");
  turn(*control);
  EXPECT_NE(received(asking), "");
}

TEST_F(BalancerControl, LeavesAnotherFileAlone) {
  std::ofstream(path_) << "text";
  const auto control = Control::open(os_, path_, echo);
  ASSERT_FALSE(control);
  EXPECT_NE(control.error().message().find("no socket"), std::string::npos);
  EXPECT_EQ(std::filesystem::file_size(path_), 4U);
}

TEST_F(BalancerControl, NamesAPathThatIsTooLong) {
  const auto control = Control::open(os_, folder_ + "/" + std::string(120, 'x'), echo);
  ASSERT_FALSE(control);
  EXPECT_NE(control.error().message().find("too long"), std::string::npos);
}

TEST_F(BalancerControl, RemovesItsFileAtTheEnd) {
  open().reset();
  EXPECT_FALSE(std::filesystem::exists(path_));
}

/// Time goes on by itself, so that nothing here waits for ever.
os::Pace pace_of(nanoseconds& now, const bool& stopped) {
  return {[&now] { return now += std::chrono::milliseconds(1); }, [](nanoseconds) {},
          [&stopped] { return stopped; }};
}

TEST_F(BalancerControl, ServesItsOwnClient) {
  const auto control = open();
  std::atomic<bool> stopped = false;
  std::thread server([&] {
    while (!stopped) control->turn(std::chrono::milliseconds(10), {});
  });
  const bool never = false;
  nanoseconds now{};
  const os::Pace pace = pace_of(now, never);
  const auto answer = ask(os_, path_, {Request::Kind::explain, 7}, pace);
  const auto refused = ask(os_, path_, {Request::Kind::explain, 13}, pace);
  stopped = true;
  server.join();
  ASSERT_TRUE(answer) << answer.error().message();
  EXPECT_EQ(*answer, "{\"asked\": \"explain 7\"}\n");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message(), "13 is unknown; ask for another");
}

TEST_F(BalancerControl, TellsAClientThatNobodyListens) {
  const bool never = false;
  nanoseconds now{};
  const auto answer = ask(os_, path_, {}, pace_of(now, never));
  ASSERT_FALSE(answer);
  EXPECT_NE(answer.error().message().find("no balancer listens"), std::string::npos);
}

TEST_F(BalancerControl, ServesUntilTheTimeIsOverOrAnEndIsWanted) {
  const auto control = open();
  const os::Socket asking = client();
  os_.send_some(asking.descriptor(), "status\n");
  bool stopped = false;
  nanoseconds now{};
  control->serve(std::chrono::milliseconds(20), pace_of(now, stopped));
  EXPECT_GE(now, std::chrono::milliseconds(20));
  EXPECT_NE(received(asking), "");
  stopped = true;
  control->serve(std::chrono::hours(1), pace_of(now, stopped));
  EXPECT_LT(now, std::chrono::hours(1));
}

}  // namespace
}  // namespace homenode::balancer
