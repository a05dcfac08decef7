// Blocks that a thread has freed of pages of others, and what it keeps of them for a while.
#include "heap/parcels.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <future>
#include <span>
#include <thread>
#include <unordered_set>
#include <vector>

#include "heap/process.h"
#include "heap/statistics.h"

namespace homenode::heap {
namespace {

constexpr std::size_t bytes = 112;  // A size that no other test takes by the page.
constexpr std::size_t in_a_page = slice_bytes / bytes;

/// The first few may be blocks of larger sizes; those behind the first page's are not.
std::vector<void*> take_blocks(std::size_t count) {
  std::vector<void*> blocks(count);
  for (void*& one : blocks) one = allocate(bytes);
  return blocks;
}

void release_others(std::span<void* const> blocks, std::span<void* const> freed) {
  for (void* one : blocks) {
    if (std::find(freed.begin(), freed.end(), one) == freed.end()) release(one);
  }
}

/// Frees blocks in a thread of its own, which then lives on until this goes.
class Freer {
 public:
  explicit Freer(std::span<void* const> blocks)
      : thread_([this, blocks] {
          for (void* one : blocks) release(one);
          record_.set_value(self);
          end_.get_future().wait();
        }) {}
  ~Freer() {
    end_.set_value();
    thread_.join();
  }
  Freer(const Freer&) = delete;
  Freer& operator=(const Freer&) = delete;

  Thread& wait() { return *record_.get_future().get(); }

 private:
  std::promise<Thread*> record_;
  std::promise<void> end_;
  std::thread thread_;  // The last: it uses what stands before it.
};

/// How many of these are given out again, before or after what other pages have free.
std::size_t given_out_again(std::span<void* const> freed) {
  constexpr std::size_t pages = 30;
  const std::vector<void*> fresh = take_blocks(pages * in_a_page);
  const std::unordered_set<void*> wanted(freed.begin(), freed.end());
  const auto again =
      std::count_if(fresh.begin(), fresh.end(), [&](void* one) { return wanted.contains(one); });
  for (void* one : fresh) release(one);
  return static_cast<std::size_t>(again);
}

TEST(Parcels, ABlockThatIsFreedAloneIsBackAtOnce) {
  const std::vector<void*> blocks = take_blocks(3 * in_a_page);
  const std::span<void* const> one = std::span(blocks).subspan(in_a_page, 1);
  Freer freer(one);
  freer.wait();
  EXPECT_EQ(given_out_again(one), 1U);
  release_others(blocks, one);
}

TEST(Parcels, KeepLessThanTheirBound) {
  const std::vector<void*> blocks = take_blocks(4 * in_a_page);
  const std::span<void* const> most = std::span(blocks).subspan(in_a_page, in_a_page);
  Freer freer(most);
  freer.wait();
  const std::size_t again = given_out_again(most);
  EXPECT_GT(again, most.size() - 2 * (parcel_bytes / bytes + 1));  // They are of two pages.
  release_others(blocks, most);
}

TEST(Parcels, ComeBackWholeWhenTheirThreadIsGoneInTheChildOfAFork) {
  const std::vector<void*> blocks = take_blocks(3 * in_a_page);
  const std::span<void* const> few = std::span(blocks).subspan(in_a_page, 10);
  Freer freer(few);
  Thread& thread = freer.wait();
  const auto keeps = [](const Parcel& parcel) { return parcel.first != nullptr; };
  EXPECT_TRUE(std::any_of(std::begin(thread.parcels), std::end(thread.parcels), keeps));
  send_parcels_of_gone(thread);
  EXPECT_FALSE(std::any_of(std::begin(thread.parcels), std::end(thread.parcels), keeps));
  EXPECT_EQ(given_out_again(few), few.size());
  release_others(blocks, few);
}

TEST(Parcels, ComeBackWhenTheirThreadEnds) {
  const auto used = [] {
    const Totals totals = count_all();
    return totals.committed_bytes - totals.kept_bytes;
  };
  constexpr std::size_t pages = 40;
  std::vector<void*> blocks;
  std::thread([&] { blocks = take_blocks(pages * in_a_page); }).join();
  const std::size_t before = used();
  std::thread([&] {
    for (void* one : blocks) release(one);
  }).join();
  EXPECT_LT(used(), before - (pages - 3) * slice_bytes);
}

}  // namespace
}  // namespace homenode::heap
