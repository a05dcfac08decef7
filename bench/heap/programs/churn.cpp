// Small blocks of 16 to 256 bytes that one thread takes and gives back again: half of them at once,
// as a function's temporaries are, half in random order out of a window of live ones.
#include "bench.h"

using namespace heap_bench;

namespace {

constexpr std::uint64_t operations = 40'000'000;
constexpr std::size_t window = 1024;

void churn(const Work& work, unsigned rank) {
  Random random(rank + 1);
  Block live[window];
  const std::uint64_t rounds = work.share(operations) / 2;
  for (std::uint64_t i = 0; i < rounds; ++i) {
    Block& old = live[random.below(window)];
    give_back(old);
    old = take(16 + random.below(240));
    Block temporary = take(16 + i % 64);
    give_back(temporary);
  }
  for (Block& block : live) give_back(block);
}

}  // namespace

int main(int argc, char** argv) {
  const Work work = arguments(argc, argv);
  team(work.threads, [&](unsigned rank) { churn(work, rank); });
}
