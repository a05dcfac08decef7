// Next touch with the fake's four nodes, whose memory is real and whose faults are real too, and on
// the kernel that runs the test.
#include "actuation/next_touch.h"

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <numeric>
#include <thread>

#include "actuation/audit.h"
#include "os/linux.h"
#include "regions.h"

namespace homenode::actuation {
namespace {

/// Threads of the test touch what the compiler must not leave out.
void write(char* address, char value) {
  *static_cast<volatile char*>(address) = value;
}
char read(const char* address) {
  return *static_cast<const volatile char*>(address);
}

NextTouchCounts disarmed(Region region) {
  const auto counts = disarm_next_touch(region);
  EXPECT_TRUE(counts) << counts.error().message();
  return counts ? *counts : NextTouchCounts{};
}

/// A thread on the first CPU of a node of the fake.
template <class Body>
void on_node(os::Fake& os, std::size_t index, Body body) {
  std::thread([&] {
    ASSERT_EQ(os.sched_setaffinity(0, {CpuId(static_cast<unsigned>(2 * index))}), 0);
    body();
  }).join();
}

TEST(NextTouch, MovesExactlyTheTouchedPagesToTheirTouchers) {
  os::Fake os(four_node_machine());
  const Region region = map_region(os, 12);
  os.first_touch(region.address, region.bytes, NodeId(0));
  ASSERT_TRUE(arm_next_touch(os, region));
  on_node(os, 3, [&] {
    write(page_at(region, 1), 'a');
    write(page_at(region, 5), 'b');
  });
  on_node(os, 2, [&] {
    EXPECT_EQ(read(page_at(region, 1)), 'a');
    write(page_at(region, 11), 'c');
  });
  const NextTouchCounts counts = disarmed(region);
  EXPECT_EQ(counts.units, 12U);
  EXPECT_EQ(counts.touched_units, 3U);
  EXPECT_EQ(counts.pages_moved, 3U);
  EXPECT_FALSE(counts.gave_up);
  for (std::size_t page = 0; page < 12; ++page) {
    const NodeId expected(page == 1 || page == 5 ? 7 : page == 11 ? 2 : 0);
    EXPECT_EQ(os.node_of(page_at(region, page)), expected) << "page " << page;
  }
  EXPECT_EQ(read(page_at(region, 5)), 'b');
}

TEST(NextTouch, MovesAUnitAsAWholeAndTheLastOneAsFarAsItGoes) {
  os::Fake os(four_node_machine());
  const Region region = map_region(os, 10);
  os.first_touch(region.address, region.bytes, NodeId(0));
  ASSERT_TRUE(arm_next_touch(os, region, 4));
  on_node(os, 1, [&] {
    write(page_at(region, 2), 'a');
    write(page_at(region, 9), 'b');
  });
  const NextTouchCounts counts = disarmed(region);
  EXPECT_EQ(counts.units, 3U);
  EXPECT_EQ(counts.touched_units, 2U);
  EXPECT_EQ(counts.pages_moved, 6U);
  for (std::size_t page = 0; page < 10; ++page) {
    EXPECT_EQ(os.node_of(page_at(region, page)), NodeId(page / 4 == 1 ? 0 : 1)) << "page " << page;
  }
}

TEST(NextTouch, LeavesAbsentPagesToTheTouchItself) {
  os::Fake os(four_node_machine());
  const Region region = map_region(os, 2);
  ASSERT_TRUE(arm_next_touch(os, region));
  write(page_at(region, 0), 'a');
  EXPECT_EQ(disarmed(region).pages_left, 1U);
}

TEST(NextTouch, ReleasesTheRegionWhenMappingsRunOut) {
  os::Fake os(four_node_machine());
  const Region region = map_region(os, 8);
  os.first_touch(region.address, region.bytes, NodeId(0));
  ASSERT_TRUE(arm_next_touch(os, region));
  os.fail_call("protect_memory", 1, ENOMEM);
  on_node(os, 1, [&] {
    for (std::size_t page = 0; page < 8; ++page) write(page_at(region, page), 'x');
  });
  const NextTouchCounts counts = disarmed(region);
  EXPECT_TRUE(counts.gave_up);
  EXPECT_EQ(counts.touched_units, 1U);
  EXPECT_EQ(os.node_of(page_at(region, 7)), NodeId(0));
}

TEST(NextTouch, NodesWithoutMemorySendPagesToTheNearestThatHasSome) {
  os::Fake os(four_node_machine());
  os.set_file("/sys/devices/system/node/online", "0-2,7\n");
  os.set_file("/sys/devices/system/node/has_cpu", "0-2,7\n");
  os.set_file("/sys/devices/system/node/has_memory", "0-1,7\n");
  os.set_file("/sys/devices/system/node/node2/distance", "30 25 10 20\n");
  const Region region = map_region(os, 1);
  os.first_touch(region.address, region.bytes, NodeId(0));
  ASSERT_TRUE(arm_next_touch(os, region));
  on_node(os, 2, [&] { write(page_at(region, 0), 'x'); });
  disarmed(region);
  EXPECT_EQ(os.node_of(page_at(region, 0)), NodeId(7));
}

TEST(NextTouch, SaysWhatCannotBeArmed) {
  os::Fake os(four_node_machine());
  const Region region = map_region(os, 4);
  EXPECT_FALSE(arm_next_touch(os, region, 0));
  EXPECT_FALSE(arm_next_touch(os, {region.address, 0}));
  EXPECT_FALSE(disarm_next_touch(region));
  EXPECT_FALSE(next_touch_counts(region));
  ASSERT_TRUE(arm_next_touch(os, region));
  const auto overlapping = arm_next_touch(os, {page_at(region, 3), 8});
  ASSERT_FALSE(overlapping);
  EXPECT_EQ(overlapping.error().code, ErrorCode::bad_usage);
  disarmed(region);
  os.fail_call("protect_memory", 1, ENOMEM);
  const auto refused = arm_next_touch(os, region);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message().find("vm.max_map_count"), std::string::npos);
  EXPECT_FALSE(next_touch_counts(region));
}

TEST(NextTouch, HasPlacesForManyRegionsAndSaysWhenThereAreNoMore) {
  os::Linux os;
  const Region whole = map_region(os, 2 * 300);
  const auto part = [&](std::size_t i) {
    return Region{static_cast<char*>(whole.address) + 2 * i * os.page_bytes(), os.page_bytes()};
  };
  std::size_t armed = 0;
  Result<void> last;
  while (armed < 300 && (last = arm_next_touch(os, part(armed)))) ++armed;
  EXPECT_EQ(armed, 256U);
  ASSERT_FALSE(last);
  EXPECT_NE(last.error().message().find("256 slots"), std::string::npos);
  for (std::size_t i = 0; i < armed; ++i) {
    write(static_cast<char*>(part(i).address), 'x');
    EXPECT_EQ(disarmed(part(i)).touched_units, 1U);
  }
  ASSERT_TRUE(arm_next_touch(os, part(299)));
  disarmed(part(299));
  os.unmap_memory(whole.address, whole.bytes);
}

TEST(NextTouch, AFullTableOfMappingsIsNotTakenForMemoryThatIsGone) {
  os::Fake os(four_node_machine());
  const Region region = map_region(os, 4);
  ASSERT_TRUE(arm_next_touch(os, region));
  os.fail_call("protect_memory", 1, ENOMEM);
  const auto refused = disarm_next_touch(region);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message().find("vm.max_map_count"), std::string::npos);
  write(page_at(region, 0), 'x');
  EXPECT_EQ(disarmed(region).touched_units, 1U);
}

