#include "workloads/map/pattern.h"
#include "workloads/map/patterns/line.h"

#include <gtest/gtest.h>

namespace homenode::workloads::map {
namespace {

/// How often each element is used by each listed thread's spans.
std::vector<unsigned> uses(const Problem& problem, unsigned first_rank, unsigned last_rank) {
  std::vector<unsigned> count(problem.elements(), 0);
  for (unsigned rank = first_rank; rank <= last_rank; ++rank) {
    for (const Span& span : spans(problem, rank)) {
      for (std::size_t i = 0; i < span.count; ++i) count.at(span.first + i * span.stride) += 1;
    }
  }
  return count;
}

struct Size {
  std::size_t elements;
  unsigned threads;
};

std::vector<Size> many_sizes() {
  std::vector<Size> sizes;
  for (unsigned threads : {1U, 2U, 3U, 7U, 8U, 32U, 100U}) {
    for (std::size_t extra : {0U, 1U, 2U, 5U, 31U, 64U, 1000U}) {
      sizes.push_back({threads + extra, threads});
    }
  }
  return sizes;
}

TEST(Spans, SharedGivesEveryElementToEveryThread) {
  for (const Size& size : many_sizes()) {
    const Problem problem{patterns::shared, size.elements, size.threads, 0};
    for (unsigned rank = 0; rank < size.threads; ++rank) {
      EXPECT_EQ(spans(problem, rank), (std::vector<Span>{{0, size.elements, 1}}));
    }
  }
}

TEST(Spans, DividedAndInterleavedPartitionTheArrayEvenly) {
  for (Pattern pattern : {patterns::divided, patterns::interleaved}) {
    for (const Size& size : many_sizes()) {
      SCOPED_TRACE(size.elements);
      SCOPED_TRACE(size.threads);
      const Problem problem{pattern, size.elements, size.threads, 0};
      EXPECT_EQ(uses(problem, 0, size.threads - 1), std::vector<unsigned>(size.elements, 1));
      for (unsigned rank = 0; rank < size.threads; ++rank) {
        const std::size_t count = count_of(spans(problem, rank));
        EXPECT_GE(count, size.elements / size.threads);
        EXPECT_LE(count, size.elements / size.threads + 1);
      }
    }
  }
}

TEST(Spans, DividedIsContiguousAndInterleavedStridesByThreads) {
  const Problem divided{patterns::divided, 10, 3, 0};
  EXPECT_EQ(spans(divided, 0), (std::vector<Span>{{0, 4, 1}}));
  EXPECT_EQ(spans(divided, 1), (std::vector<Span>{{4, 3, 1}}));
  EXPECT_EQ(spans(divided, 2), (std::vector<Span>{{7, 3, 1}}));
  const Problem interleaved{patterns::interleaved, 10, 3, 0};
  EXPECT_EQ(spans(interleaved, 0), (std::vector<Span>{{0, 4, 3}}));
  EXPECT_EQ(spans(interleaved, 2), (std::vector<Span>{{2, 3, 3}}));
}

TEST(Spans, PartialIsTheOwnPartPlusTheDeclaredShareOfBothNeighbours) {
  const Problem problem{patterns::partial, 300, 3, 25};
  EXPECT_EQ(spans(problem, 0), (std::vector<Span>{{0, 125, 1}}));
  EXPECT_EQ(spans(problem, 1), (std::vector<Span>{{75, 150, 1}}));
  EXPECT_EQ(spans(problem, 2), (std::vector<Span>{{175, 125, 1}}));
}

TEST(Spans, PartialHasExactlyTheCountsOfItsDefinition) {
  for (unsigned overlap : {0U, 1U, 10U, 33U, 50U, 99U, 100U}) {
    for (const Size& size : many_sizes()) {
      const Problem problem{patterns::partial, size.elements, size.threads, overlap};
      for (unsigned rank = 0; rank < size.threads; ++rank) {
        std::size_t expected = own_part(problem, rank).count;
        if (rank > 0) expected += own_part(problem, rank - 1).count * overlap / 100;
        if (rank + 1 < size.threads) expected += own_part(problem, rank + 1).count * overlap / 100;
        EXPECT_EQ(count_of(spans(problem, rank)), expected);
        for (unsigned used : uses(problem, rank, rank)) EXPECT_LE(used, 1U);
      }
    }
  }
}

TEST(Spans, PartialWithoutOverlapIsDividedAndWithFullOverlapCoversTheNeighbours) {
  const Problem none{patterns::partial, 1003, 8, 0};
  const Problem divided{patterns::divided, 1003, 8, 0};
  const Problem full{patterns::partial, 1003, 8, 100};
  for (unsigned rank = 1; rank < 7; ++rank) {
    EXPECT_EQ(spans(none, rank), spans(divided, rank));
    const Span left = own_part(divided, rank - 1);
    const Span right = own_part(divided, rank + 1);
    EXPECT_EQ(spans(full, rank),
              (std::vector<Span>{{left.first, right.first + right.count - left.first, 1}}));
  }
}

TEST(ShareOf, DoesNotOverflowForHugeParts) {
  const std::size_t elements = std::size_t{1} << 63;
  EXPECT_EQ(share_of(elements, 50), elements / 2);
  EXPECT_EQ(share_of(elements, 100), elements);
}

TEST(Owner, IsTheThreadWhosePartHoldsTheElement) {
  for (Pattern pattern :
       {patterns::divided, patterns::partial, patterns::interleaved, patterns::shared}) {
    for (const Size& size : many_sizes()) {
      const Problem problem{pattern, size.elements, size.threads, 50};
      for (std::size_t element = 0; element < size.elements; ++element) {
        const unsigned rank = owner(problem, element);
        ASSERT_LT(rank, size.threads);
        if (pattern == patterns::interleaved) {
          ASSERT_EQ(rank, element % size.threads);
        } else {
          const Span part = own_part(problem, rank);
          ASSERT_GE(element, part.first);
          ASSERT_LT(element, part.first + part.count);
        }
      }
    }
  }
}

TEST(Rotated, WalksFromTheStartToTheEndAndThenTheRest) {
  EXPECT_EQ(rotated({0, 10, 1}, 4), (std::vector<Span>{{4, 6, 1}, {0, 4, 1}}));
  EXPECT_EQ(rotated({0, 10, 1}, 0), (std::vector<Span>{{0, 10, 1}}));
  EXPECT_EQ(rotated({0, 10, 1}, 10), (std::vector<Span>{{0, 10, 1}}));
  EXPECT_EQ(rotated({0, 0, 1}, 0), std::vector<Span>{});
}

}  // namespace
}  // namespace homenode::workloads::map
