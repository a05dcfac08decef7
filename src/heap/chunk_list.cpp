#include "heap/chunk_list.h"

namespace homenode::heap {
namespace {

/// The place of a chunk, or of the group that it heads, in the row of a level.
unsigned place(const Chunk& chunk, unsigned level) {
  return chunk.number >> (row_shift * level) & (row_width - 1);
}

/// Whether a chunk heads a group of a level: every sixteenth, and so on.
bool heads(const Chunk& chunk, unsigned level) {
  return (chunk.number & ((1U << (row_shift * (level + 1))) - 1)) == 0;
}

unsigned longest_of(const ChunkRow& row) {
  unsigned longest = 0;
  for (const std::uint16_t length : row.longest) longest = length > longest ? length : longest;
  return longest;
}

/// The first place of a row with so long a run; row_width when there is none.
unsigned first_place(const ChunkRow& row, unsigned count) {
  unsigned i = 0;
  while (i < row_width && row.longest[i] < count) ++i;
  return i;
}

}  // namespace

void ChunkList::append(Chunk& chunk) {
  chunk.number = last != nullptr ? last->number + 1 : 0;
  for (unsigned level = 0; level < row_levels; ++level) {
    chunk.heads[level] = heads(chunk, level) ? &chunk : last->heads[level];
    const bool is_member = level == 0 || heads(chunk, level - 1);
    if (is_member) chunk.heads[level]->rows[level].member[place(chunk, level)] = &chunk;
  }
  if (last == nullptr) {
    first = &chunk;
  } else {
    last->next = &chunk;
    if (heads(chunk, row_levels - 1)) last->heads[row_levels - 1]->next_group = &chunk;
  }
  last = &chunk;
}

Chunk* ChunkList::first_with(unsigned count) const {
  for (Chunk* group = first; group != nullptr; group = group->next_group) {
    Chunk* chunk = group;
    for (unsigned level = row_levels; level-- > 0;) {
      const ChunkRow& row = chunk->rows[level];
      const unsigned i = first_place(row, count);
      // Only in the highest row: a lower one has what the one above it says.
      if (i == row_width) break;
      chunk = row.member[i];
      if (level == 0) return chunk;
    }
  }
  return nullptr;
}

bool ChunkList::is_valid() const {
  unsigned number = 0;
  const Chunk* behind = nullptr;
  for (const Chunk* chunk = first; chunk != nullptr; behind = chunk, chunk = chunk->next) {
    if (chunk->number != number++) return false;
    for (unsigned level = 0; level < row_levels; ++level) {
      const ChunkRow& row = chunk->heads[level]->rows[level];
      if (level == 0 && row.member[place(*chunk, 0)] != chunk) return false;
      if (row.longest[place(*chunk, level)] < noted_longest(*chunk)) return false;
    }
  }
  return behind == last;
}

void note_longest(Chunk& chunk, unsigned length) {
  for (unsigned level = 0; level < row_levels; ++level) {
    ChunkRow& row = chunk.heads[level]->rows[level];
    std::uint16_t& noted = row.longest[place(chunk, level)];
    if (noted == length) return;
    noted = static_cast<std::uint16_t>(length);
    length = longest_of(row);
  }
}

unsigned noted_longest(const Chunk& chunk) {
  return chunk.heads[0]->rows[0].longest[place(chunk, 0)];
}

}  // namespace homenode::heap
