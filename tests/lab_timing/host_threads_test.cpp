#include "lab/timing/host_threads.h"

#include <gtest/gtest.h>

#include <thread>

namespace homenode::lab {
namespace {

TEST(HostThreads, SayHowLongEachRan) {
  HostThreads threads(2);
  EXPECT_FALSE(threads.cpu_time(0));
  threads.runs_here(0);
  const auto before = threads.cpu_time(0);
  ASSERT_TRUE(before);
  while (threads.cpu_time(0) == before) continue;
  EXPECT_GT(threads.cpu_time(0), before);
  std::jthread([&] { threads.runs_here(1); }).join();
  while (threads.cpu_time(1)) std::this_thread::yield();  // It ends a little after it is joined.
}

}  // namespace
}  // namespace homenode::lab
