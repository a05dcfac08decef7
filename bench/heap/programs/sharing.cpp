// False sharing: whether blocks of different threads lie on one cache line, which each of them then
// pulls from the others' caches. Modes: "active", each thread takes small blocks of its own while
// the others do; "passive", the first thread takes one for each, they give those back and take
// their own, which an allocator may cut from the same lines. Each block is written many times.
#include "bench.h"

using namespace heap_bench;

namespace {

constexpr std::uint64_t blocks = 2'400'000;
constexpr int writes = 500;
constexpr std::size_t size = 8;

void use(std::uint64_t count) {
  for (std::uint64_t i = 0; i < count; ++i) {
    auto* const number = static_cast<volatile std::uint64_t*>(std::malloc(size));
    if (number == nullptr) fail("no memory");
    *number = i;
    for (int write = 0; write < writes; ++write) *number = *number + 1;
    if (*number != i + writes) fail("another thread wrote into a block");
    std::free(const_cast<std::uint64_t*>(number));
  }
}

}  // namespace

int main(int argc, char** argv) {
  const Work work = arguments(argc, argv);
  const bool passive = std::strcmp(work.mode, "passive") == 0;
  auto* const given = static_cast<Block*>(std::calloc(work.threads, sizeof(Block)));
  if (given == nullptr) fail("no memory");
  if (passive) {
    for (unsigned i = 0; i < work.threads; ++i) given[i] = take(size);
  }
  team(work.threads, [&](unsigned rank) {
    give_back(given[rank]);
    use(work.share(blocks));
  });
  std::free(given);
}
