#include "heap/arena.h"

#include <bit>

#include "heap/process.h"
#include "heap/purge.h"

namespace homenode::heap {
namespace {

constexpr std::size_t largest_extent_bytes = std::size_t{1} << 30;
constexpr std::size_t least_chunk_bytes = (first_slice + 8) * slice_bytes;
/// Enough for a small program, whose address space may be limited or be locked as a whole.
constexpr std::size_t first_extent_bytes = std::size_t{2} << 20;

/// What to ask for. The extents double, so that a terabyte takes about a thousand mappings. Where
/// all of a mapping becomes memory at once, they are a quarter of what the arena has already.
std::size_t next_extent(const Arena& arena, std::size_t needed, bool locked)
    HN_REQUIRES(arena.lock) {
  std::size_t bytes = arena.next_extent_bytes;
  if (locked) {
    const std::size_t share = arena.mapped_bytes / 4 / slice_bytes * slice_bytes;
    bytes = share < chunk_bytes ? share : chunk_bytes;
    if (bytes < needed) bytes = needed;
  }
  if (bytes < first_extent_bytes) bytes = first_extent_bytes;
  return bytes < needed ? chunk_bytes : bytes;
}

/// Address space for chunks, with its policy, of which one has room for `needed` bytes with its
/// description; where address space is short, there may be less.
bool reserve(Arena& arena, CoreHeap& heap, std::size_t needed, bool locked)
    HN_REQUIRES(arena.lock) {
  std::size_t bytes = next_extent(arena, needed, locked);
  void* memory = system::map(bytes, chunk_bytes);
  if (memory != nullptr && !locked) {
    arena.next_extent_bytes = bytes < chunk_bytes ? chunk_bytes : bytes * 2;
    if (bytes == largest_extent_bytes) arena.next_extent_bytes = bytes;
  }
  while (memory == nullptr && bytes > least_chunk_bytes) {
    bytes = bytes > chunk_bytes ? chunk_bytes : bytes / 2;
    if (bytes < least_chunk_bytes) bytes = least_chunk_bytes;
    memory = system::map(bytes, chunk_bytes);
  }
  if (memory == nullptr) return false;
  // Where the kernel hands out huge pages unasked, a small program would use little of one, and of
  // those of other cores. The second extent begins with a description, too, as large as a quarter.
  if (arena.mapped_bytes <= first_extent_bytes)
    (void)system::use_small_pages(memory, bytes < first_extent_bytes ? bytes : first_extent_bytes);
  own(heap, memory, bytes);
  arena.reserved = static_cast<char*>(memory);
  arena.reserved_bytes = bytes;
  arena.mapped_bytes += bytes;
  return true;
}

/// A longer run is not worth a chunk where all of a chunk becomes memory at once: no more than the
/// block itself should.
constexpr unsigned largest_locked_run = 256;

/// Behind a chunk's description there is room that nobody uses.
void discard_unused(Chunk& chunk) {
  const std::size_t described = chunk.slices * sizeof(Page);
  const auto used = static_cast<unsigned>((described + slice_bytes - 1) / slice_bytes);
  (void)system::discard_locked(chunk.memory(used), (first_slice - used) * slice_bytes);
}

Chunk* add_chunk(Arena& arena, CoreHeap& heap, unsigned slices) HN_REQUIRES(arena.lock) {
  const std::size_t needed = (first_slice + slices) * slice_bytes;
  const bool small_start = arena.next_extent_bytes == 0 && needed <= first_extent_bytes;
  const bool locked = arena.reserved_bytes == 0 && !small_start && system::locks_new_memory();
  if (locked && slices > largest_locked_run) return nullptr;
  if (arena.reserved_bytes == 0 && !reserve(arena, heap, needed, locked)) return nullptr;
  const std::size_t bytes = arena.reserved_bytes < chunk_bytes ? arena.reserved_bytes : chunk_bytes;
  auto* const chunk = reinterpret_cast<Chunk*>(arena.reserved);
  arena.reserved += bytes;
  arena.reserved_bytes -= bytes;
  sign(arena, chunk->header);
  chunk->arena = &arena;
  chunk->slices = static_cast<std::uint32_t>(bytes / slice_bytes);
  chunk->free_count = chunk->slices - first_slice;
  chunk->hint = first_slice;
  chunk->free.set(first_slice, chunk->free_count, true);
  if (locked) discard_unused(*chunk);
  arena.chunks.append(*chunk);
  note_longest(*chunk, chunk->free_count);
  assert_valid(*chunk);
  const auto index = reinterpret_cast<std::uintptr_t>(chunk) >> chunk_shift;
  set_ground(index, Ground::chunk);
  return chunk;
}

/// The chunk and the first slice of a free run; null when a new chunk is needed. The oldest chunk
/// comes first: its memory has been used already. A chunk that has less than was noted is noted
/// anew, once for each run that was taken; where only the alignment is in the way, the next look is
/// for a run that has it wherever it starts.
Chunk* find_run(Arena& arena, unsigned count, unsigned alignment, unsigned& first)
    HN_REQUIRES(arena.lock) {
  for (const unsigned enough : {count, count + alignment - 1}) {
    while (Chunk* const chunk = arena.chunks.first_with(enough)) {
      ++arena.searched_chunks;
      if ((first = chunk->find(count, alignment)) != 0) return chunk;
      const unsigned longest = chunk->longest_run();
      if (longest == noted_longest(*chunk)) break;
      note_longest(*chunk, longest);
    }
  }
  return nullptr;
}

void mark_used(Arena& arena, CoreHeap& heap, Chunk& chunk, unsigned first, unsigned count)
    HN_REQUIRES(arena.lock) {
  chunk.free.set(first, count, false);
  chunk.free_count -= count;
  if (chunk.hint == first) chunk.hint = first + count;
  for (unsigned i = first; i < first + count; ++i) {
    if (chunk.dirty.contains(i)) --arena.dirty_free_slices;
  }
  chunk.dirty.set(first, count, true);
  assert_valid(chunk);
  arena.used_slices.store_relaxed(arena.used_slices.load_relaxed() + count);
  if (slices_in_use(arena) > arena.peak_used_slices) arena.peak_used_slices = slices_in_use(arena);
  arena.usage.add(count * slice_bytes);
  heap.usage.add(count * slice_bytes);
}

void mark_free(Arena& arena, CoreHeap& heap, Chunk& chunk, unsigned first, unsigned count)
    HN_REQUIRES(arena.lock) {
  chunk.free.set(first, count, true);
  chunk.aged.set(first, count, false);
  chunk.free_count += count;
  if (first < chunk.hint) chunk.hint = first;
  const unsigned length = chunk.free.run_around(first, count, chunk.slices);
  if (length > noted_longest(chunk)) note_longest(chunk, length);
  assert_valid(chunk);
  arena.used_slices.store_relaxed(arena.used_slices.load_relaxed() - count);
  arena.dirty_free_slices += count;
  arena.usage.subtract(count * slice_bytes);
  heap.usage.subtract(count * slice_bytes);
}

/// Has slices of a page, by number in it, lead back to its first.
void describe(Page& page, unsigned from, unsigned end) {
  for (unsigned i = from; i < end; ++i) {
    Page& slice = (&page)[i];
    slice.back = static_cast<std::uint16_t>(i);
    slice.kind = Kind::unused;
    slice.lease_to(nullptr);
  }
}

/// pre: the slices are free.
Page& make_page(Arena& arena, CoreHeap& heap, Chunk& chunk, Kind kind, unsigned first,
                unsigned count) HN_REQUIRES(arena.lock) {
  mark_used(arena, heap, chunk, first, count);
  Page& page = chunk.page(first);
  describe(page, 0, count);
  page.capacity = 0;
  page.carved = static_cast<std::uint16_t>(count);
  page.slices = static_cast<std::uint8_t>(count);
  page.heap = static_cast<std::uint16_t>(heap.cpu);
  page.kind = kind;
  return page;
}

}  // namespace

Page* take_slices(CoreHeap& heap, Kind kind, unsigned count, unsigned alignment, bool& zeroed) {
  tick();
  Arena& arena = *heap.arena;
  const Guard guard(arena.lock);
  unsigned first = 0;
  Chunk* chunk = find_run(arena, count, alignment, first);
  while (chunk == nullptr) {
    Chunk* const added = add_chunk(arena, heap, count + alignment - 1);
    if (added == nullptr) return nullptr;
    if ((first = added->find(count, alignment)) != 0) chunk = added;
    // A chunk is smaller where address space is short; there will be no larger one.
    if (chunk == nullptr && added->slices < chunk_slices) return nullptr;
  }
  zeroed = !chunk->dirty.any(first, count);
  return &make_page(arena, heap, *chunk, kind, first, count);
}

Page* take_clean_slice(CoreHeap& heap) {
  constexpr std::size_t much_slices = 64;
  Arena& arena = *heap.arena;
  const Guard guard(arena.lock);
  if (arena.dirty_free_slices == 0 || arena.dirty_free_slices > much_slices) return nullptr;
  // The newest chunk has most of it.
  for (Chunk* const chunk : {arena.chunks.first_with(1), arena.chunks.last}) {
    if (chunk == nullptr) break;
    for (unsigned w = 0; w < chunk_slices / 64; ++w) {
      const std::uint64_t clean = chunk->free.words[w] & ~chunk->dirty.words[w];
      if (clean == 0) continue;
      const unsigned first = w * 64 + static_cast<unsigned>(std::countr_zero(clean));
      return &make_page(arena, heap, *chunk, Kind::small, first, 1);
    }
  }
  return nullptr;
}

void hand_over(Page& page, CoreHeap& heap) {
  const Guard guard(heap.arena->lock);
  const std::size_t bytes = slice_count(page) * slice_bytes;
  owner_of(page).usage.subtract(bytes);
  heap.usage.add(bytes);
  page.heap = static_cast<std::uint16_t>(heap.cpu);
}

unsigned slice_count(const Page& page) {
  switch (page.kind) {
    case Kind::small:
      return 1;
    case Kind::medium:
      return page.slices;
    case Kind::large:
      return page.carved;
    case Kind::unused:
      break;
  }
  return 0;
}

void free_slices(Page& page) {
  Chunk& chunk = chunk_of(page);
  Arena& arena = *chunk.arena;
  const Guard guard(arena.lock);
  assert_valid(page);
  const unsigned count = slice_count(page);
  page.kind = Kind::unused;
  page.lease_to(nullptr);
  mark_free(arena, owner_of(page), chunk, slice_of(page), count);
  keep_bounded(arena, chunk, slice_of(page), count);
}

bool extend_slices(Page& page, unsigned count) {
  Chunk& chunk = chunk_of(page);
  Arena& arena = *chunk.arena;
  const Guard guard(arena.lock);
  const unsigned had = page.carved;
  const unsigned first = slice_of(page) + had;
  if (first + (count - had) > chunk.slices) return false;
  for (unsigned i = first; i < first + (count - had); ++i) {
    if (!chunk.free.contains(i)) return false;
  }
  mark_used(arena, owner_of(page), chunk, first, count - had);
  describe(page, had, count);
  page.carved = static_cast<std::uint16_t>(count);
  return true;
}

void shrink_slices(Page& page, unsigned count) {
  Chunk& chunk = chunk_of(page);
  Arena& arena = *chunk.arena;
  const Guard guard(arena.lock);
  const unsigned had = page.carved;
  page.carved = static_cast<std::uint16_t>(count);
  mark_free(arena, owner_of(page), chunk, slice_of(page) + count, had - count);
  keep_bounded(arena, chunk, slice_of(page) + count, had - count);
}

void add_usage(CoreHeap& heap, std::size_t bytes) {
  Arena& arena = *heap.arena;
  const Guard guard(arena.lock);
  arena.usage.add(bytes);
  heap.usage.add(bytes);
}

void subtract_usage(CoreHeap& heap, std::size_t bytes) {
  Arena& arena = *heap.arena;
  const Guard guard(arena.lock);
  arena.usage.subtract(bytes);
  heap.usage.subtract(bytes);
}

void unmap_all(Arena& arena) {
  const Guard guard(arena.lock);
  if (arena.reserved_bytes > 0) (void)system::unmap(arena.reserved, arena.reserved_bytes);
  for (Chunk* chunk = arena.chunks.first; chunk != nullptr;) {
    Chunk* const next = chunk->next;
    const auto index = reinterpret_cast<std::uintptr_t>(chunk) >> chunk_shift;
    set_ground(index, Ground::foreign);
    (void)system::unmap(chunk, chunk->slices * slice_bytes);
    chunk = next;
  }
  arena.chunks = {};
  arena.reserved_bytes = arena.mapped_bytes = arena.dirty_free_slices = 0;
  arena.used_slices.store_relaxed(0);
  arena.usage.bytes = 0;
}

}  // namespace homenode::heap
