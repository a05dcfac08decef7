// Every call to the kernel refused in turn, once and from then on, under a script of operations:
// blocks stay as they were, what cannot be had is a null pointer with ENOMEM, and the statistics
// say what there is. Each trial is a process of its own, because the allocator has one state.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <homenode/heap.hpp>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "fake_system.h"
#include "heap/blocks.h"
#include "heap/huge.h"
#include "heap/process.h"
#include "heap/purge.h"
#include "heap/statistics.h"
#include "support/sanitized.h"

namespace homenode::heap {
namespace {

using fake::Call;

/// Blocks with contents that follow from their size and their place in the script.
class Script {
 public:
  [[nodiscard]] bool holds() const { return fault_.empty(); }
  [[nodiscard]] const std::string& fault() const { return fault_; }

  void run() {
    small_and_large();
    grow();
    freed_by_another();
    private_heap();
    purge_all();
    free_all();
    account();
  }

 private:
  struct Kept {
    unsigned char* memory;
    std::size_t bytes;
    unsigned char stamp;
  };

  void expect(bool condition, const char* what) {
    if (!condition && fault_.empty()) fault_ = what;
  }

  bool keep(void* memory, std::size_t bytes) {
    if (memory == nullptr) return false;
    const auto stamp = static_cast<unsigned char>(++number_ * 7 + 1);
    auto* const bytes_of = static_cast<unsigned char*>(memory);
    std::memset(bytes_of, stamp, bytes <= most_filled ? bytes : most_filled);
    bytes_of[bytes - 1] = stamp;
    kept_.push_back({bytes_of, bytes, stamp});
    return true;
  }

  [[nodiscard]] static bool is_whole(const Kept& block) {
    const std::size_t filled = std::min(block.bytes, most_filled);
    return block.memory[block.bytes - 1] == block.stamp &&
           std::all_of(block.memory, block.memory + filled,
                       [&](unsigned char byte) { return byte == block.stamp; });
  }

  void take(std::size_t bytes) {
    errno = 0;
    if (!keep(allocate(bytes), bytes)) expect(errno == ENOMEM, "null without ENOMEM");
  }

