#include "lab/timing/shared_cache.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <random>
#include <thread>

namespace homenode::lab {
namespace {

/// The same by lists: each set from the newest to the oldest, a line in one version only.
class VersionLists {
 public:
  struct Item {
    Tag tag;
    bool modified;
  };
  VersionLists(std::uint64_t sets, std::size_t ways) : ways_(ways), sets_(sets) {}

  bool find(Tag tag) {
    auto& set = set_of(tag);
    const auto found =
        std::ranges::find_if(set, [&](const Item& item) { return item.tag.bits == tag.bits; });
    if (found == set.end()) return false;
    const Item item = *found;
    set.erase(found);
    set.push_front(item);
    return true;
  }
  std::optional<Tag> insert(Tag tag, bool modified) {
    auto& set = set_of(tag);
    std::erase_if(set, [&](const Item& item) { return item.tag.line() == tag.line(); });
    set.push_front({tag, modified});
    if (set.size() <= ways_) return std::nullopt;
    const Item oldest = set.back();
    set.pop_back();
    return oldest.modified ? std::optional(oldest.tag) : std::nullopt;
  }

 private:
  std::deque<Item>& set_of(Tag tag) { return sets_[tag.line() % sets_.size()]; }

  std::size_t ways_;
  std::vector<std::deque<Item>> sets_;
};

TEST(SharedCache, AgreesWithAListOfEachSet) {
  struct Shape {
    std::uint64_t sets;
    unsigned ways;
  };
  for (const Shape shape : {Shape{1, 1}, {1, 16}, {16, 4}, {12, 3}, {3, 20}}) {
    SharedCache cache(shape.sets * shape.ways * 64, shape.ways, 64);
    VersionLists reference(shape.sets, shape.ways);
    std::mt19937_64 random(12);
    for (int i = 0; i < 20'000; ++i) {
      const Tag tag(random() % (shape.sets * shape.ways * 2),
                    static_cast<std::uint16_t>(random() % 3));
      const bool found = cache.find(tag);
      ASSERT_EQ(found, reference.find(tag)) << shape.sets << 'x' << shape.ways << " at " << i;
      if (found) continue;
      const bool modified = random() % 2 == 0;
      const auto victim = cache.insert(tag, modified);
      const auto expected = reference.insert(tag, modified);
      ASSERT_EQ(victim.has_value(), expected.has_value()) << i;
      if (expected) {
        ASSERT_EQ(victim->bits, expected->bits);
      }
    }
  }
}

TEST(SharedCache, HandsBackOnlyModifiedLines) {
  SharedCache cache(64, 1, 64);
  EXPECT_FALSE(cache.insert(Tag(1, 7), true));
  const auto victim = cache.insert(Tag(2, 0), false);
  ASSERT_TRUE(victim);
  EXPECT_EQ(victim->line(), 1U);
  EXPECT_EQ(victim->version(), 7U);
  EXPECT_FALSE(cache.insert(Tag(3, 0), false));
}

TEST(SharedCache, ReplacesAnOlderVersionWithoutWritingIt) {
  SharedCache cache(4 * 64, 4, 64);
  EXPECT_FALSE(cache.insert(Tag(1, 1), true));
  EXPECT_FALSE(cache.insert(Tag(1, 2), false));
  EXPECT_FALSE(cache.find(Tag(1, 1)));
  EXPECT_TRUE(cache.find(Tag(1, 2)));
  for (std::uint64_t line = 2; line < 6; ++line) EXPECT_FALSE(cache.insert(Tag(line, 0), false));
}

TEST(SharedCache, IsEmptyWhenCleared) {
  SharedCache cache(4096, 4, 64);
  for (std::uint64_t line = 0; line < 64; ++line) (void)cache.insert(Tag(line, 0), true);
  cache.clear();
  EXPECT_FALSE(cache.find(Tag(3, 0)));
  EXPECT_FALSE(cache.insert(Tag(3, 0), true));
}

TEST(SharedCache, LosesNoModifiedLineOfManyThreads) {
  SharedCache cache(16 * 64, 4, 64);
  constexpr std::uint64_t each = 5'000;
  std::vector<std::uint64_t> written(3);
  {
    std::vector<std::jthread> threads;
    for (std::uint64_t thread = 0; thread < 3; ++thread) {
      threads.emplace_back([&, thread] {
        for (std::uint64_t i = 0; i < each; ++i) {
          const Tag tag(i * 3 + thread, 0);
          if (cache.insert(tag, true)) ++written[thread];
          (void)cache.find(tag);
        }
      });
    }
  }
  // What was not handed back is still there.
  EXPECT_EQ(written[0] + written[1] + written[2], 3 * each - 16);
}

}  // namespace
}  // namespace homenode::lab