TEST(NextTouchOnThisKernel, OpensWhatIsLeftAroundAHole) {
  os::Linux os;
  const Region region = map_region(os, 4);
  ASSERT_TRUE(arm_next_touch(os, region));
  os.unmap_memory(page_at(region, 1), os.page_bytes());
  EXPECT_EQ(disarmed(region).touched_units, 0U);
  for (const std::size_t page : {0U, 2U, 3U}) write(page_at(region, page), 'x');
  os.unmap_memory(region.address, region.bytes);
}

TEST(NextTouchOnThisKernel, MemoryThatIsGoneAsAWholeIsDisarmed) {
  os::Linux os;
  const Region region = map_region(os, 4);
  ASSERT_TRUE(arm_next_touch(os, region));
  os.unmap_memory(region.address, region.bytes);
  EXPECT_EQ(disarmed(region).touched_units, 0U);
  EXPECT_FALSE(next_touch_counts(region));
}

TEST(NextTouchOnThisKernel, TouchesEachPageOnceAndKeepsWhatItHolds) {
  os::Linux os;
  const std::size_t pages = 2000;  // With huge pages, where the kernel gives them.
  const Region region = map_region(os, pages);
  char* const bytes = static_cast<char*>(region.address);
  std::iota(bytes, bytes + region.bytes, char{0});
  ASSERT_TRUE(arm_next_touch(os, region));
  for (std::size_t i = 0; i < region.bytes; ++i) {
    ASSERT_EQ(read(bytes + i), static_cast<char>(i)) << "byte " << i;
  }
  CpuId cpu;
  NodeId here;
  ASSERT_EQ(os.getcpu(cpu, here), 0);
  const NextTouchCounts counts = disarmed(region);
  EXPECT_EQ(counts.touched_units, pages);
  EXPECT_EQ(counts.pages_moved + counts.pages_left, pages);
  const auto where = audit(os, region);
  ASSERT_TRUE(where) << where.error().message();
  EXPECT_EQ(where->node_of_page[17], here);
  os.unmap_memory(region.address, region.bytes);
}

