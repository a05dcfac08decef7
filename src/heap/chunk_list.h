// The chunks of an arena in the order of their coming, and a tree over them by the longest run of
// free slices that each may have: the oldest chunk with room is found by looking at sixteen numbers
// for each power of sixteen of chunks. The tree stands in the chunks' own descriptions. Serves the
// arena, under its lock.
#pragma once

#include "heap/chunk.h"

namespace homenode::heap {

struct ChunkList {
  Chunk* first;
  Chunk* last;

  /// Puts a chunk behind the others and numbers it. Its `longest` is 0 until it is noted.
  void append(Chunk& chunk);
  /// The oldest chunk that may have a run of so many free slices; null when none has.
  /// pre: count >= 1
  [[nodiscard]] Chunk* first_with(unsigned count) const;
  /// Whether the numbers go on from 0 and the tree says of each chunk what was noted. For tests and
  /// debug builds: it looks at every chunk.
  [[nodiscard]] bool is_valid() const;
};

/// Has the tree know the longest run of free slices that a chunk may have. A number that is too
/// large costs a search that finds nothing; one that is too small loses memory.
void note_longest(Chunk& chunk, unsigned length);
/// As it was noted.
unsigned noted_longest(const Chunk& chunk);

}  // namespace homenode::heap
