// IS's ways of ranking: whichever a machine is fastest with, the ranks are the same.
#include "workloads/npb/is_kernel.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace homenode::workloads::npb {
namespace {

constexpr unsigned log2_keys = 16;
constexpr unsigned log2_max_key = 11;

/// Keys with more equal ones than a byte counts, and what a way of ranking makes of them.
struct Ranking {
  std::vector<Key> keys = std::vector<Key>(std::size_t{1} << log2_keys);
  std::vector<Key> by_bucket = keys;
  std::vector<std::uint32_t> rank = std::vector<std::uint32_t>(std::size_t{1} << log2_max_key);
  std::vector<std::uint64_t> places;
  IsJob job;

  Ranking(unsigned threads, unsigned log2_buckets) : places(threads * is_most_buckets) {
    job = {.key_count = keys.size(),
           .log2_max_key = log2_max_key,
           .keys = keys.data(),
           .by_bucket = by_bucket.data(),
           .rank = rank.data(),
           .places = places.data(),
           .threads = threads,
           .log2_buckets = log2_buckets};
    is_kernel_here().generate(job);
    std::fill_n(keys.begin() + 3000, 5000, Key{77});
    is_kernel_here().rank_keys(job);
  }
};

class IsWays : public testing::TestWithParam<unsigned> {};

TEST_P(IsWays, GiveTheRanksThatKeysHave) {
  for (const unsigned threads : {1U, 2U, 3U}) {
    Ranking ranking(threads, GetParam());
    std::vector<Key> sorted = ranking.keys;
    std::ranges::sort(sorted);
    for (std::size_t key = 0; key < ranking.rank.size(); ++key) {
      const auto behind = std::ranges::upper_bound(sorted, static_cast<Key>(key));
      ASSERT_EQ(ranking.rank[key], behind - sorted.begin()) << "key " << key;
    }
    EXPECT_EQ(is_kernel_here().sort_and_count_disorder(ranking.job), 0U);
    EXPECT_EQ(ranking.keys, sorted);
  }
}

INSTANTIATE_TEST_SUITE_P(Log2Buckets, IsWays, testing::Values(0U, 8U, 9U, 10U));

}  // namespace
}  // namespace homenode::workloads::npb
