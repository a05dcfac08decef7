#include "lab/timing/tag_cache.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <random>

namespace homenode::lab {
namespace {

/// The same by lists: each set from the newest to the oldest.
class TagLists {
 public:
  TagLists(std::uint64_t sets, std::size_t ways) : ways_(ways), sets_(sets) {}

  bool find(Tag tag) {
    auto& set = set_of(tag);
    const auto found = std::ranges::find(set, tag.bits);
    if (found == set.end()) return false;
    set.erase(found);
    set.push_front(tag.bits);
    return true;
  }
  std::optional<std::uint64_t> insert(Tag tag) {
    auto& set = set_of(tag);
    set.push_front(tag.bits);
    if (set.size() <= ways_) return std::nullopt;
    const std::uint64_t oldest = set.back();
    set.pop_back();
    return oldest;
  }

 private:
  std::deque<std::uint64_t>& set_of(Tag tag) { return sets_[tag.line() % sets_.size()]; }

  std::size_t ways_;
  std::vector<std::deque<std::uint64_t>> sets_;
};

TEST(Tag, HoldsALineAndItsVersion) {
  const Tag tag((std::uint64_t{1} << 46) - 1, 0xffff);
  EXPECT_EQ(tag.line(), (std::uint64_t{1} << 46) - 1);
  EXPECT_EQ(tag.version(), 0xffff);
  EXPECT_EQ(Tag(tag.bits).line(), tag.line());
}

TEST(TagCache, AgreesWithAListOfEachSet) {
  struct Shape {
    std::uint64_t sets;
    unsigned ways;
  };
  for (const Shape shape : {Shape{1, 1}, {1, 8}, {16, 1}, {16, 4}, {12, 3}, {5, 20}}) {
    TagCache cache(shape.sets * shape.ways * 64, shape.ways, 64);
    TagLists reference(shape.sets, shape.ways);
    std::mt19937_64 random(11);
    const std::uint64_t lines = shape.sets * shape.ways * 2;
    for (int i = 0; i < 20'000; ++i) {
      const Tag tag(random() % lines, static_cast<std::uint16_t>(random() % 2));
      const bool found = cache.find(tag);
      ASSERT_EQ(found, reference.find(tag)) << shape.sets << 'x' << shape.ways << " at " << i;
      if (found) continue;
      const auto pushed_out = cache.insert(tag);
      const auto expected = reference.insert(tag);
      ASSERT_EQ(pushed_out.has_value(), expected.has_value());
      if (expected) {
        ASSERT_EQ(pushed_out->bits, *expected);
      }
    }
  }
}

TEST(TagCache, DoesNotFindAnotherVersion) {
  TagCache cache(4096, 4, 64);
  (void)cache.insert(Tag(5, 1));
  EXPECT_FALSE(cache.find(Tag(5, 2)));
  EXPECT_FALSE(cache.find(Tag(5, 0)));
  EXPECT_TRUE(cache.find(Tag(5, 1)));
}

TEST(TagCache, IsEmptyWhenCleared) {
  TagCache cache(4096, 4, 64);
  for (std::uint64_t line = 0; line < 64; ++line) (void)cache.insert(Tag(line, 0));
  cache.clear();
  for (std::uint64_t line = 0; line < 64; ++line) EXPECT_FALSE(cache.find(Tag(line, 0)));
  EXPECT_FALSE(cache.insert(Tag(1, 0)));
}

}  // namespace
}  // namespace homenode::lab
