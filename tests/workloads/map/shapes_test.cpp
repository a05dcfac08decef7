// Patterns over two and three dimensions: who uses what, element by element.
#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <numeric>
#include <set>

#include "workloads/map/kernels.h"
#include "workloads/map/layout.h"
#include "workloads/map/pattern.h"
#include "workloads/map/patterns/cube.h"
#include "workloads/map/patterns/line.h"
#include "workloads/map/patterns/matrix.h"
#include "workloads/map/patterns/pattern.h"
#include "workloads/map/walk.h"

namespace homenode::workloads::map {
namespace {

using Elements = std::vector<std::size_t>;

Elements walked(const std::vector<Span>& spans) {
  Elements elements;
  for (const Span& span : spans) {
    walk_sequential(span, [&](std::size_t index) { elements.push_back(index); });
  }
  return elements;
}

std::vector<Pattern> patterns_of(unsigned dimensions) {
  std::vector<Pattern> found;
  std::ranges::copy_if(all_patterns(), std::back_inserter(found),
                       [=](const Pattern& each) { return each.dimensions == dimensions; });
  return found;
}

std::vector<Problem> many_shapes(unsigned overlap) {
  std::vector<Problem> problems;
  for (unsigned threads : {1U, 2U, 6U, 8U, 12U}) {
    for (const Shape& shape : {Shape(12, 12), Shape(13, 17), Shape(12, 64)}) {
      for (const Pattern& pattern : patterns_of(2)) {
        problems.emplace_back(pattern, shape, threads, overlap);
      }
    }
    for (const Shape& shape : {Shape(12, 12, 12), Shape(13, 12, 15)}) {
      for (const Pattern& pattern : patterns_of(3)) {
        problems.emplace_back(pattern, shape, threads, overlap);
      }
    }
  }
  return problems;
}

Problem small(const Pattern& pattern, unsigned threads, unsigned overlap = 0) {
  const unsigned dimensions = pattern.dimensions;
  return {pattern, dimensions == 2 ? Shape(4, 6) : Shape(2, 4, 6), threads, overlap};
}

TEST(EvenShape, IsNearASquareOrACubeWithRowsOfPowersOfTwo) {
  EXPECT_EQ(even_shape(1000, 1), Shape(1000));
  EXPECT_EQ(even_shape(std::size_t{1} << 18, 2), Shape(512, 512));
  EXPECT_EQ(even_shape(std::size_t{1} << 17, 2), Shape(256, 512));
  EXPECT_EQ(even_shape(std::size_t{1} << 18, 3), Shape(64, 64, 64));
  EXPECT_EQ(even_shape(std::size_t{1} << 17, 3), Shape(32, 64, 64));
  for (std::size_t elements = 1; elements < 300; ++elements) {
    for (unsigned dimensions : {1U, 2U, 3U}) {
      const Shape shape = even_shape(elements, dimensions);
      EXPECT_EQ(shape.dimensions, dimensions);
      EXPECT_GE(shape.elements(), 1U);
      EXPECT_LE(shape.elements(), elements);
    }
  }
}

TEST(GridFor, IsAsEvenAsTheThreadsAndTheShapeAllow) {
  const Shape matrix(512, 512);
  EXPECT_EQ(grid_for(patterns::row_bands, matrix, 32), (Grid{1, 32, 1}));
  EXPECT_EQ(grid_for(patterns::column_bands, matrix, 32), (Grid{1, 1, 32}));
  EXPECT_EQ(grid_for(patterns::mesh, matrix, 32), (Grid{1, 8, 4}));
  EXPECT_EQ(grid_for(patterns::mesh, matrix, 7), (Grid{1, 7, 1}));
  EXPECT_EQ(grid_for(patterns::mesh, Shape(2, 512), 32), (Grid{1, 2, 16}));
  const Shape cube(64, 64, 64);
  EXPECT_EQ(grid_for(patterns::blocks, cube, 8), (Grid{2, 2, 2}));
  EXPECT_EQ(grid_for(patterns::blocks, cube, 32), (Grid{4, 4, 2}));
  EXPECT_EQ(grid_for(patterns::pencils_x, cube, 32), (Grid{8, 4, 1}));
  EXPECT_EQ(grid_for(patterns::slabs_x, cube, 32), (Grid{1, 1, 32}));
}

TEST(GridFor, HasNothingWhereSomeThreadWouldHaveNoElement) {
  EXPECT_FALSE(grid_for(patterns::row_bands, Shape(4, 1000), 5));
  EXPECT_FALSE(grid_for(patterns::mesh, Shape(4, 4), 7));
  EXPECT_FALSE(grid_for(patterns::blocks, Shape(1, 2, 3), 5));
  EXPECT_TRUE(grid_for(patterns::row_bands, Shape(5, 1), 5));
}

TEST(SharedSpans, WalkEverythingInTheOrderOfTheirAxes) {
  EXPECT_EQ(spans(small(patterns::shared_by_rows, 3), 2), (std::vector<Span>{{0, 24, 1}}));
  EXPECT_EQ(spans(small(patterns::shared_by_columns, 3), 2),
            (std::vector<Span>{{0, 4, 6, {6, 1}, {}}}));
  const auto along_y = walked(spans(small(patterns::shared_along_y, 1), 0));
  EXPECT_EQ(Elements(along_y.begin(), along_y.begin() + 5), (Elements{0, 6, 12, 18, 1}));
  const auto along_z = walked(spans(small(patterns::shared_along_z, 1), 0));
  EXPECT_EQ(Elements(along_z.begin(), along_z.begin() + 5), (Elements{0, 24, 1, 25, 2}));
}

TEST(SharedSpans, GiveEveryThreadEveryElementOnce) {
  for (const Problem& problem : many_shapes(0)) {
    if (problem.pattern.use != Use::all) continue;
    Elements all(problem.elements());
    std::iota(all.begin(), all.end(), std::size_t{0});
    for (unsigned rank = 0; rank < problem.threads; ++rank) {
      Elements found = walked(spans(problem, rank));
      std::sort(found.begin(), found.end());
      ASSERT_EQ(found, all);
    }
  }
}

TEST(BoxSpans, AreTheBandsTilesSlabsAndBlocksOfTheirNames) {
  EXPECT_EQ(walked(spans(small(patterns::row_bands, 2), 1)),
            (Elements{12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23}));
  EXPECT_EQ(walked(spans(small(patterns::column_bands, 3), 1)),
            (Elements{2, 3, 8, 9, 14, 15, 20, 21}));
  EXPECT_EQ(walked(spans(small(patterns::mesh, 4), 2)), (Elements{12, 13, 14, 18, 19, 20}));
  EXPECT_EQ(walked(spans(small(patterns::slabs_y, 4), 1)),
            (Elements{6, 7, 8, 9, 10, 11, 30, 31, 32, 33, 34, 35}));
  EXPECT_EQ(walked(spans(small(patterns::slabs_x, 6), 5)),
            (Elements{5, 11, 17, 23, 29, 35, 41, 47}));
  EXPECT_EQ(walked(spans(small(patterns::pencils_z, 8), 0)), (Elements{0, 1, 2, 24, 25, 26}));
  EXPECT_EQ(walked(spans(small(patterns::blocks, 8), 7)), (Elements{39, 40, 41, 45, 46, 47}));
}

TEST(BoxSpans, PartitionTheArrayAndEachElementsOwnerIsTheThreadThatWalksIt) {
  for (const Problem& problem : many_shapes(0)) {
    if (problem.pattern.use != Use::boxes) continue;
    std::vector<unsigned> used(problem.elements(), 0);
    std::size_t least = problem.elements();
    for (unsigned rank = 0; rank < problem.threads; ++rank) {
      const Elements found = walked(spans(problem, rank));
      EXPECT_EQ(found.size(), own_count(problem, rank));
      EXPECT_EQ(found.size(), count_of(spans(problem, rank)));
      least = std::min(least, found.size());
      for (std::size_t element : found) {
        ++used.at(element);
        ASSERT_EQ(owner(problem, element), rank);
      }
    }
    ASSERT_EQ(used, std::vector<unsigned>(problem.elements(), 1));
    EXPECT_GE(least, 1U);
  }
}

TEST(BoxSpans, TakeTheDeclaredShareOfEachNeighbourAlongEachAxis) {
  // Tiles of 2 x 3: half of a neighbour is one row, and one column (of three, rounded down).
  const Problem problem = small(patterns::mesh, 4, 50);
  EXPECT_EQ(used_box(problem, 0), (Box{{0, 0, 0}, {1, 3, 4}}));
  EXPECT_EQ(used_box(problem, 3), (Box{{0, 1, 2}, {1, 3, 4}}));
  EXPECT_EQ(owners_used(problem, 0), (std::vector<Owned>{{0, 6}, {1, 2}, {2, 3}, {3, 1}}));
  const Problem all = small(patterns::mesh, 4, 100);
  EXPECT_EQ(count_of(spans(all, 2)), 24U);
}

TEST(OwnersUsed, CountsWhatTheSpansWalk) {
  std::vector<Problem> problems = many_shapes(40);
  problems.emplace_back(patterns::divided, Shape(1003), 7, 40);
  problems.emplace_back(patterns::partial, Shape(1003), 7, 40);
  problems.emplace_back(patterns::interleaved, Shape(1003), 7, 40);
  for (const Problem& problem : problems) {
    if (problem.pattern.use == Use::all) continue;
    for (unsigned rank = 0; rank < problem.threads; ++rank) {
      std::vector<std::size_t> expected(problem.threads, 0);
      for (std::size_t element : walked(spans(problem, rank))) ++expected[owner(problem, element)];
      std::vector<std::size_t> found(problem.threads, 0);
      for (const Owned& owned : owners_used(problem, rank)) found[owned.owner] += owned.count;
      ASSERT_EQ(found, expected);
    }
  }
}

TEST(OwnedRun, NeverLeavesTheOwnersElements) {
  for (const Problem& problem : many_shapes(0)) {
    for (std::size_t element = 0; element < problem.elements();) {
      const std::size_t run = owned_run(problem, element);
      ASSERT_GE(run, 1U);
      const unsigned rank = owner(problem, element);
      for (std::size_t end = element + run; element < end; ++element) {
        ASSERT_LT(element, problem.elements());
        ASSERT_EQ(owner(problem, element), rank);
      }
    }
  }
}

TEST(Spans, DescribeTheLargestArrayInAFewNumbers) {
  const std::size_t edge = std::size_t{1} << 19;  // 2^57 elements.
  for (const Pattern& pattern : patterns_of(3)) {
    const Problem problem(pattern, Shape(edge, edge, edge), 64, 25);
    EXPECT_EQ(spans(problem, 33).size(), 1U);
    if (pattern.use == Use::boxes) {
      EXPECT_LE(spans_in_memory(owner_layout(problem, 64), 33).size(), 27U);
    }
  }
}

TEST(RandomWalk, VisitsANestedSpanOnce) {
  for (const Problem& problem : many_shapes(0)) {
    for (const Span& span : spans(problem, problem.threads - 1)) {
      Elements found;
      walk_random(span, 7, [&](std::size_t index) { found.push_back(index); });
      Elements expected = walked({span});
      std::sort(found.begin(), found.end());
      std::sort(expected.begin(), expected.end());
      ASSERT_EQ(found, expected);
    }
  }
}

TEST(Rewritten, LaysEveryOwnersElementsOnPagesOfItsOwn) {
  for (const Problem& problem : many_shapes(30)) {
    const bool shared = problem.pattern.use == Use::all;
    const Layout layout = shared ? walk_layout(problem) : owner_layout(problem, 8);
    std::set<std::size_t> taken;
    std::vector<std::set<unsigned>> owners(layout.positions / 8 + 1);
    for (std::size_t element = 0; element < problem.elements(); ++element) {
      const std::size_t at = position(layout, element);
      ASSERT_LT(at, layout.positions);
      ASSERT_TRUE(taken.insert(at).second);
      owners[at / 8].insert(owner(problem, element));
    }
    for (const auto& of_page : owners) EXPECT_LE(of_page.size(), shared ? problem.threads : 1U);
  }
}

TEST(Rewritten, IsWalkedOverTheSameElements) {
  for (const Problem& problem : many_shapes(30)) {
    const bool shared = problem.pattern.use == Use::all;
    const Layout layout = shared ? walk_layout(problem) : owner_layout(problem, 8);
    for (unsigned rank = 0; rank < problem.threads; ++rank) {
      Elements expected;
      for (std::size_t element : walked(spans(problem, rank))) {
        expected.push_back(position(layout, element));
      }
      Elements found = walked(spans_in_memory(layout, rank));
      if (!shared) {  // Piece by piece; a shared array is walked in its own order.
        std::sort(expected.begin(), expected.end());
        std::sort(found.begin(), found.end());
      }
      ASSERT_EQ(found, expected);
    }
  }
}

TEST(LayOutAnew, TakesEveryElementAlong) {
  const Shape shape(12, 64);
  const Layout rows = owner_layout({patterns::row_bands, shape, 5, 0}, 64);
  const Layout columns = owner_layout({patterns::column_bands, shape, 7, 0}, 64);
  std::vector<Element> before(rows.positions, Element{});
  for (std::size_t e = 0; e < shape.elements(); ++e) before[position(rows, e)].value = e + 1;
  std::vector<Element> after(columns.positions, Element{});
  lay_out_anew(before.data(), rows, after.data(), columns);
  for (std::size_t e = 0; e < shape.elements(); ++e) {
    ASSERT_EQ(after[position(columns, e)].value, e + 1);
  }
}

}  // namespace
}  // namespace homenode::workloads::map
