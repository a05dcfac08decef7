// IS's inner part: ranking keys, by buckets or by a table of counts.
#pragma once

#include <cstddef>
#include <cstdint>

#include "workloads/program/isa.h"

namespace homenode::workloads::npb {

using Key = std::uint32_t;

inline constexpr unsigned is_most_log2_buckets = 10;
inline constexpr std::size_t is_most_buckets = std::size_t{1} << is_most_log2_buckets;

struct IsJob {
  std::size_t key_count = 0;  ///< A power of two, of less than 2^32.
  unsigned log2_max_key = 0;  ///< Keys are below 2^this.
  Key* keys = nullptr;
  Key* by_bucket = nullptr;       ///< The keys again, a bucket after the other.
  std::uint32_t* rank = nullptr;  ///< rank[k]: how many keys are k or less.
  /// Of each thread is_most_buckets entries.
  std::uint64_t* places = nullptr;
  unsigned threads = 1;
  /// How many bits of a key name its bucket. 0: each thread counts its keys value by value, in a
  /// table of bytes at the start of its part of by_bucket. pre: that has room for a table.
  unsigned log2_buckets = is_most_log2_buckets;
};

struct IsKernel {
  /// The keys of the specification, each the scaled sum of four random numbers.
  void (*generate)(const IsJob& job);
  /// Fills rank; by_bucket is for its own use.
  void (*rank_keys)(const IsJob& job);
  /// Puts the keys in order by their ranks, which are used up; gives how many then stand before a
  /// smaller one. pre: rank_keys() has run.
  std::size_t (*sort_and_count_disorder)(const IsJob& job);
};

HN_KERNELS(IsKernel, is_kernel)

}  // namespace homenode::workloads::npb
