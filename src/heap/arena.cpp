#include "heap/arena.h"

#include <bit>

#include "heap/text.h"

namespace homenode::heap {
namespace {

constexpr std::size_t largest_extent_bytes = std::size_t{1} << 30;
constexpr std::size_t least_chunk_bytes = (first_slice + 8) * slice_bytes;

/// Address space for chunks, with its policy. The extents double, so that a terabyte takes about
/// a thousand mappings; where address space is short, one is a part of a chunk.
bool reserve(Arena& arena) {
  std::size_t bytes = arena.next_extent_bytes < chunk_bytes ? chunk_bytes : arena.next_extent_bytes;
  void* memory = system::map(bytes, chunk_bytes);
  if (memory != nullptr && bytes < largest_extent_bytes) arena.next_extent_bytes = bytes * 2;
  while (memory == nullptr && bytes > least_chunk_bytes) {
    bytes = bytes > chunk_bytes ? chunk_bytes : bytes / 2;
    if (bytes < least_chunk_bytes) bytes = least_chunk_bytes;
    memory = system::map(bytes, chunk_bytes);
  }
  if (memory == nullptr) return false;
  own(arena, memory, bytes);
  arena.reserved = static_cast<char*>(memory);
  arena.reserved_bytes = bytes;
  arena.mapped_bytes += bytes;
  return true;
}

Chunk* add_chunk(Arena& arena) {
  if (arena.reserved_bytes == 0 && !reserve(arena)) return nullptr;
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
  Chunk** last = &arena.chunks;
  for (; *last != nullptr; last = &(*last)->next) chunk->number = (*last)->number + 1;
  __atomic_store_n(last, chunk, __ATOMIC_RELEASE);
  const auto index = reinterpret_cast<std::uintptr_t>(chunk) >> chunk_shift;
  set_ground(index, Ground::chunk);
  return chunk;
}

/// The chunk and the first slice of a free run; null when a new chunk is needed. The oldest chunk
/// comes first: its memory has been used already.
Chunk* find_run(Arena& arena, unsigned count, unsigned alignment, unsigned& first) {
  if (count == 1 && arena.room != nullptr && arena.room->free_count > 0 &&
      (first = arena.room->find(count, alignment)) != 0) {
    return arena.room;
  }
  for (Chunk* chunk = arena.chunks; chunk != nullptr; chunk = chunk->next) {
    if (chunk->free_count < count) continue;
    if ((first = chunk->find(count, alignment)) != 0) return chunk;
  }
  return nullptr;
}

void mark_used(Arena& arena, Chunk& chunk, unsigned first, unsigned count) {
  chunk.free.set(first, count, false);
  chunk.free_count -= count;
  if (chunk.hint == first) chunk.hint = first + count;
  for (unsigned i = first; i < first + count; ++i) {
    if (chunk.dirty.contains(i)) --arena.dirty_free_slices;
  }
  chunk.dirty.set(first, count, true);
  arena.used_slices += count;
  if (arena.used_slices > arena.peak_used_slices) arena.peak_used_slices = arena.used_slices;
}

void mark_free(Arena& arena, Chunk& chunk, unsigned first, unsigned count) {
  chunk.free.set(first, count, true);
  chunk.aged.set(first, count, false);
  chunk.free_count += count;
  if (first < chunk.hint) chunk.hint = first;
  if (chunk.number < arena.room->number) arena.room = &chunk;
  arena.used_slices -= count;
  arena.dirty_free_slices += count;
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
Page& make_page(Arena& arena, Chunk& chunk, Kind kind, unsigned first, unsigned count) {
  mark_used(arena, chunk, first, count);
  Page& page = chunk.page(first);
  describe(page, 0, count);
  page.capacity = 0;
  page.carved = static_cast<std::uint16_t>(count);
  page.slices = static_cast<std::uint8_t>(count);
  page.kind = kind;
  return page;
}

/// pre: the slices are free and dirty.
void discard_run(Arena& arena, Chunk& chunk, unsigned first, unsigned count) {
  if (system::discard(chunk.memory(first), count * slice_bytes) != 0) return;
  chunk.dirty.set(first, count, false);
  arena.dirty_free_slices -= count;
}

/// Gives the free slices of each chunk back to the system that choose(chunk, word) leaves in.
template <class Choose>
void discard_free(Arena& arena, Choose choose) {
  for (Chunk* chunk = arena.chunks; chunk != nullptr; chunk = chunk->next) {
    SliceSet idle{};
    for (unsigned w = 0; w < chunk_slices / 64; ++w) {
      idle.words[w] = chunk->free.words[w] & chunk->dirty.words[w] & choose(*chunk, w);
    }
    unsigned length = 0;
    for (unsigned i = idle.next_run(first_slice, chunk->slices, length); i != 0;
         i = idle.next_run(i + length, chunk->slices, length)) {
      discard_run(arena, *chunk, i, length);
    }
  }
}

/// What was free at the last tick and has not been used since goes back to the system.
void age(Arena& arena) {
  discard_free(arena, [](const Chunk& chunk, unsigned w) { return chunk.aged.words[w]; });
  for (Chunk* chunk = arena.chunks; chunk != nullptr; chunk = chunk->next) {
    for (unsigned w = 0; w < chunk_slices / 64; ++w) {
      chunk->aged.words[w] = chunk->free.words[w] & chunk->dirty.words[w];
    }
  }
}

/// Free memory is kept for a while, but with it never more than half above the most that the
/// program itself has needed, and a little; what would be more goes back at once.
void keep_bounded(Arena& arena, Chunk& chunk, unsigned first, unsigned count) {
  constexpr std::size_t always_kept_slices = 512;
  const std::size_t most = arena.peak_used_slices + arena.peak_used_slices / 2;
  if (arena.used_slices + arena.dirty_free_slices > most + always_kept_slices) {
    discard_run(arena, chunk, first, count);
  }
  const std::uint64_t now = system::milliseconds();
  if (now - arena.last_tick_ms < purge_ms) return;
  arena.last_tick_ms = now;
  __atomic_store_n(&arena.reclaim_due, true, __ATOMIC_RELAXED);
  if (arena.dirty_free_slices > 0) age(arena);
}

}  // namespace

constinit std::uint64_t purge_ms = 500;

void own(Arena& arena, void* memory, std::size_t bytes) {
  if (apply(arena.policy, memory, bytes, arena.nodes, false) != 0) {
    __atomic_fetch_add(&arena.refused_policies, 1, __ATOMIC_RELAXED);
  }
  Text text;
  text.add(arena.only_heap != nullptr ? "homenode heap" : "homenode malloc");
  if (arena.node < system::max_nodes) text.add(" node ").add(arena.node);
  (void)system::name(memory, bytes, text.text());
}

void sign(const Arena& arena, HeapHeader& header) {
  header.address = reinterpret_cast<std::uintptr_t>(&header);
  header.node = arena.node < system::max_nodes ? arena.node : heap_header_no_node;
  header.in_hand = arena.only_heap != nullptr ? 1 : 0;
  header.magic = heap_header_magic;
}

Page* take_slices(Arena& arena, Kind kind, unsigned count, unsigned alignment, bool& zeroed) {
  const Guard guard(arena.lock);
  unsigned first = 0;
  Chunk* chunk = find_run(arena, count, alignment, first);
  while (chunk == nullptr) {
    Chunk* const added = add_chunk(arena);
    if (added == nullptr) return nullptr;
    if (arena.room == nullptr) arena.room = added;
    if ((first = added->find(count, alignment)) != 0) chunk = added;
    // A chunk is smaller where address space is short; there will be no larger one.
    if (chunk == nullptr && added->slices < chunk_slices) return nullptr;
  }
  if (count == 1) arena.room = chunk;
  zeroed = !chunk->dirty.any(first, count);
  return &make_page(arena, *chunk, kind, first, count);
}

Page* take_clean_slice(Arena& arena) {
  constexpr std::size_t much_slices = 64;
  const Guard guard(arena.lock);
  if (arena.dirty_free_slices == 0 || arena.dirty_free_slices > much_slices) return nullptr;
  for (Chunk* chunk = arena.chunks; chunk != nullptr; chunk = chunk->next) {
    for (unsigned w = 0; w < chunk_slices / 64; ++w) {
      const std::uint64_t clean = chunk->free.words[w] & ~chunk->dirty.words[w];
      if (clean == 0) continue;
      const unsigned first = w * 64 + static_cast<unsigned>(std::countr_zero(clean));
      return &make_page(arena, *chunk, Kind::small, first, 1);
    }
  }
  return nullptr;
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
  const unsigned count = slice_count(page);
  page.kind = Kind::unused;
  page.lease_to(nullptr);
  mark_free(arena, chunk, slice_of(page), count);
  keep_bounded(arena, chunk, slice_of(page), count);
}

bool extend_slices(Page& page, unsigned count) {
  Chunk& chunk = chunk_of(page);
  const Guard guard(chunk.arena->lock);
  const unsigned had = page.carved;
  const unsigned first = slice_of(page) + had;
  if (first + (count - had) > chunk.slices) return false;
  for (unsigned i = first; i < first + (count - had); ++i) {
    if (!chunk.free.contains(i)) return false;
  }
  mark_used(*chunk.arena, chunk, first, count - had);
  describe(page, had, count);
  page.carved = static_cast<std::uint16_t>(count);
  return true;
}

void shrink_slices(Page& page, unsigned count) {
  Chunk& chunk = chunk_of(page);
  const Guard guard(chunk.arena->lock);
  const unsigned had = page.carved;
  page.carved = static_cast<std::uint16_t>(count);
  mark_free(*chunk.arena, chunk, slice_of(page) + count, had - count);
  keep_bounded(*chunk.arena, chunk, slice_of(page) + count, had - count);
}

bool purge(Arena& arena) {
  const Guard guard(arena.lock);
  const std::size_t before = arena.dirty_free_slices;
  discard_free(arena, [](const Chunk&, unsigned) { return ~std::uint64_t{0}; });
  return arena.dirty_free_slices < before;
}

void rebind(Arena& arena, const system::NodeMask& nodes) {
  const Guard guard(arena.lock);
  arena.nodes = nodes;
  arena.node = nodes.count() == 1 ? nodes.next(0) : system::max_nodes;
  const auto one = [&](void* memory, std::size_t bytes) {
    if (apply(arena.policy, memory, bytes, nodes, true) != 0) ++arena.refused_policies;
  };
  for (Chunk* chunk = arena.chunks; chunk != nullptr; chunk = chunk->next) {
    one(chunk, chunk->slices * slice_bytes);
    sign(arena, chunk->header);
  }
  if (arena.reserved_bytes > 0) one(arena.reserved, arena.reserved_bytes);
}

void unmap_all(Arena& arena) {
  const Guard guard(arena.lock);
  if (arena.reserved_bytes > 0) (void)system::unmap(arena.reserved, arena.reserved_bytes);
  for (Chunk* chunk = arena.chunks; chunk != nullptr;) {
    Chunk* const next = chunk->next;
    const auto index = reinterpret_cast<std::uintptr_t>(chunk) >> chunk_shift;
    set_ground(index, Ground::foreign);
    (void)system::unmap(chunk, chunk->slices * slice_bytes);
    chunk = next;
  }
  arena.chunks = arena.room = nullptr;
  arena.reserved_bytes = arena.mapped_bytes = arena.used_slices = arena.dirty_free_slices = 0;
}

}  // namespace homenode::heap
