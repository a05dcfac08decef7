#include <homenode/homenode.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <thread>
#include <vector>

#include "text.h"

namespace homenode::capi_tests {
namespace {

std::vector<int> own_cpus() {
  std::vector<int> cpus(hn_thread_cpus(nullptr, 0));
  hn_thread_cpus(cpus.data(), cpus.size());
  return cpus;
}

/// In a thread of its own, so that the test's main thread stays as it was.
template <class Body>
void in_thread(Body body) {
  std::thread(body).join();
}

TEST(ThreadBind, BindsTheCallerAlone) {
  const std::vector<int> before = own_cpus();
  ASSERT_FALSE(before.empty());
  in_thread([&] {
    char* error = nullptr;
    ASSERT_EQ(hn_thread_bind(std::to_string(before.back()).c_str(), &error), HN_OK) << take(error);
    EXPECT_EQ(own_cpus(), std::vector<int>{before.back()});
    int cpu = -1;
    int node = -1;
    ASSERT_EQ(hn_thread_where(&cpu, &node, nullptr), HN_OK);
    EXPECT_EQ(cpu, before.back());
    EXPECT_EQ(node, hn_machine_node_of_cpu(nullptr, cpu));
    EXPECT_EQ(hn_thread_bind("all", nullptr), HN_OK);
    EXPECT_EQ(own_cpus(), before);
  });
  EXPECT_EQ(own_cpus(), before);
}

TEST(ThreadBindRank, TakesTheRanksOfTheMapInTurn) {
  const std::vector<int> cpus = own_cpus();
  const std::string map = std::to_string(cpus.back()) + "," + std::to_string(cpus.front());
  for (std::size_t rank = 0; rank < 4; ++rank) {
    in_thread([&] {
      char* error = nullptr;
      ASSERT_EQ(hn_thread_bind_rank(map.c_str(), rank, &error), HN_OK) << take(error);
      EXPECT_EQ(own_cpus(), std::vector<int>{rank % 2 == 0 ? cpus.back() : cpus.front()});
    });
  }
}

TEST(ThreadBind, SaysInOneLineWhatIsWrong) {
  for (const char* cpus : {"", "x", "65000", static_cast<const char*>(nullptr)}) {
    char* error = nullptr;
    EXPECT_EQ(hn_thread_bind(cpus, &error), HN_BAD_USAGE);
    EXPECT_TRUE(is_one_line(take(error)));
    EXPECT_EQ(hn_thread_bind_rank(cpus, 0, &error), HN_BAD_USAGE);
    EXPECT_TRUE(is_one_line(take(error)));
  }
}

TEST(ThreadPlace, TakesPoliciesAndRefusesTheRest) {
  in_thread([] {
    char* error = nullptr;
    EXPECT_EQ(hn_thread_place("local", &error), HN_OK) << take(error);
    EXPECT_EQ(hn_thread_place("default", &error), HN_OK) << take(error);
    for (const char* rule : {"cyclic", "nonsense", "", static_cast<const char*>(nullptr)}) {
      EXPECT_EQ(hn_thread_place(rule, &error), HN_BAD_USAGE);
      EXPECT_TRUE(is_one_line(take(error)));
    }
  });
}

TEST(Threads, MayCallAtTheSameTime) {
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([] {
      for (int round = 0; round < 20; ++round) {
        EXPECT_EQ(hn_thread_bind("all", nullptr), HN_OK);
        EXPECT_GT(hn_machine_nodes(nullptr, nullptr, 0), 0U);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace homenode::capi_tests
