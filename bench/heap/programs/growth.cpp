// Things that grow: vectors whose room doubles and strings that gain some bytes at a time, many of
// each at once, through realloc; and std::vector and std::string, which take, copy and give back.
#include <string>
#include <vector>

#include "bench.h"

using namespace heap_bench;

namespace {

constexpr std::uint64_t rounds = 1'400;
constexpr std::size_t together = 32;

// A block that realloc makes larger; what was in it must still be there.
void grow(Block& block, std::size_t size) {
  if (block.at != nullptr) verify(block);
  std::uint64_t first = 0;
  if (block.size >= sizeof first) std::memcpy(&first, block.at, sizeof first);
  auto* const memory = static_cast<unsigned char*>(std::realloc(block.at, size));
  if (memory == nullptr) fail("no memory");
  if (block.size >= sizeof first && std::memcmp(memory, &first, sizeof first) != 0) {
    fail("realloc lost a block's contents");
  }
  block = stamped(memory, size);
}

// Elements of 8 bytes up to a few thousand; the vectors grow in turn.
void grow_vectors(Random& random) {
  Block vectors[together];
  for (std::size_t size = 32; size <= 32768; size *= 2) {
    for (Block& vector : vectors) grow(vector, size + 8 * random.below(4));
  }
  for (Block& vector : vectors) give_back(vector);
}

void grow_strings(Random& random) {
  Block strings[together];
  for (int step = 0; step < 48; ++step) {
    for (Block& string : strings) grow(string, string.size + 8 + random.below(48));
  }
  for (Block& string : strings) give_back(string);
}

void grow_containers(Random& random) {
  std::vector<std::vector<std::string>> tables(4);
  std::size_t bytes = 0;
  for (auto& table : tables) {
    for (int i = 0; i < 256; ++i) {
      std::string line(8 + random.below(24), 'a');
      line += "and some more that does not fit";
      bytes += line.size();
      table.push_back(std::move(line));
    }
  }
  for (const auto& table : tables) {
    for (const auto& line : table) bytes -= line.size();
    if (table.front().front() != 'a') fail("a string's contents changed");
  }
  if (bytes != 0) fail("strings changed their sizes");
}

}  // namespace

int main(int argc, char** argv) {
  const Work work = arguments(argc, argv);
  team(work.threads, [&](unsigned rank) {
    Random random(rank + 1);
    const std::uint64_t mine = work.share(rounds);
    for (std::uint64_t i = 0; i < mine; ++i) {
      grow_vectors(random);
      grow_strings(random);
      grow_containers(random);
    }
  });
}
