// Aligned blocks, from a cache line to 64 KiB, through aligned_alloc and posix_memalign, among
// plain ones, in a window of live blocks for each thread. Each alignment is checked.
#include "bench.h"

using namespace heap_bench;

namespace {

constexpr std::uint64_t operations = 3'500'000;
constexpr std::size_t window = 512;

Block take_aligned(std::size_t alignment, std::size_t size, bool posix) {
  void* memory = nullptr;
  if (posix) {
    if (posix_memalign(&memory, alignment, size) != 0) fail("no memory");
  } else {
    memory = std::aligned_alloc(alignment, size);
  }
  if (reinterpret_cast<std::uintptr_t>(memory) % alignment != 0) fail("a block is not aligned");
  return stamped(memory, size);
}

void replace(const Work& work, unsigned rank) {
  Random random(rank + 1);
  Block live[window];
  replace_in(live, work.share(operations), random, [&](std::uint64_t i) {
    if (i % 4 == 0) return take(random.size(4, 9));
    // Small alignments are common, a page or more is rare: each doubling half as often.
    std::size_t alignment = 64;
    while (alignment < 65536 && random.below(2) == 0) alignment *= 2;
    // Below a page, odd multiples of the alignment: mimalloc 2.0.9 misaligns blocks of 256, 512 and
    // 1024 bytes, and would have no figure at all.
    const std::size_t units = alignment < 4096 ? 3 + 2 * random.below(3) : 1 + random.below(2);
    return take_aligned(alignment, units * alignment, i % 2 == 0);
  });
}

}  // namespace

int main(int argc, char** argv) {
  const Work work = arguments(argc, argv);
  team(work.threads, [&](unsigned rank) { replace(work, rank); });
}
