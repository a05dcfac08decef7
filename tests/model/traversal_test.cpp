#include "model/traversal.h"

#include <gtest/gtest.h>

#include <random>

namespace homenode::model {
namespace {

/// An object of so many pages that one thread uses in this order, of each page one line after
/// another: the lines of each page and what was used before its first are counted.
Object used_in(const std::vector<std::size_t>& order, std::size_t pages) {
  Object object;
  object.pages = pages;
  object.uses.resize(pages);
  object.used_before.assign(pages, 0);
  for (std::size_t i = 0; i < order.size(); ++i) {
    Lines& uses = object.uses[order[i]];
    if (uses.reads == 0) object.used_before[order[i]] = static_cast<double>(i);
    uses.reads += 1;
  }
  return object;
}

/// Each page `lines` times, then the next; `passes` times.
std::vector<std::size_t> by_rows(std::size_t pages, std::size_t lines, std::size_t passes) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < passes * pages * lines; ++i) order.push_back(i / lines % pages);
  return order;
}

/// Down the columns of rows that have `width` pages each, one line of each row.
std::vector<std::size_t> by_columns(std::size_t pages, std::size_t width, std::size_t passes) {
  constexpr std::size_t lines = 64;
  std::vector<std::size_t> order;
  for (std::size_t pass = 0; pass < passes; ++pass) {
    for (std::size_t column = 0; column < width * lines; ++column) {
      for (std::size_t page = column / lines; page < pages; page += width) order.push_back(page);
    }
  }
  return order;
}

/// The pages that it goes through from a line on.
std::vector<std::size_t> pages_from(const Traversal& traversal, double line, std::size_t count) {
  std::vector<std::size_t> pages;
  for (std::size_t i = 0; i < count; ++i) {
    pages.push_back(traversal.at(line + static_cast<double>(i) + 0.5).block);
  }
  return pages;
}

void expect_the_same(const Traversal& found, const std::vector<std::size_t>& order, double passes) {
  EXPECT_NEAR(found.passes(), passes, 0.01 * passes);
  const auto all = static_cast<std::size_t>(found.lines() + 0.5);
  const std::vector<std::size_t> one_pass(order.begin(),
                                          order.begin() + static_cast<std::ptrdiff_t>(all));
  EXPECT_EQ(pages_from(found, 0, all), one_pass);
}

TEST(Traversal, FollowsWalksInOrderOfAddress) {
  for (const std::size_t passes : {1U, 3U}) {
    const auto order = by_rows(16, 64, passes);
    const auto found = Traversal::seen(used_in(order, 16), 0);
    ASSERT_TRUE(found);
    expect_the_same(*found, order, static_cast<double>(passes));
  }
}

TEST(Traversal, FollowsColumnsAndPlanesRoundByRound) {
  for (const std::size_t width : {2U, 4U, 16U}) {
    for (const std::size_t passes : {1U, 3U}) {
      const auto order = by_columns(64, width, passes);
      const auto found = Traversal::seen(used_in(order, 64), 0);
      ASSERT_TRUE(found);
      expect_the_same(*found, order, static_cast<double>(passes));
    }
  }
}

TEST(Traversal, FollowsWalksOfWhichSharedCachesAnswerMost) {
  Object object = used_in(by_columns(64, 4, 2), 64);
  for (Lines& uses : object.uses) uses.reads /= 5;
  for (double& before : object.used_before) before /= 5;
  const auto found = Traversal::seen(object, 0);
  ASSERT_TRUE(found);
  EXPECT_NEAR(found->passes(), 2, 0.02);
  EXPECT_EQ(found->at(0.1).block, 0U);
  EXPECT_EQ(found->at(0.3).block, 4U);
  EXPECT_EQ(found->at(found->lines() - 0.1).block, 63U);
}

TEST(Traversal, TellsWhereInABlockItIs) {
  const auto found = Traversal::seen(used_in(by_rows(4, 64, 1), 4), 0);
  ASSERT_TRUE(found);
  EXPECT_DOUBLE_EQ(found->at(64 + 16).within, 0.25);
}

TEST(Traversal, FollowsOnlyWhatTheOrderExplains) {
  std::mt19937 random(1);
  std::vector<std::size_t> order(50'000);
  for (std::size_t& page : order) page = random() % 256;
  EXPECT_FALSE(Traversal::seen(used_in(order, 256), 0));
  // Nobody told the order.
  Object object = used_in(by_rows(4, 64, 1), 4);
  object.used_before.clear();
  EXPECT_FALSE(Traversal::seen(object, 0));
  // A thread that does not use it.
  EXPECT_FALSE(Traversal::seen(used_in({}, 4), 0));
}

TEST(Traversal, ByAddressSkipsWhatIsNotUsed) {
  Object object = used_in(by_rows(8, 64, 2), 8);
  for (const std::size_t block : {0U, 1U, 5U}) object.uses[block] = {};
  const Traversal found = Traversal::by_address(object, 0);
  EXPECT_DOUBLE_EQ(found.passes(), 2);
  EXPECT_DOUBLE_EQ(found.lines(), 5 * 64);
  EXPECT_EQ(found.at(0).block, 2U);
  EXPECT_EQ(found.at(3 * 64).block, 6U);
}

}  // namespace
}  // namespace homenode::model
