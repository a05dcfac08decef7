#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <homenode/heap.hpp>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <map>
#include <memory_resource>
#include <string>
#include <thread>
#include <vector>

namespace homenode {
namespace {

TEST(PrivateHeap, KnowsItsBlocks) {
  Heap heap;
  void* const block = heap.allocate(100);
  EXPECT_EQ(hn_heap_of(block), heap.get());
  int other = 0;
  EXPECT_EQ(hn_heap_of(&other), nullptr);
  std::memset(block, 1, 100);
  EXPECT_GE(hn_heap_node_of(block), 0);
  hn_heap_free(block);
}

TEST(PrivateHeap, IsOnTheNodeOfACpuThatIsNamed) {
  Heap heap = Heap::on("cpu:0");
  auto* const block = static_cast<char*>(heap.allocate(100));
  block[0] = 1;
  EXPECT_EQ(hn_heap_node_of(block), 0);
}

TEST(PrivateHeap, TakesBackWhatOtherThreadsFree) {
  Heap heap;
  HeapResource resource(heap);
  std::pmr::map<int, std::pmr::string> words(&resource);
  for (int i = 0; i < 20'000; ++i) words[i] = "a string that is too long to be kept inside";
  const std::uint64_t full = heap.statistics().live;
  EXPECT_GT(full, 20'000U * 80);
  std::thread([&] {
    for (int i = 0; i < 20'000; i += 2) words.erase(i);
  }).join();
  words.clear();
  EXPECT_LT(heap.statistics().live, full / 4);
}

TEST(PrivateHeap, ServesContainersAndMovesWithThem) {
  Heap heap;
  std::vector<int, HeapAllocator<int>> numbers{HeapAllocator<int>(heap)};
  for (int i = 0; i < 3'000'000; ++i) numbers.push_back(i);
  const int node = hn_heap_node_of(numbers.data());
  heap.move_to(std::to_string(node));
  for (int i = 0; i < 3'000'000; ++i) ASSERT_EQ(numbers[static_cast<std::size_t>(i)], i);
  EXPECT_EQ(hn_heap_node_of(numbers.data()), node);
}

TEST(PrivateHeap, GrowsItsBlocksInItself) {
  Heap heap;
  auto* block = static_cast<char*>(hn_heap_malloc(heap.get(), 10));
  for (std::size_t bytes = 10; bytes < 50'000'000; bytes *= 3) {
    std::memset(block, 5, bytes);
    block = static_cast<char*>(hn_heap_realloc(heap.get(), block, bytes * 3));
    ASSERT_NE(block, nullptr);
    ASSERT_EQ(block[bytes - 1], 5);
    ASSERT_EQ(hn_heap_of(block), heap.get());
  }
  hn_heap_free(block);
}

TEST(PrivateHeap, GivesAllBackWhenItEnds) {
  hn_heap_statistics before{};
  ASSERT_EQ(hn_heap_statistics_of(nullptr, &before), 0);
  for (int i = 0; i < 100; ++i) {
    Heap heap;
    std::memset(heap.allocate(1'000'000), 1, 1'000'000);
    std::memset(heap.allocate(std::size_t{20} << 20), 1, 4096);
  }
  hn_heap_statistics after{};
  ASSERT_EQ(hn_heap_statistics_of(nullptr, &after), 0);
  EXPECT_EQ(after.mapped, before.mapped);
}

TEST(PrivateHeap, IsThereInAChildWhileAnotherThreadUsesIt) {
  Heap heap;
  std::atomic<bool> stop = false;
  std::thread user([&] {
    while (!stop) {
      std::vector<void*> blocks;  // Of mappings of their own, which want a record each.
      for (int i = 0; i < 64; ++i) blocks.push_back(hn_heap_malloc(heap.get(), 17U << 20U));
      for (void* const block : blocks) hn_heap_free(block);
    }
  });
  for (int i = 0; i < 20; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      alarm(60);
      void* const block = hn_heap_malloc(heap.get(), 1000);
      if (block != nullptr) std::memset(block, 1, 1000);
      hn_heap_free(block);
      _exit(block != nullptr ? 0 : 1);
    }
    int status = 1;
    EXPECT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
  }
  stop = true;
  user.join();
}

TEST(PrivateHeap, RefusesWhatMakesNoSense) {
  for (const char* const nodes : {"", "x", "0-", "1023", "-", "0,", "0 ", "1-0", "99999",
                                  "cpu:", "cpu:9999", "cpu:99999", "cpu:0x", "cpu"}) {
    hn_heap_options options{};
    options.nodes = nodes;
    errno = 0;
    hn_heap* const heap = hn_heap_create(&options);
    EXPECT_EQ(heap, nullptr) << nodes;
    EXPECT_EQ(errno, EINVAL) << nodes;
    hn_heap_destroy(heap);
  }
  hn_heap_options options{};
  options.policy = "nearby";
  EXPECT_EQ(hn_heap_create(&options), nullptr);
  Heap heap;
  errno = 0;
  EXPECT_EQ(hn_heap_aligned_alloc(heap.get(), 48, 10), nullptr);
  EXPECT_EQ(errno, EINVAL);
  errno = 0;
  EXPECT_EQ(hn_heap_malloc(heap.get(), static_cast<std::size_t>(-1)), nullptr);
  EXPECT_EQ(errno, ENOMEM);
  EXPECT_EQ(hn_heap_malloc(nullptr, 1), nullptr);
  EXPECT_EQ(hn_heap_move(heap.get(), "2000"), -1);
}

}  // namespace
}  // namespace homenode