/// Writes to a byte of memory that may be armed. The thread sanitizer does not see it: at an atomic
/// access it holds a lock of its own, for which the fault's handler would wait for ever.
__attribute__((no_sanitize("thread"))) void write_unseen(const Region& region, std::size_t at) {
  static_cast<volatile char*>(region.address)[at] = 1;
}

TEST(NextTouchOnThisKernel, ServesManyThreadsThatTouchAtOnce) {
  os::Linux os;
  const std::size_t pages = 512;
  const Region region = map_region(os, pages);
  std::atomic<std::uint64_t>* const words = new (region.address) std::atomic<std::uint64_t>[1];
  const std::size_t words_a_page = os.page_bytes() / sizeof(std::uint64_t);
  os.populate_memory(region.address, region.bytes);
  for (int round = 0; round < 5; ++round) {
    ASSERT_TRUE(arm_next_touch(os, region));
    std::vector<std::thread> threads;
    for (int i = 0; i < 8; ++i) {
      threads.emplace_back([&] {
        for (std::size_t page = 0; page < pages; ++page) {
          write_unseen(region, os.page_bytes() * (page + 1) - 1);
          ++words[page * words_a_page];
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(disarmed(region).touched_units, pages);
  }
  for (std::size_t page = 0; page < pages; ++page) ASSERT_EQ(words[page * words_a_page], 40U);
  os.unmap_memory(region.address, region.bytes);
}

TEST(NextTouchOnThisKernel, MayEndWhileOthersTouch) {
  os::Linux os;
  const std::size_t pages = 64;
  const Region region = map_region(os, pages);
  std::atomic<bool> over{false};
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i) {
    threads.emplace_back([&] {
      while (!over) {
        for (std::size_t page = 0; page < pages; ++page) {
          write_unseen(region, page * os.page_bytes());
        }
      }
    });
  }
  for (int round = 0; round < 300; ++round) {
    ASSERT_TRUE(arm_next_touch(os, region, 1 + static_cast<std::size_t>(round) % 3));
    disarmed(region);
  }
  over = true;
  for (std::thread& thread : threads) thread.join();
  os.unmap_memory(region.address, region.bytes);
}

TEST(NextTouchOnThisKernel, StaysArmedInBothProcessesAfterAFork) {
  os::Linux os;
  const Region region = map_region(os, 3);
  char* const bytes = static_cast<char*>(region.address);
  std::fill_n(bytes, region.bytes, 'p');
  ASSERT_TRUE(arm_next_touch(os, region));
  write(bytes, 'q');
  const pid_t child = fork();
  if (child == 0) {
    bool good = read(bytes) == 'q' && read(bytes + os.page_bytes()) == 'p';
    write(bytes + 2 * os.page_bytes(), 'c');
    const auto counts = disarm_next_touch(region);
    good = good && counts && counts->touched_units == 3;
    _exit(good ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(next_touch_counts(region)->touched_units, 1U);
  EXPECT_EQ(read(bytes + 2 * os.page_bytes()), 'p');
  EXPECT_EQ(disarmed(region).touched_units, 2U);
  os.unmap_memory(region.address, region.bytes);
}

}  // namespace
}  // namespace homenode::actuation
