#include "heap/spilled.h"

#include <cerrno>

#include "heap/chunk.h"
#include "heap/huge.h"

namespace homenode::heap {

void add_spilled(const Arena& arena, const char* memory, std::size_t bytes, Spilled& sum) {
  for (std::size_t at = 0; at < bytes && !sum.unknown; at += slice_bytes) {
    const int node = system::node_of(memory + at);
    if (node >= 0) {
      if (arena.nodes.contains(static_cast<unsigned>(node))) continue;
      sum.bytes += bytes - at < slice_bytes ? bytes - at : slice_bytes;
    } else if (node != -ENOENT && node != -EFAULT) {  // Those are of pages nobody has touched.
      sum.unknown = true;
    }
  }
}

Spilled count_spilled(Arena& arena) {
  Spilled sum{};
  if (arena.nodes.count() == 0) return sum;
  add_spilled_huge(arena, sum);
  const Guard guard(arena.lock);
  for (Chunk* chunk = arena.chunks.first; chunk != nullptr; chunk = chunk->next) {
    for (unsigned i = first_slice; i < chunk->slices; ++i) {
      if (!chunk->free.contains(i)) add_spilled(arena, chunk->memory(i), slice_bytes, sum);
    }
  }
  return sum;
}

}  // namespace homenode::heap
