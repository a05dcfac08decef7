// Large blocks of 64 KiB to 16 MiB, one byte of each page written as a program that fills them
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
  const std::uint64_t mine = work.share(operations);
  for (std::uint64_t i = 0; i < mine; ++i) {
    Block& block = live[random.below(window)];
    give_back(block);
    block = take(random.size(16, 24));
    for (std::size_t at = page; at + page < block.size; at += page) block.at[at] = 1;
  }
  for (Block& block : live) give_back(block);
}

}  // namespace

int main(int argc, char** argv) {
  const Work work = arguments(argc, argv);
  team(work.threads, [&](unsigned rank) { fill(work, rank); });
}
