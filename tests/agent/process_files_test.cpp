// What the sampler by protection keys knows of the threads of its process, while they come and go.
#include "agent/pkeys/process_files.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <thread>
#include <vector>

namespace homenode::agent::pkeys {
namespace {

/// A thread that waits until it is let go.
class Waiting {
 public:
  Waiting() {
    while (tid_ == 0) std::this_thread::yield();
  }
  Waiting(const Waiting&) = delete;
  Waiting& operator=(const Waiting&) = delete;
  ~Waiting() { end(); }
  [[nodiscard]] std::uint32_t tid() const { return tid_; }
  void end() {
    ended_ = true;
    ended_.notify_one();
    if (thread_.joinable()) thread_.join();
  }

 private:
  std::atomic<std::uint32_t> tid_ = 0;
  std::atomic<bool> ended_ = false;
  std::thread thread_{[this] {
    tid_ = static_cast<std::uint32_t>(gettid());
    ended_.wait(false);
  }};
};

bool has(const TaskList& list, std::uint32_t tid) {
  return std::find(list.tids, list.tids + list.count, tid) != list.tids + list.count;
}

TEST(TaskList, HasEachThread) {
  const Waiting one;
  const Waiting other;
  const auto list = std::make_unique<TaskList>();
  ASSERT_TRUE(read_tasks(*list));
  EXPECT_GE(list->count, 3U);
  EXPECT_TRUE(has(*list, static_cast<std::uint32_t>(getpid())));
  EXPECT_TRUE(has(*list, one.tid()));
  EXPECT_TRUE(has(*list, other.tid()));
}

/// The kernel leaves out a thread where one that came before it ends while the folder is read.
TEST(TaskList, ThatIsSaidToBeWholeLacksNoThreadWhileOthersEnd) {
  std::atomic<bool> enough = false;
  std::vector<std::thread> makers;
  for (int i = 0; i < 2; ++i) {
    makers.emplace_back([&] {
      while (!enough) {
        std::vector<std::thread> crowd(8);
        for (std::thread& each : crowd) each = std::thread([] {});
        for (std::thread& each : crowd) each.join();
      }
    });
  }
  const auto list = std::make_unique<TaskList>();
  int whole = 0;
  int lacking = 0;
  for (int i = 0; i < 2000; ++i) {
    const Waiting last;
    if (!read_tasks(*list)) continue;
    ++whole;
    lacking += has(*list, last.tid()) ? 0 : 1;
  }
  enough = true;
  for (std::thread& each : makers) each.join();
  EXPECT_GT(whole, 0);
  EXPECT_EQ(lacking, 0);
}

TEST(Thread, IsAliveUntilItEnds) {
  Waiting one;
  EXPECT_TRUE(is_alive(one.tid()));
  one.end();
  EXPECT_FALSE(is_alive(one.tid()));
}

}  // namespace
}  // namespace homenode::agent::pkeys
