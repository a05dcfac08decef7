// Many threads with the same work between them, each with blocks of its own. Modes: "cores", as
// many threads as asked for; "crowd", sixteen times as many, so that most of them wait for a core
// with what an allocator keeps for each of them.
#include "bench.h"

using namespace heap_bench;

namespace {

constexpr std::uint64_t operations = 24'000'000;
constexpr std::size_t window = 400;
constexpr unsigned crowd = 16;

void replace(std::uint64_t mine, unsigned rank) {
  Random random(rank + 1);
  Block live[window];
  replace_in(live, mine, random,
             [&](std::uint64_t i) { return take(random.size(4, i % 16 == 0 ? 12 : 8)); });
}

}  // namespace

int main(int argc, char** argv) {
  Work work = arguments(argc, argv);
  if (std::strcmp(work.mode, "crowd") == 0) work.threads *= crowd;
  team(work.threads, [&](unsigned rank) { replace(work.share(operations), rank); });
}
