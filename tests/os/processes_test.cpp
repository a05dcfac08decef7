#include "os/processes.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <thread>

namespace homenode::os {
namespace {

TEST(WaitFor, SaysHowAProcessEnded) {
  const pid_t leaving = fork_bound();
  ASSERT_GE(leaving, 0);
  if (leaving == 0) _exit(7);
  const auto left = wait_for(leaving);
  ASSERT_TRUE(left);
  EXPECT_FALSE(left->by_signal);
  EXPECT_EQ(left->number, 7);

  const pid_t waiting = fork_bound();
  ASSERT_GE(waiting, 0);
  if (waiting == 0) {
    pause();
    _exit(0);
  }
  kill(waiting, SIGTERM);
  const auto killed = wait_for(waiting);
  ASSERT_TRUE(killed);
  EXPECT_TRUE(killed->by_signal);
  EXPECT_EQ(killed->number, SIGTERM);
  EXPECT_FALSE(wait_for(waiting));  // It is gone.
}

TEST(ThreadId, IsTheProcessesOwnInItsFirstThreadAlone) {
  EXPECT_EQ(thread_id(), getpid());
  pid_t other = 0;
  std::thread([&other] { other = thread_id(); }).join();
  EXPECT_NE(other, getpid());
}

}  // namespace
}  // namespace homenode::os
