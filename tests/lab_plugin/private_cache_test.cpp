#include "lab/plugin/private_cache.h"

#include <gtest/gtest.h>

#include <list>
#include <random>

namespace homenode::lab {
namespace {

constexpr unsigned line_bytes = 64;

CacheShape shape(std::uint64_t lines, unsigned ways) {
  return {lines * line_bytes, ways, line_bytes};
}

std::uint64_t walk(PrivateCache& cache, std::uint64_t lines, unsigned times) {
  std::uint64_t misses = 0;
  for (unsigned time = 0; time < times; ++time) {
    for (std::uint64_t line = 0; line < lines; ++line) misses += cache.touch(line) ? 0 : 1;
  }
  return misses;
}

TEST(PrivateCache, MissesOnceForEachLineThatFits) {
  for (const auto& s : {shape(8192, 16), shape(8192, 1), shape(20 * 1024, 20), shape(16, 16),
                        shape(3 * 4, 4), shape(1, 1)}) {
    PrivateCache cache(s);
    EXPECT_EQ(walk(cache, s.bytes / line_bytes, 5), s.bytes / line_bytes);
  }
}

TEST(PrivateCache, AlwaysMissesWhenOneLineMoreThanFitsIsWalkedInACircle) {
  for (const unsigned ways : {1U, 2U, 7U, 16U, 20U}) {
    PrivateCache cache(shape(ways, ways));
    EXPECT_EQ(walk(cache, ways + 1, 5), (ways + 1) * 5U) << ways;
  }
}

TEST(PrivateCache, MissesOnlyInTheSetsThatOverflow) {
  // One line more than fits: its set holds ways + 1 lines and always misses, the others never
  // again.
  PrivateCache cache(shape(256, 4));
  EXPECT_EQ(walk(cache, 257, 1), 257U);
  EXPECT_EQ(walk(cache, 257, 3), 3U * 5U);
}

TEST(PrivateCache, HoldsNothingWhenThereIsNone) {
  PrivateCache cache({0, 0, line_bytes});
  EXPECT_EQ(walk(cache, 1, 5), 5U);
}

TEST(PrivateCache, IsColdAfterClear) {
  PrivateCache cache(shape(64, 4));
  EXPECT_EQ(walk(cache, 64, 2), 64U);
  cache.clear();
  EXPECT_EQ(walk(cache, 64, 2), 64U);
}

/// The textbook's LRU: a list per set, newest first.
class ListCache {
 public:
  ListCache(std::uint64_t sets, unsigned ways) : sets_(sets), ways_(ways) {}
  bool touch(std::uint64_t line) {
    std::list<std::uint64_t>& set = sets_[line % sets_.size()];
    const std::size_t before = set.size();
    set.remove(line);
    const bool held = set.size() < before;
    set.push_front(line);
    if (set.size() > ways_) set.pop_back();
    return held;
  }

 private:
  std::vector<std::list<std::uint64_t>> sets_;
  unsigned ways_;
};

TEST(PrivateCache, AgreesWithATextbookLruOnRandomTouches) {
  for (const unsigned ways : {1U, 2U, 3U, 4U, 5U, 8U, 16U, 20U}) {
    for (const std::uint64_t sets : {1U, 3U, 8U}) {
      PrivateCache cache(shape(sets * ways, ways));
      ListCache expected(sets, ways);
      std::mt19937_64 random(sets * 100 + ways);
      for (unsigned i = 0; i < 20000; ++i) {
        const std::uint64_t line = random() % (2 * sets * ways) + 1000;
        ASSERT_EQ(cache.touch(line), expected.touch(line)) << sets << " sets, " << ways << " ways";
      }
    }
  }
}

}  // namespace
}  // namespace homenode::lab
