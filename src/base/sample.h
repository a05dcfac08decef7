// One observed access, or several alike, as every source of samples writes it, and the frame of the
// blocks of a sample file (docs/sample-file.md). For freestanding rooms too; the reader is
// python/homenode/profile/recording.py.
#pragma once

#include <cstdint>

namespace homenode {

enum class SampleOperation : std::uint8_t { unknown = 0, read = 1, write = 2 };

/// Where the data came from, if the source can see it.
enum class SampleLevel : std::uint8_t {
  unknown = 0,
  l1 = 1,
  l2 = 2,
  l3 = 3,
  local_memory = 4,
  remote_memory = 5,
  remote_cache = 6,
};

/// What made the sample; the numbers are those of the file.
enum class SampleSource : std::uint8_t {
  lab = 1,
  pmu = 2,
  hint_faults = 3,
  soft_dirty = 4,
  pkeys = 5,
  sched = 7,
  import = 8,
  pages = 9,
};

/// Bits of Sample::flags.
enum SampleFlag : std::uint32_t {
  sample_first_touch = 1,   ///< The first use of its unit since that was armed.
  sample_masked = 2,        ///< Other threads' first uses hide later ones of this unit.
  sample_kernel = 4,        ///< By the kernel, for the thread.
  sample_lost_before = 8,   ///< Some samples before this one are lost.
  sample_counts_uses = 16,  ///< `weight` is a number of accesses, not nanoseconds.
  sample_alone = 32,        ///< Before any other thread of the process used the page.
  sample_prefetched = 64,   ///< Asked for ahead of its use, as part of a walk in order.
  /// No access: where a page has been from its last sample until the end, and its last user.
  sample_closing = 128,
  sample_from_cache = 256,  ///< A cache that others use, too, had the line, and not memory.
};

/// What the library puts before the name that a program gives a region, as the name of its memory.
constexpr char region_prefix[] = "homenode region ";

/// The thread that samples a program from within it.
constexpr char sampler_thread[] = "homenode";

constexpr std::uint16_t unknown_sample_id = 0xffff;

/// Little endian, 64 bytes. What is not known is 0, or unknown_sample_id where 0 is an id.
struct Sample {
  std::uint64_t time_ns = 0;   ///< CLOCK_MONOTONIC.
  std::uint64_t address = 0;   ///< Virtual.
  std::uint64_t physical = 0;  ///< 0: not known.
  /// 0: not known. With sample_counts_uses, none: the thread's uses before its first one of this
  /// unit, of all units and on this CPU.
  std::uint64_t instruction = 0;
  std::uint32_t weight = 0;  ///< Exposure (arming to this use) or period in ns; or uses, by flag.
  std::uint32_t latency_ns = 0;
  std::uint32_t pid = 0;
  std::uint32_t tid = 0;
  std::uint16_t cpu = unknown_sample_id;
  std::uint16_t cpu_node = unknown_sample_id;
  std::uint16_t memory_node = unknown_sample_id;
  std::uint16_t round = 0;  ///< In which round of arming, counted from 1 and modulo 65536.
  SampleOperation operation = SampleOperation::unknown;
  SampleLevel level = SampleLevel::unknown;
  SampleSource source = SampleSource::lab;
  std::uint8_t page_shift = 0;  ///< The unit that was armed or counted has 1 << page_shift bytes.
  std::uint32_t flags = 0;
};
static_assert(sizeof(Sample) == 64);

/// A sample file begins with it.
struct SampleFileHeader {
  char magic[8] = {'H', 'N', 'S', 'A', 'M', 'P', 'L', 'E'};
  std::uint32_t version = 1;
  std::uint32_t sample_bytes = sizeof(Sample);
};
static_assert(sizeof(SampleFileHeader) == 16);

/// Before each block: what it holds and how many bytes follow.
struct SampleBlockHeader {
  char kind[4];  ///< "SMPL": samples; "JSON": one document.
  std::uint32_t bytes;
};
static_assert(sizeof(SampleBlockHeader) == 8);

}  // namespace homenode
