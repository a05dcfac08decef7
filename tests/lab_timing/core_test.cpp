#include "lab/timing/core.h"

#include <random>

#include "small_machine.h"

namespace homenode::lab {
namespace {

using namespace timing_test;

/// Rounds of a chase over `count` lines that are `apart` lines from each other; time per load.
std::uint64_t chase_ps(Machine& machine, std::uint64_t count, std::uint64_t apart) {
  const auto round = [&] {
    for (std::uint64_t i = 0; i < count; ++i) machine.load(i * apart * line_bytes, chase());
  };
  round();
  round();
  const std::uint64_t before_ps = machine.core().finish();
  for (int i = 0; i < 10; ++i) round();
  return (machine.core().finish() - before_ps) / (10 * count);
}

TEST(Core, TakesItsTimeForEachInstruction) {
  TimingModel model = small_machine();
  model.frequency_mhz = 3000;
  model.cpi_milli = 700;
  Machine machine(model);
  for (int i = 0; i < 1000; ++i) {
    machine.execute(30);
    (void)machine.core().now_ps();
  }
  // 233.333 ps each; the femtosecond below that is cut off, what is below a picosecond is carried.
  EXPECT_EQ(machine.core().now_ps(), std::uint64_t{30'000} * 233'333 / 1000);
  EXPECT_EQ(machine.core().counts().instructions, 30'000U);
  EXPECT_EQ(machine.core().counts().busy_ps, machine.core().now_ps());
  EXPECT_EQ(machine.core().counts().stall_ps, 0U);
}

TEST(Core, WaitsForEachMissOfAChain) {
  Machine machine(small_machine());
  for (std::uint64_t i = 0; i < 50; ++i) machine.load(i * far_apart, chase());
  EXPECT_EQ(machine.core().finish(), 50 * local_ps);
  EXPECT_EQ(machine.core().counts().stall_ps, 50 * local_ps);
  for (std::uint64_t i = 0; i < 50; ++i) {
    machine.load((std::uint64_t{1} << node_shift) + i * far_apart, chase());
  }
  EXPECT_EQ(machine.core().finish(), 50 * local_ps + 50 * remote_ps);
}

TEST(Core, WaitsForAChainThatComesBackToALineInFlight) {
  Machine machine(small_machine());
  machine.load(0, chase());
  machine.load(8, chase());
  machine.load(far_apart, chase());
  EXPECT_EQ(machine.core().finish(), 2 * local_ps);
}

TEST(Core, OverlapsMissesThatDoNotDependOnEachOther) {
  for (const std::uint64_t count : {1U, 5U, 10U, 11U, 20U, 35U}) {
    Machine machine(small_machine());
    for (std::uint64_t i = 0; i < count; ++i) machine.load(i * far_apart);
    EXPECT_EQ(machine.core().finish(), (count + 9) / 10 * local_ps) << count;
  }
}

TEST(Core, OverlapsChainsThatDoNotDependOnEachOther) {
  Machine machine(small_machine());
  const AccessShape other = AccessShape().waiting_for(1, AccessShape::none).filling(1);
  for (std::uint64_t i = 0; i < 5; ++i) machine.load(i * far_apart, chase());
  for (std::uint64_t i = 5; i < 10; ++i) machine.load(i * far_apart, other);
  EXPECT_EQ(machine.core().finish(), 5 * local_ps);
}

TEST(Core, RunsOnBehindAMissAsFarAsItsWindow) {
  TimingModel model = small_machine();
  model.pairs[0].latency_ps = 500'000;
  Machine inside(model);
  inside.load(0);
  inside.execute(150);
  inside.load(far_apart);
  EXPECT_EQ(inside.core().finish(), 150 * instruction_ps + 500'000);
  Machine beyond(model);
  beyond.load(0);
  beyond.execute(300);
  beyond.load(far_apart);
  // 192 in the shadow of the first, 108 after it, and the second.
  EXPECT_EQ(beyond.core().finish(), 500'000 + 108 * instruction_ps + 500'000);
}

TEST(Core, StoppedAtItsWindowAlsoWhenTheNextMissComesLate) {
  TimingModel model = small_machine();
  model.pairs[0].latency_ps = 500'000;
  Machine machine(model);
  machine.load(0);
  machine.execute(800);
  machine.load(far_apart);
  EXPECT_EQ(machine.core().finish(), 500'000 + 608 * instruction_ps + 500'000);
}

TEST(Core, ReadsAWalkAtItsPrefetchersRate) {
  constexpr std::uint64_t lines = 8'000;
  Machine machine(small_machine());
  for (std::uint64_t i = 0; i < lines; ++i) machine.load(i * line_bytes);
  const std::uint64_t expected_ps = lines * local_ps / machine.model.prefetches;
  EXPECT_NEAR(static_cast<double>(machine.core().finish()), static_cast<double>(expected_ps),
              static_cast<double>(expected_ps) / 100);
  EXPECT_EQ(machine.memory.traffic(0).reads[0], lines);
}

TEST(Core, ReadsAWalkNoFasterThanTheController) {
  constexpr std::uint64_t lines = 20'000;
  TimingModel model = small_machine();
  model.prefetches = 32;
  model.controllers[0] = {10'000, 10'000};
  Machine machine(model);
  for (std::uint64_t i = 0; i < lines; ++i) machine.load(i * line_bytes);
  const std::uint64_t expected_ps = lines * model.line_ps(10'000);
  EXPECT_NEAR(static_cast<double>(machine.core().finish()), static_cast<double>(expected_ps),
              static_cast<double>(expected_ps) / 50);
}

TEST(Core, FindsLinesInTheLevelThatHoldsThem) {
  Machine first(small_machine());
  EXPECT_EQ(chase_ps(first, 4, 16), 0U);
  Machine second(small_machine());
  EXPECT_EQ(chase_ps(second, 8, 32), second_level_ps);
  TimingModel model = small_machine();
  add_last_level(model);
  Machine last(model);
  EXPECT_EQ(chase_ps(last, 16, 64), last_level_ps);
  EXPECT_EQ(last.memory.traffic(0).reads[0], 16U);
  Machine memory(model);
  EXPECT_EQ(chase_ps(memory, 17, 64), local_ps);
}

TEST(Core, CountsWhatEachLevelDid) {
  TimingModel model = small_machine();
  add_last_level(model);
  Machine machine(model);
  (void)chase_ps(machine, 16, 64);
  const CoreCounts& counts = machine.core().counts();
  EXPECT_EQ(counts.references[0], 12 * 16U);
  EXPECT_EQ(counts.l1_misses, 12 * 16U);
  EXPECT_EQ(counts.l2_misses, 12 * 16U);
  EXPECT_EQ(counts.l3_hits, 11 * 16U);
  EXPECT_EQ(counts.other_cache, 0U);
}

TEST(Core, KeepsTheFirstLevelInExactOrderOfUse) {
  Machine machine(small_machine());
  // Twice what the first level holds, and less than the second.
  const std::uint64_t lines = 2 * 4096 / line_bytes;
  TagCache reference(4096, 4, line_bytes);
  std::mt19937_64 random(7);
  std::uint64_t misses = 0;
  for (int i = 0; i < 20'000; ++i) {
    const std::uint64_t line = random() % lines * (random() % 2);
    machine.load(line * line_bytes);
    if (reference.find(Tag(line, 0))) continue;
    ++misses;
    (void)reference.insert(Tag(line, 0));
  }
  EXPECT_EQ(machine.core().counts().l1_misses, misses);
}

TEST(Core, CountsReferencesByWhoMadeThem) {
  Machine machine(small_machine());
  for (int i = 0; i < 3; ++i) machine.load(0);
  for (int i = 0; i < 5; ++i) machine.store(0);
  machine.load(0, AccessShape().by_kernel());
  machine.store(0, AccessShape().by_kernel());
  EXPECT_EQ(machine.core().counts().references, (std::array<std::uint64_t, 4>{3, 5, 1, 1}));
}

TEST(Core, TouchesBothLinesThatAnAccessLiesOn) {
  Machine machine(small_machine());
  machine.load(60);
  EXPECT_EQ(machine.memory.traffic(0).reads[0], 2U);
  machine.load(60 + 64);
  EXPECT_EQ(machine.memory.traffic(0).reads[0], 3U);
  machine.load(56 + 4 * 64);
  EXPECT_EQ(machine.memory.traffic(0).reads[0], 4U);
  EXPECT_EQ(machine.core().counts().references[0], 3U);
}

TEST(Core, WaitsForTheLaterOfTheTwoLinesOfAnAccess) {
  Machine machine(small_machine());
  machine.load(128, AccessShape().filling(3));
  EXPECT_EQ(machine.core().finish(), local_ps);
  machine.load(124, AccessShape().filling(0));  // The first line misses, the second is held.
  machine.load(far_apart, chase());             // Its address comes from both.
  EXPECT_EQ(machine.core().finish(), 3 * local_ps);
}

TEST(Core, FetchesTheTwoLinesOfAnAccessTogether) {
  Machine machine(small_machine());
  machine.load(60, chase());
  EXPECT_EQ(machine.core().finish(), local_ps);
}

TEST(Core, GetsALineThatAnotherHasWrittenFromItsCache) {
  Machine machine(small_machine());
  machine.store(0);
  machine.load(0, chase(), 1);
  machine.load(0, chase(), 2);
  EXPECT_EQ(machine.core(1).finish(), cache_to_cache_ps);
  EXPECT_EQ(machine.core(1).counts().other_cache, 1U);
  // The first reader has brought memory up to date.
  EXPECT_EQ(machine.core(2).finish(), remote_ps);
  EXPECT_EQ(machine.memory.controller(0).written_lines, 1U);
  Machine across(small_machine());
  across.store(0);
  across.load(0, chase(), 2);
  EXPECT_EQ(across.core(2).finish(), remote_ps);
  EXPECT_EQ(across.core(2).counts().other_cache, 1U);
}

TEST(Core, PaysForEachTimeThatALineIsTakenAway) {
  Machine machine(small_machine());
  const AccessShape atomic = AccessShape().ordered();
  machine.store(0, atomic, 0);
  for (int i = 0; i < 20; ++i) {
    machine.store(8, atomic, 1);
    machine.store(0, atomic, 0);
  }
  EXPECT_EQ(machine.core(0).finish(), local_ps + 20 * cache_to_cache_ps);
  EXPECT_EQ(machine.core(1).finish(), 20 * cache_to_cache_ps);
  // Lines of their own cost nothing more.
  machine.store(far_apart, atomic, 1);
  const std::uint64_t before_ps = machine.core(1).finish();
  for (int i = 0; i < 20; ++i) machine.store(far_apart, atomic, 1);
  EXPECT_EQ(machine.core(1).finish(), before_ps);
}

TEST(Core, PaysToWriteALineThatOthersRead) {
  Machine machine(small_machine());
  machine.load(0, chase(), 0);
  machine.load(0, chase(), 1);
  const std::uint64_t before_ps = machine.core().finish();
  machine.store(0);
  EXPECT_EQ(machine.core().finish(), before_ps + cache_to_cache_ps);
  machine.store(0);
  EXPECT_EQ(machine.core().finish(), before_ps + cache_to_cache_ps);
  // The other's copy is stale now.
  machine.load(0, chase(), 1);
  EXPECT_EQ(machine.core(1).counts().other_cache, 1U);
}

TEST(Core, WritesPastTheCachesAtTheRateOfItsBuffers) {
  constexpr std::uint64_t lines = 8'000;
  Machine machine(small_machine());
  const AccessShape past = AccessShape().past_caches();
  for (std::uint64_t i = 0; i < lines * 8; ++i) machine.store(i * 8, past);
  const std::uint64_t expected_ps = lines * local_ps / machine.model.prefetches;
  EXPECT_NEAR(static_cast<double>(machine.core().finish()), static_cast<double>(expected_ps),
              static_cast<double>(expected_ps) / 100);
  EXPECT_EQ(machine.memory.traffic(0).writes[0], lines);
  EXPECT_EQ(machine.memory.traffic(0).reads[0], 0U);
}

TEST(Core, MakesCopiesStaleByWritingPastThem) {
  Machine machine(small_machine());
  machine.load(0, chase(), 1);
  machine.store(0, AccessShape().past_caches(), 0);
  const std::uint64_t before_ps = machine.core(1).finish();
  machine.load(0, chase(), 1);
  EXPECT_EQ(machine.core(1).finish(), before_ps + local_ps);
}

TEST(Core, TakesNoTimeForDevices) {
  Machine machine(small_machine());
  machine.load(std::uint64_t{2} << node_shift, chase());
  machine.translation.is_device = true;
  machine.store(0);
  EXPECT_EQ(machine.core().finish(), 0U);
  EXPECT_EQ(machine.core().outside(), 2U);
  EXPECT_EQ(machine.memory.controller(0).read_lines, 0U);
}

TEST(Core, AsksAgainWhereAPageLiesOnceMappingsHaveChanged) {
  Machine machine(small_machine());
  machine.load(0);
  machine.translation.offset = std::uint64_t{1} << node_shift;
  machine.load(64);
  EXPECT_EQ(machine.memory.traffic(0).reads, (std::vector<std::uint64_t>{2, 0}));
  machine.core().forget_translations();
  machine.load(0);
  EXPECT_EQ(machine.memory.traffic(0).reads, (std::vector<std::uint64_t>{2, 1}));
}

TEST(Core, WritesEachModifiedLineToMemoryOnce) {
  Machine machine(small_machine());
  for (std::uint64_t line = 0; line < 256; ++line) machine.store(line * line_bytes);
  for (std::uint64_t i = 0; i < 4096; ++i) machine.load((1 << 20) + i * line_bytes);
  EXPECT_EQ(machine.memory.traffic(0).writes[0], 256U);
}

TEST(Core, WritesALineBackThatOnlyTheFirstLevelHeld) {
  Machine machine(small_machine());
  constexpr std::uint64_t set = 32 * line_bytes;  // The same set in both levels.
  machine.load(0);
  for (std::uint64_t i = 1; i <= 8; ++i) {
    machine.load(i * set);
    machine.load(0);  // Found in the first level, so the second does not hear of it.
  }
  machine.store(0);
  for (std::uint64_t i = 9; i < 40; ++i) machine.load(i * set);
  EXPECT_EQ(machine.memory.traffic(0).writes[0], 1U);
}

TEST(Core, ChargesNothingWhileItIsNotCharged) {
  Machine machine(small_machine());
  machine.load(0);
  const std::uint64_t before_ps = machine.core().finish();
  machine.core().charge(false);
  machine.execute(1000);
  for (std::uint64_t i = 0; i < 100; ++i) machine.load(i * far_apart, chase());
  machine.core().charge(true);
  EXPECT_EQ(machine.core().finish(), before_ps);
  EXPECT_EQ(machine.core().counts().instructions, 0U);
  EXPECT_EQ(machine.core().counts().references[0], 1U);
  machine.execute(10);
  EXPECT_EQ(machine.core().finish(), before_ps + 10 * instruction_ps);
}

TEST(Core, BeginsEachRegionCold) {
  Machine machine(small_machine());
  machine.load(0, chase());
  machine.execute(50);
  EXPECT_GT(machine.core().finish(), 0U);
  machine.memory.clear();
  machine.core().run(false);
  machine.core().open(&machine.instructions[0]);
  machine.core().run(true);
  EXPECT_EQ(machine.core().finish(), 0U);
  machine.load(0, chase());
  EXPECT_EQ(machine.core().finish(), local_ps);
  EXPECT_EQ(machine.core().counts().busy_ps, local_ps);
}

TEST(Core, TellsOfEachMissOfThePrivateCaches) {
  struct Misses {
    std::vector<std::uint64_t> loads = {0, 0};
    std::uint64_t stores = 0;
  } misses;
  Machine machine(small_machine());
  machine.core().on_miss(
      [](void* data, const Core::PrivateMiss& miss) {
        auto& found = *static_cast<Misses*>(data);
        miss.store ? ++found.stores : ++found.loads[miss.node];
      },
      &misses);
  for (int i = 0; i < 3; ++i) machine.load(0);
  machine.load(std::uint64_t{1} << node_shift);
  machine.store(far_apart);
  machine.store(0);
  machine.store(2 * far_apart, AccessShape().past_caches());
  EXPECT_EQ(misses.loads, (std::vector<std::uint64_t>{1, 1}));
  EXPECT_EQ(misses.stores, 2U);
}

}  // namespace
}  // namespace homenode::lab
