// Blocks that are taken together and given back together: in the order in which they came, in
// reverse, and in random order (modes "forward", "reverse", "random"), a hundred thousand at a
// time.
#include "bench.h"

using namespace heap_bench;

namespace {

constexpr std::uint64_t rounds = 100;
constexpr std::size_t blocks = 100'000;

void shuffle(Block* all, Random& random) {
  for (std::size_t i = blocks - 1; i > 0; --i) {
    Block& other = all[random.below(i + 1)];
    const Block mine = all[i];
    all[i] = other;
    other = mine;
  }
}

void cycle(const Work& work, unsigned rank) {
  Random random(rank + 1);
  const bool reverse = std::strcmp(work.mode, "reverse") == 0;
  const bool mixed = std::strcmp(work.mode, "random") == 0;
  auto* const all = static_cast<Block*>(std::calloc(blocks, sizeof(Block)));
  if (all == nullptr) fail("no memory");
  const std::uint64_t mine = work.share(rounds);
  for (std::uint64_t round = 0; round < mine; ++round) {
    for (std::size_t i = 0; i < blocks; ++i) all[i] = take(random.size(4, 8));
    if (mixed) shuffle(all, random);
    for (std::size_t i = 0; i < blocks; ++i) give_back(all[reverse ? blocks - 1 - i : i]);
  }
  std::free(all);
}

}  // namespace

int main(int argc, char** argv) {
  const Work work = arguments(argc, argv);
  team(work.threads, [&](unsigned rank) { cycle(work, rank); });
}
