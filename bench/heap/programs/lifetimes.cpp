// Short-lived blocks among long-lived ones, whose sizes drift from phase to phase: the shape that
// leaves holes. One block in sixteen stays for phases; the peak of resident memory is the point.
#include "bench.h"

using namespace heap_bench;

namespace {

constexpr std::uint64_t operations = 16'000'000;
constexpr std::size_t phases = 8;
constexpr std::size_t long_lived = 24'000;
constexpr std::size_t short_lived = 256;

void live(const Work& work, unsigned rank) {
  Random random(rank + 1);
  const std::size_t room = long_lived / work.threads;
  auto* const kept = static_cast<Block*>(std::calloc(room, sizeof(Block)));
  if (kept == nullptr) fail("no memory");
  Block recent[short_lived];
  const std::uint64_t mine = work.share(operations) / phases;
  for (std::size_t phase = 0; phase < phases; ++phase) {
    const unsigned smallest = 4 + static_cast<unsigned>(phase % 4);
    for (std::uint64_t i = 0; i < mine; ++i) {
      Block& block = i % 16 == 0 ? kept[random.below(room)] : recent[random.below(short_lived)];
      give_back(block);
      block = take(random.size(smallest, smallest + 4));
    }
    // Half of what stayed goes, at random: the holes are everywhere.
    for (std::size_t i = 0; i < room; ++i) {
      if (random.below(2) == 0) give_back(kept[i]);
    }
  }
  for (Block& block : recent) give_back(block);
  for (std::size_t i = 0; i < room; ++i) give_back(kept[i]);
  std::free(kept);
}

}  // namespace

int main(int argc, char** argv) {
  const Work work = arguments(argc, argv);
  team(work.threads, [&](unsigned rank) { live(work, rank); });
}
