#include "lab/plugin/unit_counts.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <tuple>

namespace homenode::lab {
namespace {

constexpr std::uint64_t plenty = std::uint64_t{1} << 30;
constexpr unsigned page = 12;

using Key = std::tuple<std::uint64_t, unsigned, unsigned>;
struct Sums {
  std::uint64_t loads = 0;
  std::uint64_t stores = 0;
  friend bool operator==(const Sums&, const Sums&) = default;
};

/// By the address that stands for the unit, thread and node.
std::map<Key, Sums> content(const UnitCounts& counts) {
  std::map<Key, Sums> found;
  for (const auto& entry : counts.entries()) {
    if (!entry.used()) continue;
    const Key key{counts.address_of(entry), entry.thread, entry.node};
    EXPECT_FALSE(found.contains(key));
    const std::uint64_t stores = entry.sum(use_store);
    found[key] = {entry.all - stores, stores};
  }
  return found;
}

Sums total(const UnitCounts& counts) {
  Sums sums;
  for (const auto& [key, some] : content(counts)) {
    sums.loads += some.loads;
    sums.stores += some.stores;
  }
  return sums;
}

TEST(UnitCounts, TellUnitsThreadsNodesAndDirectionsApart) {
  UnitBudget budget(plenty);
  UnitCounts counts(page, budget);
  counts.add(0, {0x7f0000001040, 0, 1, false});
  counts.add(0, {0x7f0000001fc0, 0, 1, true});
  counts.add(0, {0x7f0000001fc0, 0, 2, true});
  counts.add(3, {0x7f0000001fc0, 0, 1, false});
  counts.add(0, {0x7f0000002000, 0, 1, false});
  const std::map<Key, Sums> wanted = {{{0x7f0000001000, 0, 1}, {1, 1}},
                                      {{0x7f0000001000, 0, 2}, {0, 1}},
                                      {{0x7f0000001000, 3, 1}, {1, 0}},
                                      {{0x7f0000002000, 0, 1}, {1, 0}}};
  EXPECT_EQ(content(counts), wanted);
  EXPECT_EQ(counts.lost(), 0U);
}

TEST(UnitCounts, TellInWhichOrderAThreadCameToUnits) {
  UnitBudget budget(plenty);
  UnitCounts counts(page, budget);
  for (const std::uint64_t address : {0x5000U, 0x5040U, 0x3000U, 0x5080U, 0x4000U}) {
    counts.add(0, {address, 0, 0, false});
    counts.add(1, {0x9000, 0, 0, false});
  }
  std::map<std::uint64_t, std::uint64_t> before;
  for (const auto& entry : counts.entries()) {
    if (entry.used()) before[counts.address_of(entry)] = entry.used_before;
  }
  const std::map<std::uint64_t, std::uint64_t> wanted = {
      {0x5000, 0}, {0x3000, 2}, {0x4000, 4}, {0x9000, 0}};
  EXPECT_EQ(before, wanted);
}

TEST(UnitCounts, AreExactForAnyMisses) {
  UnitBudget budget(plenty);
  UnitCounts counts(6, budget);
  std::map<Key, Sums> wanted;
  std::mt19937_64 random(1);
  for (int i = 0; i < 100'000; ++i) {
    const Miss miss{random() % (1U << 21U) * 8, 0, static_cast<unsigned>(random() % 3),
                    random() % 2 == 0};
    const auto thread = static_cast<unsigned>(random() % 5);
    counts.add(thread, miss);
    Sums& sums = wanted[{miss.address & ~std::uint64_t{63}, thread, miss.node}];
    ++(miss.store ? sums.stores : sums.loads);
  }
  EXPECT_EQ(content(counts), wanted);
  EXPECT_EQ(counts.shift(), 6U);
}

TEST(UnitCounts, KnowWhereAUnitWithinAPageLies) {
  UnitBudget budget(plenty);
  UnitCounts lines(6, budget);
  lines.add(0, {0x10048, 0x5048, 0, false});
  UnitCounts pages(page, budget);
  pages.add(0, {0x10048, 0x5048, 0, false});
  UnitCounts large(16, budget);
  large.add(0, {0x10048, 0x5048, 0, false});
  const auto physical = [](const UnitCounts& counts) {
    std::uint64_t found = 0;
    for (const auto& entry : counts.entries()) found += entry.physical;
    return found;
  };
  EXPECT_EQ(physical(lines), 0x5040U);
  EXPECT_EQ(physical(pages), 0x5000U);
  EXPECT_EQ(physical(large), 0U);
}

TEST(UnitCounts, StandForALargeUnitByThePageThatWasUsedFirst) {
  UnitBudget budget(plenty);
  UnitCounts counts(21, budget);
  counts.add(0, {0x40203040, 0, 0, false});
  counts.add(0, {0x40200040, 0, 0, false});
  const std::map<Key, Sums> wanted = {{{0x40203000, 0, 0}, {2, 0}}};
  EXPECT_EQ(content(counts), wanted);
}

TEST(UnitCounts, MakeUnitsLargerInsteadOfLosingCounts) {
  UnitBudget budget(4096 * sizeof(UnitCounts::Entry));
  UnitCounts counts(6, budget);
  constexpr std::uint64_t misses = 100'000;
  for (std::uint64_t i = 0; i < misses; ++i) counts.add(0, {i * 64, i * 64 + 4096, 0, i % 4 == 0});
  EXPECT_EQ(total(counts), (Sums{misses * 3 / 4, misses / 4}));
  EXPECT_EQ(counts.lost(), 0U);
  EXPECT_GT(counts.shift(), 6U);
  for (const auto& [key, sums] : content(counts)) {
    EXPECT_EQ(std::get<0>(key) % (std::uint64_t{1} << counts.shift()), 0U);
    EXPECT_LE(sums.loads + sums.stores, std::uint64_t{1} << (counts.shift() - 6));
  }
  for (const auto& entry : counts.entries()) {
    if (!entry.used() || counts.shift() > page) continue;
    EXPECT_EQ(entry.physical, counts.address_of(entry) + 4096);
  }
}

constexpr ThreadKey filler{0x1000, 0x10};
constexpr ThreadKey user{0x1000, 0x20};
constexpr ThreadKey other_process{0x2000, 0x20};

/// Loads and stores of all entries that were made alone.
Sums alone(const UnitCounts& counts) {
  Sums sums;
  for (const auto& entry : counts.entries()) {
    const std::uint64_t stores = entry.sum(use_alone | use_store);
    sums.loads += entry.sum(use_alone) - stores;
    sums.stores += stores;
  }
  return sums;
}

TEST(UnitCounts, TellWhatWasDoneBeforeAnotherThreadUsedThePage) {
  UnitBudget budget(plenty);
  FirstUsers first;
  UnitCounts one(6, budget, &first);
  UnitCounts another(6, budget, &first);  // Of another vCPU.
  one.add(0, {0x5000, 0, 0, true}, filler);
  another.add(0, {0x5040, 0, 0, true}, filler);
  one.add(1, {0x5000, 0, 0, false}, other_process);
  one.add(0, {0x5000, 0, 0, false}, filler);
  EXPECT_EQ(alone(one), (Sums{2, 1}));
  another.add(1, {0x5fc0, 0, 0, false}, user);
  one.add(0, {0x5000, 0, 0, true}, filler);
  one.add(0, {0x5080, 0, 0, true}, filler);
  one.add(0, {0x6000, 0, 0, true}, filler);
  EXPECT_EQ(alone(one), (Sums{2, 2}));
  EXPECT_EQ(alone(another), (Sums{0, 1}));
  EXPECT_EQ(total(one), (Sums{2, 4}));
  EXPECT_TRUE(one.tells_alone());
}

TEST(UnitCounts, TellWhatWasPrefetchedAndWhatCachesHad) {
  UnitBudget budget(0);
  FirstUsers first;
  UnitCounts counts(6, budget, &first);
  for (std::uint64_t i = 0; i < 1024; ++i) {
    counts.add(0, {i * 64, 0, 0, false, i % 4 != 0, i % 8 == 0}, filler);
    counts.add(0, {i * 64, 0, 0, true, i % 4 == 0, i % 8 == 0}, filler);
  }
  EXPECT_GT(counts.shift(), 6U);
  const auto sum = [&](unsigned bits) {
    std::uint64_t found = 0;
    for (const auto& entry : counts.entries()) found += entry.sum(bits);
    return found;
  };
  EXPECT_EQ(total(counts), (Sums{1024, 1024}));
  EXPECT_EQ(sum(use_prefetched), 1024U);
  EXPECT_EQ(sum(use_prefetched | use_store), 256U);
  EXPECT_EQ(sum(use_prefetched | use_store | use_alone), 256U);
  EXPECT_EQ(sum(use_from_cache), 256U);
  EXPECT_EQ(sum(use_from_cache | use_prefetched), 128U);
}

TEST(UnitCounts, TellNothingOfThatInUnitsLargerThanAPage) {
  UnitBudget budget(1024 * sizeof(UnitCounts::Entry));
  FirstUsers first;
  UnitCounts small(6, budget, &first);
  UnitCounts full(6, budget, &first);
  UnitCounts large(13, budget, &first);
  EXPECT_FALSE(large.tells_alone());
  for (std::uint64_t i = 0; i < 4096; ++i) full.add(0, {i << 13U, 0, 0, false}, filler);
  EXPECT_GT(full.shift(), page);
  EXPECT_FALSE(small.tells_alone());
  first.clear();
  EXPECT_TRUE(small.tells_alone());
}

TEST(UnitCounts, SayWhatFindsNoPlaceEvenInTheLargestUnits) {
  UnitBudget budget(0);
  UnitCounts counts(page, budget);
  constexpr std::uint64_t misses = 2000;
  for (std::uint64_t i = 0; i < misses; ++i) counts.add(0, {i << 21U, 0, 0, false});
  EXPECT_GT(counts.lost(), 0U);
  EXPECT_EQ(counts.lost() + total(counts).loads, misses);
}

TEST(UnitCounts, GiveTheirMemoryBack) {
  UnitBudget budget(4096 * sizeof(UnitCounts::Entry));
  UnitCounts counts(6, budget);
  for (int region = 0; region < 5; ++region) {
    counts.clear();
    EXPECT_EQ(total(counts), Sums{});
    EXPECT_EQ(counts.shift(), 6U);
    for (std::uint64_t i = 0; i < 2000; ++i) counts.add(0, {i * 64, 0, 0, false});
    EXPECT_EQ(counts.shift(), 6U);
  }
}

}  // namespace
}  // namespace homenode::lab
