// Blocks of 16 B to 32 KiB, as many in each doubling, out of a window of a thousand live ones for
// each thread. One in eight comes zeroed, and must be.
#include "bench.h"

using namespace heap_bench;

namespace {

constexpr std::uint64_t operations = 7'000'000;
constexpr std::size_t window = 1024;

Block zeroed(std::size_t size) {
  auto* const memory = static_cast<unsigned char*>(std::calloc(1, size));
  if (memory == nullptr) fail("no memory");
  if ((memory[0] | memory[size / 2] | memory[size - 1]) != 0) fail("calloc's memory is not zero");
  return stamped(memory, size);
}

void replace(const Work& work, unsigned rank) {
  Random random(rank + 1);
  Block live[window];
  replace_in(live, work.share(operations), random, [&](std::uint64_t i) {
    const std::size_t size = random.size(4, 15);
    return i % 8 == 0 ? zeroed(size) : take(size);
  });
}

}  // namespace

int main(int argc, char** argv) {
  const Work work = arguments(argc, argv);
  team(work.threads, [&](unsigned rank) { replace(work, rank); });
}
