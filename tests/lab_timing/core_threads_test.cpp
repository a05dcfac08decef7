// Several cores at once, each on a thread of its own as in QEMU: nothing is lost between them.
#include <atomic>
#include <numeric>
#include <random>
#include <thread>

#include "small_machine.h"

namespace homenode::lab {
namespace {

using namespace timing_test;

constexpr std::uint64_t shared_lines = 3'000;

TEST(CoreThreads, AccountForEveryMissOnce) {
  TimingModel model = small_machine(2, 2);
  add_last_level(model);
  model.controllers.assign(2, {10'000, 8'000});
  Machine machine(model);
  machine.pace.open();
  for (unsigned vcpu = 0; vcpu < 4; ++vcpu) {
    machine.core(vcpu).run(false);
    machine.core(vcpu).run(true);
  }
  {
    std::vector<std::jthread> threads;
    for (unsigned vcpu = 0; vcpu < 4; ++vcpu) {
      threads.emplace_back([&machine, vcpu] {
        std::mt19937_64 random(vcpu + 1);
        for (int i = 0; i < 20'000; ++i) {
          machine.execute(random() % 20, vcpu);
          const std::uint64_t address =
              random() % (shared_lines * line_bytes) + (random() % 2 << node_shift);
          const AccessShape shape = random() % 8 == 0 ? AccessShape().ordered() : chase();
          if (random() % 3 == 0) {
            machine.store(address & ~std::uint64_t{7}, shape, vcpu);
          } else {
            machine.load(address & ~std::uint64_t{7}, shape, vcpu);
          }
        }
        (void)machine.core(vcpu).finish();
        machine.core(vcpu).run(false);
      });
    }
  }
  std::uint64_t reads = 0;
  for (unsigned vcpu = 0; vcpu < 4; ++vcpu) {
    const CoreCounts& counts = machine.core(vcpu).counts();
    const MemoryTraffic& traffic = machine.memory.traffic(vcpu);
    EXPECT_EQ(counts.references[0] + counts.references[1], 20'000U);
    EXPECT_EQ(counts.l2_misses,
              counts.l3_hits + counts.other_cache + traffic.reads[0] + traffic.reads[1]);
    EXPECT_GT(counts.other_cache, 0U);
    EXPECT_EQ(counts.busy_ps, counts.instructions * instruction_ps + counts.stall_ps);
    const auto stalls = machine.core(vcpu).stalls_ps();
    EXPECT_EQ(std::accumulate(stalls.begin(), stalls.end(), std::uint64_t{0}), counts.stall_ps);
    reads += traffic.reads[0] + traffic.reads[1];
  }
  EXPECT_EQ(machine.memory.controller(0).read_lines + machine.memory.controller(1).read_lines,
            reads);
}

TEST(CoreThreads, OfTheKernelGiveWayUntilTheOtherOneCanOnlyWaitForThem) {
  static std::atomic<int> gave_way;
  gave_way = 0;
  const auto give_way = [] { ++gave_way; };
  Machine machine(small_machine(1, 2));
  machine.pace.open();
  for (unsigned vcpu = 0; vcpu < 2; ++vcpu) {
    machine.core(vcpu).run(false);
    machine.core(vcpu).run(true);
  }
  machine.core(0).wait_in_kernel(give_way);
  EXPECT_EQ(gave_way, 1);
  EXPECT_EQ(machine.core(0).now_ps(), 0U);
  std::atomic<bool> has_lock = true;
  {
    const std::jthread owner([&] {
      machine.execute(epoch_ps / instruction_ps, 1);
      (void)machine.core(1).now_ps(true);  // Waits for the other one.
      has_lock = false;
    });
    while (has_lock) machine.core(0).wait_in_kernel(give_way);
  }
  EXPECT_GE(machine.core(0).now_ps(), epoch_ps);
  EXPECT_EQ(machine.core(0).counts().busy_ps, machine.core(0).now_ps());
}

}  // namespace
}  // namespace homenode::lab
