// What the allocator says of itself: the heaps of the cores add up to the arenas, and to what was
// done.
#include "heap/statistics.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <unistd.h>

#include <homenode/heap.hpp>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "heap/blocks.h"
#include "heap/process.h"

namespace homenode::heap {
namespace {

constexpr std::size_t mebibyte = std::size_t{1} << 20;

/// Puts the calling thread on one CPU and returns it.
unsigned stay() {
  const int cpu = sched_getcpu();
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(static_cast<unsigned>(cpu), &one);
  EXPECT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
  return static_cast<unsigned>(cpu);
}

hn_heap_statistics of_cpu(unsigned cpu) {
  hn_heap_statistics statistics{};
  EXPECT_EQ(hn_heap_statistics_of_cpu(cpu, &statistics), 0);
  return statistics;
}

template <class Work>
void in_thread(Work work) {
  std::thread(work).join();
}

TEST(Statistics, OfACoreFollowWhatItsThreadsTakeAndGiveBack) {
  in_thread([] {
    const unsigned cpu = stay();
    void* const first = allocate(100);
    release(first);
    const hn_heap_statistics before = of_cpu(cpu);
    std::vector<void*> blocks;
    for (int i = 0; i < 1000; ++i) blocks.push_back(allocate(3000));
    blocks.push_back(allocate(2 * mebibyte));
    blocks.push_back(allocate(40 * mebibyte));
    const hn_heap_statistics full = of_cpu(cpu);
    const std::size_t taken = 1000 * 3000 + 42 * mebibyte;
    EXPECT_GE(full.live, before.live + taken);
    EXPECT_LE(full.live, before.live + taken * 5 / 4);
    EXPECT_GE(full.committed, before.committed + taken * 9 / 10);
    EXPECT_GE(full.peak, full.committed);
    EXPECT_GT(full.mappings, before.mappings) << "for the block of 40 MiB";
    for (void* const block : blocks) release(block);
    const hn_heap_statistics after = of_cpu(cpu);
    EXPECT_LE(after.live, before.live + 8192);
    EXPECT_LE(after.committed, before.committed + 2 * mebibyte);
    EXPECT_GE(after.peak, full.committed) << "the peak stays";
  });
}

TEST(Statistics, CountEachBlockThatAnotherThreadGivesBackOnce) {
  constexpr std::size_t count = 5000;
  in_thread([] {  // It lives on, so that the other one is nobody who could take its pages over.
    const unsigned cpu = stay();
    std::vector<void*> blocks;
    for (std::size_t i = 0; i < count; ++i) blocks.push_back(allocate(200));
    const std::uint64_t of_heap = of_cpu(cpu).remote_frees;
    const std::uint64_t of_all = count_all().remote_frees;
    in_thread([&] {
      for (void* const block : blocks) release(block);
    });
    EXPECT_EQ(of_cpu(cpu).remote_frees, of_heap + count);
    EXPECT_EQ(count_all().remote_frees, of_all + count);
  });
}

TEST(Statistics, OfCoresAddUpToTheirArena) {
  void* const held = allocate(100'000);
  for_node_arenas([](Arena& arena) {
    const Totals whole = count(arena);
    Totals sum{};
    for (const CoreHeap* heap = arena.heaps.load_relaxed(); heap != nullptr; heap = heap->next) {
      const Totals one = count(*heap);
      sum.live_bytes += one.live_bytes;
      sum.committed_bytes += one.committed_bytes;
      sum.huge_bytes += one.huge_bytes;
      sum.remote_frees += one.remote_frees;
      sum.mappings += one.mappings;
      sum.policy_calls += one.policy_calls;
    }
    EXPECT_EQ(sum.live_bytes, whole.live_bytes);
    EXPECT_EQ(sum.committed_bytes + whole.kept_bytes, whole.committed_bytes);
    EXPECT_EQ(sum.huge_bytes, whole.huge_bytes);
    EXPECT_EQ(sum.remote_frees, whole.remote_frees);
    EXPECT_EQ(sum.mappings, whole.mappings);
    EXPECT_EQ(sum.policy_calls, whole.policy_calls);
  });
  release(held);
}

TEST(Statistics, ThereAreNoneOfCoresAndNodesThatNobodyUsed) {
  hn_heap_statistics statistics{};
  for (const unsigned cpu : {8191U, 8192U, ~0U}) {
    errno = 0;
    EXPECT_EQ(hn_heap_statistics_of_cpu(cpu, &statistics), -1);
    EXPECT_EQ(errno, ENOENT);
  }
  errno = 0;
  EXPECT_EQ(hn_heap_statistics_of_node(1023, &statistics), -1);
  EXPECT_EQ(errno, ENOENT);
  EXPECT_EQ(hn_heap_statistics_of_node(0, nullptr), -1);
  EXPECT_EQ(errno, EINVAL);
}

TEST(Statistics, AreWrittenWithTheHeapsOfTheirCores) {
  release(allocate(100));
  const Heap private_heap;
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::tmpfile(), &std::fclose);
  ASSERT_NE(file, nullptr);
  write_statistics(fileno(file.get()));
  std::rewind(file.get());
  std::string text(1 << 20, '\0');
  text.resize(std::fread(text.data(), 1, text.size(), file.get()));
  for (const char* const part :
       {"\"schema\": \"homenode.malloc/2\"", "\"heaps\": [{\"cpu\": ", "\"private\": true",
        "\"heaps\": []}", "\"spilled_bytes\": 0", "\"remote_frees\": ", "\"peak_bytes\": "}) {
    EXPECT_NE(text.find(part), std::string::npos) << part;
  }
  EXPECT_EQ(text.substr(text.size() - 3), "]}\n");
}

}  // namespace
}  // namespace homenode::heap