  void small_and_large() {
    for (const std::size_t bytes : {16UL, 100UL, 3000UL, 9000UL, 60'000UL, 200'000UL}) {
      for (int i = 0; i < 40; ++i) take(bytes);
    }
    take(std::size_t{20} << 20);
    take(std::size_t{40} << 20);
    take(std::size_t{70} << 20);
    (void)keep(allocate_aligned(5000, 4096), 5000);
    (void)keep(allocate_aligned(std::size_t{20} << 20, std::size_t{1} << 20),
               std::size_t{20} << 20);
    if (auto* const zeroed = static_cast<unsigned char*>(allocate_zeroed(300'000))) {
      expect(zeroed[0] == 0 && zeroed[299'999] == 0, "not zeroed");
      (void)keep(zeroed, 300'000);
    }
    free_every_second();
  }

  /// A block that cannot grow is as it was.
  void grow() {
    std::size_t bytes = 1000;
    auto* memory = static_cast<unsigned char*>(allocate(bytes));
    if (memory == nullptr) return;
    memory[0] = memory[bytes - 1] = 77;
    for (; bytes < std::size_t{80} << 20; bytes *= 3) {
      auto* const next = static_cast<unsigned char*>(resize(memory, bytes * 3));
      expect((next != nullptr ? next : memory)[0] == 77, "first byte lost in growing");
      expect((next != nullptr ? next : memory)[bytes - 1] == 77, "last byte lost in growing");
      if (next == nullptr) break;
      memory = next;
      memory[bytes * 3 - 1] = 77;
    }
    release(memory);
  }

  void freed_by_another() {
    std::vector<Kept> theirs(kept_.begin(), kept_.begin() + static_cast<long>(kept_.size() / 2));
    kept_.erase(kept_.begin(), kept_.begin() + static_cast<long>(kept_.size() / 2));
    bool whole = true;
    std::thread([&] {
      for (const Kept& block : theirs) {
        whole = whole && is_whole(block);
        release(block.memory);
      }
      release(allocate(500));
    }).join();
    expect(whole, "contents lost before another thread freed them");
  }

  void private_heap() {
    const hn_heap_options options{};
    errno = 0;
    hn_heap* const heap = hn_heap_create(&options);
    if (heap == nullptr) {
      expect(errno != 0, "no heap and no errno");
      return;
    }
    auto* const small = static_cast<char*>(hn_heap_malloc(heap, 1000));
    auto* const huge = static_cast<char*>(hn_heap_malloc(heap, std::size_t{40} << 20));
    if (small != nullptr) std::memset(small, 5, 1000);
    if (huge != nullptr) huge[100] = 6;
    (void)hn_heap_move(heap, "1");
    expect(small == nullptr || (small[0] == 5 && small[999] == 5), "moving a heap lost contents");
    expect(huge == nullptr || huge[100] == 6, "moving a heap lost a huge block");
    hn_heap_statistics of_heap{};
    expect(hn_heap_statistics_of(heap, &of_heap) == 0, "no statistics");
    refused_private_ = of_heap.refused_policies;
    hn_heap_destroy(heap);
  }

  void purge_all() {
    for_arenas([](Arena& arena) { (void)purge(arena); });
    for (int i = 0; i < 20; ++i) take(100'000);
  }

  void free_every_second() {
    std::vector<Kept> left;
    for (std::size_t i = 0; i < kept_.size(); ++i) {
      expect(is_whole(kept_[i]), "contents lost");
      if (i % 2 == 0) {
        left.push_back(kept_[i]);
      } else {
        release(kept_[i].memory);
      }
    }
    kept_ = left;
  }

  void free_all() {
    for (const Kept& block : kept_) {
      expect(is_whole(block), "contents lost at the end");
      release(block.memory);
    }
    kept_.clear();
  }

  /// What others freed into a page is counted when its holder has seen it.
  void account() {
    if (self != &nobody) return_leases(*self);
    const Totals totals = count_all();
    expect(totals.live_bytes == 0, "live bytes when all is free");
    expect(totals.huge_blocks == 0 && totals.huge_bytes == 0, "huge blocks when all is free");
    expect(totals.kept_bytes <= totals.committed_bytes, "more kept than committed");
    expect(totals.committed_bytes <= totals.mapped_bytes, "more committed than mapped");
    // What the kernel would not unmap is still there, but no longer the allocator's.
    const bool unmaps_all = refused_call != Call::unmap;
    expect(unmaps_all ? totals.mapped_bytes == fake::mapped_bytes()
                      : totals.mapped_bytes <= fake::mapped_bytes(),
           "mapped bytes are not what the kernel has");
    expect(totals.refused_policies + refused_private_ == fake::ranges_without_policy(),
           "refused policies are not what the kernel refused");
  }

 public:
  Call refused_call = Call::map;

 private:
  static constexpr std::size_t most_filled = 20'000;
  std::vector<Kept> kept_;
  std::uint64_t refused_private_ = 0;
  unsigned number_ = 0;
  std::string fault_;
};

enum Ending { held = 0, wrong = 1, not_reached = 2 };

/// One trial in a process of its own.
Ending trial(const fake::Refusal& refusal) {
  const pid_t child = fork();
  if (child == 0) {
    alarm(60);
    fake::refuse(refusal);
    Script script;
    script.refused_call = refusal.call;
    script.run();
    const bool reached = fake::calls_of(refusal.call) >= refusal.first;
    if (!script.holds()) std::fprintf(stderr, "%s\n", script.fault().c_str());
    _exit(!script.holds() ? wrong : reached ? held : not_reached);
  }
  int status = 0;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  return WIFEXITED(status) ? static_cast<Ending>(WEXITSTATUS(status)) : wrong;
}

/// Both kinds of refusal of the n-th call; false when there is no n-th.
bool try_both(Call call, unsigned nth, int error) {
  for (const unsigned last : {nth, ~0U}) {
    const Ending ending = trial({call, nth, last, error});
    EXPECT_NE(ending, wrong) << fake::name_of(call) << " number " << nth << ", errno " << error
                             << (last == nth ? ", once" : ", from then on");
    if (ending == not_reached) return false;
  }
  return true;
}

TEST(Refusals, NothingRefusedHolds) {
  EXPECT_EQ(trial({}), held);
}

class EachCall : public ::testing::TestWithParam<Call> {};

TEST_P(EachCall, RefusedAnywhereHarmsNothing) {
  unsigned tried = 0;
  for (const int error : {EPERM, EINVAL}) {
    if (error == EINVAL && GetParam() != Call::bind) continue;  // Only there errors differ.
    unsigned nth = 1;
    while (!HasFailure() && try_both(GetParam(), nth, error)) {
      nth += sanitized ? 1 + nth / 4 : 1;
      ++tried;
    }
  }
  EXPECT_GT(tried, 0U) << "the script makes no such call";
}

INSTANTIATE_TEST_SUITE_P(Refusals, EachCall,
                         ::testing::Values(Call::map, Call::unmap, Call::resize, Call::move,
                                           Call::discard, Call::bind, Call::name,
                                           Call::allowed_nodes, Call::get_cpu),
                         [](const auto& call) { return fake::name_of(call.param); });

}  // namespace
}  // namespace homenode::heap
