// Large blocks of 64 KiB to 32 MiB, one byte of each page written as a program that fills them
// would, eight live at a time for each thread. What it costs is how often an allocator asks the
// kernel anew.
#include "bench.h"

using namespace heap_bench;

namespace {

constexpr std::uint64_t operations = 2'600;
constexpr std::size_t window = 8;
constexpr std::size_t page = 4096;

void fill(const Work& work, unsigned rank) {
  Random random(rank + 1);
  Block live[window];
  replace_in(live, work.share(operations), random, [&](std::uint64_t) {
    const Block block = take(random.size(16, 25));
    for (std::size_t at = page; at + page < block.size; at += page) block.at[at] = 1;
    return block;
  });
}

}  // namespace

int main(int argc, char** argv) {
  const Work work = arguments(argc, argv);
  team(work.threads, [&](unsigned rank) { fill(work, rank); });
}
