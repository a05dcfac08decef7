#include "workloads/npb/is_kernel.h"

#include <omp.h>

#if defined(__x86_64__)
#include <emmintrin.h>
#endif

#include "workloads/npb/random.h"

namespace homenode::workloads::npb::HN_ISA {
namespace {

/// Part `rank` of `threads` equal ones.
struct Part {
  std::size_t begin;
  std::size_t end;
};

inline Part part_of(std::size_t count, std::size_t rank, std::size_t threads) {
  return {count * rank / threads, count * (rank + 1) / threads};
}

void generate(const IsJob& job) {
#pragma omp parallel num_threads(job.threads)
  {
    const Part mine =
        part_of(job.key_count, static_cast<std::size_t>(omp_get_thread_num()), job.threads);
    std::uint64_t state = random_after(random_seed, 4 * mine.begin);
    for (std::size_t i = mine.begin; i < mine.end; ++i) {
      std::uint64_t sum = 0;  // Of four numbers of 46 bits: the quarter of it scales to the key.
      for (int term = 0; term < 4; ++term) {
        state = (state * random_multiplier) & random_mask;
        sum += state;
      }
      job.keys[i] = static_cast<Key>(sum >> (48 - job.log2_max_key));
    }
  }
}

inline std::size_t bucket_count(const IsJob& job) {
  return std::size_t{1} << job.log2_buckets;
}

/// The bits of a key within its bucket.
inline unsigned shift_of(const IsJob& job) {
  return job.log2_max_key - job.log2_buckets;
}

/// How many of a thread's keys go to each bucket. Two tables, because equal keys that follow each
/// other would wait for each other's count.
void count_buckets(const IsJob& job, Part mine, std::uint64_t* counts) {
  const unsigned shift = shift_of(job);
  const Key* const keys = job.keys;
  std::uint32_t odd[is_most_buckets] = {};
  std::uint32_t even[is_most_buckets] = {};
  std::size_t i = mine.begin;
  for (; i + 1 < mine.end; i += 2) {
    ++even[keys[i] >> shift];
    ++odd[keys[i + 1] >> shift];
  }
  if (i < mine.end) ++even[keys[i] >> shift];
  for (std::size_t bucket = 0; bucket < bucket_count(job); ++bucket) {
    counts[bucket] = std::uint64_t{odd[bucket]} + even[bucket];
  }
}

/// Turns the threads' counts into the place of each thread's first key in each bucket.
void counts_to_places(const IsJob& job) {
  std::uint64_t place = 0;
  for (std::size_t bucket = 0; bucket < bucket_count(job); ++bucket) {
    for (unsigned rank = 0; rank < job.threads; ++rank) {
      std::uint64_t& entry = job.places[rank * is_most_buckets + bucket];
      const std::uint64_t count = entry;
      entry = place;
      place += count;
    }
  }
}

constexpr std::size_t line_keys = 64 / sizeof(Key);

/// From here on the keys do not stay in a cache until they are read again.
constexpr std::size_t many_keys = std::size_t{1} << 22;

/// Writes a whole line; one of many past the caches, which is half the traffic of a store that
/// first fetches the line.
inline void write_line(Key* line, const Key* keys, [[maybe_unused]] bool past_caches) {
#if defined(__x86_64__)
  for (std::size_t i = 0; past_caches && i < line_keys; i += 4) {
    _mm_stream_si128(reinterpret_cast<__m128i*>(line + i),
                     _mm_load_si128(reinterpret_cast<const __m128i*>(keys + i)));
  }
  if (past_caches) return;
#endif
  for (std::size_t i = 0; i < line_keys; ++i) line[i] = keys[i];
}

/// Keys on their way to buckets, a line of each at a time.
struct Lines {
  alignas(64) Key keys[is_most_buckets][line_keys];
  std::uint64_t first[is_most_buckets];  // The thread's own part of each bucket begins here.
};

/// Writes what lies between the start of the line of `end`, or of the thread's part, and `end`.
inline void write_rest(Key* target, const Key* line, std::uint64_t first, std::uint64_t end) {
  const std::uint64_t begin = end / line_keys * line_keys;
  for (std::uint64_t i = first > begin ? first : begin; i < end; ++i) {
    target[i] = line[i % line_keys];
  }
}

/// Takes the keys to their buckets. Afterwards places[bucket] is where the thread's keys end.
void scatter(const IsJob& job, Part mine, std::uint64_t* places) {
  const unsigned shift = shift_of(job);
  const std::size_t buckets = bucket_count(job);
  Lines lines;
  for (std::size_t bucket = 0; bucket < buckets; ++bucket) lines.first[bucket] = places[bucket];
  Key* const target = job.by_bucket;
  const bool past_caches = job.key_count >= many_keys;
  for (std::size_t i = mine.begin; i < mine.end; ++i) {
    const Key key = job.keys[i];
    const std::size_t bucket = key >> shift;
    const std::uint64_t place = places[bucket]++;
    Key* const line = lines.keys[bucket];
    line[place % line_keys] = key;
    if (place % line_keys != line_keys - 1) continue;
    const std::uint64_t begin = place - (line_keys - 1);
    if (begin >= lines.first[bucket]) {
      write_line(target + begin, line, past_caches);
    } else {  // The line's beginning belongs to another thread or bucket.
      for (std::uint64_t k = lines.first[bucket]; k <= place; ++k) target[k] = line[k % line_keys];
    }
  }
  for (std::size_t bucket = 0; bucket < buckets; ++bucket) {
    write_rest(target, lines.keys[bucket], lines.first[bucket], places[bucket]);
  }
#if defined(__x86_64__)
  _mm_sfence();
#endif
}

/// Where a bucket ends: there the last thread's keys do.
inline std::uint64_t end_of(const IsJob& job, std::size_t bucket) {
  return job.places[(job.threads - 1) * is_most_buckets + bucket];
}

/// The buckets that thread `rank` works on: those that begin in its equal part of all keys.
Part buckets_of(const IsJob& job, std::size_t rank) {
  const Part keys = part_of(job.key_count, rank, job.threads);
  Part mine{bucket_count(job), bucket_count(job)};
  for (std::size_t bucket = bucket_count(job); bucket-- > 0;) {
    const std::uint64_t begin = bucket == 0 ? 0 : end_of(job, bucket - 1);
    if (begin >= keys.begin) mine.begin = bucket;
    if (begin >= keys.end) mine.end = bucket;
  }
  if (rank + 1 == job.threads) mine.end = bucket_count(job);
  return mine;
}

/// Counts the keys of a bucket, and sums the counts up to ranks.
void rank_bucket(const IsJob& job, std::size_t bucket) {
  const unsigned shift = shift_of(job);
  const std::uint64_t begin = bucket == 0 ? 0 : end_of(job, bucket - 1);
  const std::uint64_t end = end_of(job, bucket);
  std::uint32_t* const rank = job.rank + (bucket << shift);
  const std::size_t values = std::size_t{1} << shift;
  for (std::size_t value = 0; value < values; ++value) rank[value] = 0;
  for (std::uint64_t i = begin; i < end; ++i) ++job.rank[job.by_bucket[i]];
  auto sum = static_cast<std::uint32_t>(begin);
  for (std::size_t value = 0; value < values; ++value) {
    sum += rank[value];
    rank[value] = sum;
  }
}

/// By one thread of a team that all call it; a barrier is at its end.
void put_in_buckets(const IsJob& job, std::size_t rank) {
  std::uint64_t* const places = job.places + rank * is_most_buckets;
  const Part mine = part_of(job.key_count, rank, job.threads);
  count_buckets(job, mine, places);
#pragma omp barrier
#pragma omp single
  counts_to_places(job);
  scatter(job, mine, places);
#pragma omp barrier
}

/// How often each value is among a thread's keys. A byte for each, so that the table stays in a
/// cache close to the core; whenever a byte is full, what it held goes to `rank`.
void count_values(const IsJob& job, Part mine, std::uint8_t* counts) {
  for (std::size_t i = mine.begin; i < mine.end; ++i) {
    const Key key = job.keys[i];
    if (++counts[key] != 0) continue;
#pragma omp atomic
    job.rank[key] += 256;
  }
}

inline std::uint8_t* counts_of(const IsJob& job, std::size_t rank) {
  return reinterpret_cast<std::uint8_t*>(job.by_bucket +
                                         part_of(job.key_count, rank, job.threads).begin);
}

/// Has rank[] count each value of a part among all keys, and gives their sum.
std::uint32_t add_counts(const IsJob& job, Part values) {
  std::uint32_t sum = 0;
  for (unsigned rank = 0; rank < job.threads; ++rank) {
    const std::uint8_t* const counts = counts_of(job, rank);
    for (std::size_t value = values.begin; value < values.end; ++value) {
      job.rank[value] += counts[value];
    }
  }
  for (std::size_t value = values.begin; value < values.end; ++value) sum += job.rank[value];
  return sum;
}

/// By one thread of a team that all call it.
void rank_by_counts(const IsJob& job, std::size_t rank) {
  const std::size_t all = std::size_t{1} << job.log2_max_key;
  const Part values = part_of(all, rank, job.threads);
  std::uint8_t* const counts = counts_of(job, rank);
  for (std::size_t value = values.begin; value < values.end; ++value) job.rank[value] = 0;
  for (std::size_t value = 0; value < all; ++value) counts[value] = 0;
#pragma omp barrier
  count_values(job, part_of(job.key_count, rank, job.threads), counts);
#pragma omp barrier
  job.places[rank * is_most_buckets] = add_counts(job, values);
#pragma omp barrier
  std::uint32_t sum = 0;
  for (std::size_t before = 0; before < rank; ++before) {
    sum += static_cast<std::uint32_t>(job.places[before * is_most_buckets]);
  }
  for (std::size_t value = values.begin; value < values.end; ++value) {
    sum += job.rank[value];
    job.rank[value] = sum;
  }
}

void rank_keys(const IsJob& job) {
#pragma omp parallel num_threads(job.threads)
  {
    const auto rank = static_cast<std::size_t>(omp_get_thread_num());
    if (job.log2_buckets == 0) {
      rank_by_counts(job, rank);
    } else {
      put_in_buckets(job, rank);
      const Part buckets = buckets_of(job, rank);
      for (std::size_t bucket = buckets.begin; bucket < buckets.end; ++bucket) {
        rank_bucket(job, bucket);
      }
    }
  }
}

std::size_t sort_and_count_disorder(const IsJob& ranked) {
  std::size_t disorder = 0;
  IsJob job = ranked;
  if (ranked.log2_buckets == 0) job.log2_buckets = is_most_log2_buckets;
#pragma omp parallel num_threads(job.threads) reduction(+ : disorder)
  {
    const auto rank = static_cast<std::size_t>(omp_get_thread_num());
    if (ranked.log2_buckets == 0) put_in_buckets(job, rank);
    const Part buckets = buckets_of(job, rank);
    const std::uint64_t begin = buckets.begin == 0 ? 0 : end_of(job, buckets.begin - 1);
    const std::uint64_t end = buckets.end == 0 ? 0 : end_of(job, buckets.end - 1);
    for (std::uint64_t i = begin; i < end; ++i) {
      const Key key = job.by_bucket[i];
      const std::uint32_t place = --job.rank[key];
      if (place < job.key_count) job.keys[place] = key;
    }
#pragma omp barrier
    const Part mine = part_of(job.key_count, rank, job.threads);
    for (std::size_t i = mine.begin == 0 ? 1 : mine.begin; i < mine.end; ++i) {
      disorder += job.keys[i - 1] > job.keys[i] ? 1 : 0;
    }
  }
  return disorder;
}

}  // namespace

constinit const IsKernel is_kernel{generate, rank_keys, sort_and_count_disorder};

}  // namespace homenode::workloads::npb::HN_ISA
