// What the allocation benchmarks share: their arguments, a generator of random numbers, threads,
// and blocks that say whether they are still what they were. Every block is stamped when it is
// taken and verified before it is given back, so an allocator that hands out memory twice fails,
// not wins.
#pragma once

#include <pthread.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace heap_bench {

// Ends the program; a benchmark that cannot go on has no figure.
[[noreturn]] inline void fail(const char* what) {
  std::fprintf(stderr, "heap benchmark: %s\n", what);
  std::exit(1);
}

// What is asked for on the command line: PROGRAM THREADS PERCENT [MODE]. All threads together do
// `percent` hundredths of the program's own amount of work, which takes about a second with glibc.
struct Work {
  unsigned threads = 1;
  std::uint64_t percent = 100;
  const char* mode = "";

  // Of `total` operations, those that one thread does.
  [[nodiscard]] std::uint64_t share(std::uint64_t total) const {
    const std::uint64_t mine = total * percent / 100 / threads;
    return mine == 0 ? 1 : mine;
  }
};

inline Work arguments(int argc, char** argv) {
  Work work;
  if (argc > 1) work.threads = static_cast<unsigned>(std::strtoul(argv[1], nullptr, 10));
  if (argc > 2) work.percent = std::strtoull(argv[2], nullptr, 10);
  if (argc > 3) work.mode = argv[3];
  if (work.threads == 0 || work.threads > 512 || work.percent == 0) {
    std::fprintf(stderr, "usage: %s [THREADS [PERCENT [MODE]]]; 1 to 512 threads\n", argv[0]);
    std::exit(2);
  }
  return work;
}

// Marsaglia's xorshift with a final product; the same numbers in every run.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed * 0x9e3779b97f4a7c15U + 1) {}
  std::uint64_t next() {
    state_ ^= state_ >> 12;
    state_ ^= state_ << 25;
    state_ ^= state_ >> 27;
    return state_ * 0x2545f4914f6cdd1dU;
  }
  // A number below `limit`, which is below 2^32.
  std::size_t below(std::size_t limit) { return ((next() >> 32) * limit) >> 32; }
  // A size whose logarithm is even: as many below as above each doubling.
  std::size_t size(unsigned smallest_log2, unsigned largest_log2) {
    const std::size_t base = std::size_t{1}
                             << (smallest_log2 + below(largest_log2 - smallest_log2));
    return base + below(base);
  }

 private:
  std::uint64_t state_;
};

struct Block {
  unsigned char* at = nullptr;
  std::size_t size = 0;
};

inline std::uint64_t stamp_of(const Block& block) {
  return (reinterpret_cast<std::uintptr_t>(block.at) ^ (block.size << 48)) * 0x9e3779b97f4a7c15U;
}

// Writes the stamp into a block's first and last bytes, and so touches them.
inline Block stamped(void* memory, std::size_t size) {
  if (memory == nullptr) fail("no memory");
  const Block block{static_cast<unsigned char*>(memory), size};
  const std::uint64_t stamp = stamp_of(block);
  const std::size_t bytes = size < sizeof stamp ? size : sizeof stamp;
  std::memcpy(block.at, &stamp, bytes);
  if (size >= 2 * sizeof stamp) std::memcpy(block.at + size - sizeof stamp, &stamp, sizeof stamp);
  return block;
}

inline void verify(const Block& block) {
  const std::uint64_t stamp = stamp_of(block);
  const std::size_t bytes = block.size < sizeof stamp ? block.size : sizeof stamp;
  bool same = std::memcmp(block.at, &stamp, bytes) == 0;
  if (block.size >= 2 * sizeof stamp) {
    same = same && std::memcmp(block.at + block.size - sizeof stamp, &stamp, sizeof stamp) == 0;
  }
  if (!same) fail("a block's contents changed: memory was handed out twice");
}

inline Block take(std::size_t size) {
  return stamped(std::malloc(size), size);
}

// An empty block may be given back too.
inline void give_back(Block& block) {
  if (block.at != nullptr) verify(block);
  std::free(block.at);
  block = Block{};
}

// So many times, one of the live blocks, drawn at random, makes way for next(i); at the end all go.
template <std::size_t Count, typename Next>
void replace_in(Block (&live)[Count], std::uint64_t times, Random& random, const Next& next) {
  for (std::uint64_t i = 0; i < times; ++i) {
    Block& block = live[random.below(Count)];
    give_back(block);
    block = next(i);
  }
  for (Block& block : live) give_back(block);
}

// Calls body(rank) on so many threads; one thread means the program's own, and no other exists.
template <typename Body>
void team(unsigned threads, const Body& body) {
  if (threads == 1) {
    body(0U);
    return;
  }
  struct Member {
    pthread_t thread;
    const Body* body;
    unsigned rank;
  };
  auto* const members = static_cast<Member*>(std::calloc(threads, sizeof(Member)));
  if (members == nullptr) fail("no memory");
  for (unsigned rank = 0; rank < threads; ++rank) {
    members[rank].body = &body;
    members[rank].rank = rank;
    const auto start = [](void* given) -> void* {
      const auto* const member = static_cast<const Member*>(given);
      (*member->body)(member->rank);
      return nullptr;
    };
    if (pthread_create(&members[rank].thread, nullptr, start, &members[rank]) != 0) {
      fail("cannot start a thread");
    }
  }
  for (unsigned rank = 0; rank < threads; ++rank) pthread_join(members[rank].thread, nullptr);
  std::free(members);
}

}  // namespace heap_bench
