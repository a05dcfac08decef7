#include "heap/purge.h"

#include "heap/process.h"

namespace homenode::heap {
namespace {

/// Free memory that an arena always keeps.
constexpr std::size_t usual_kept_slices = 512;
constinit std::size_t always_kept_slices = usual_kept_slices;  // Atomic.
constexpr std::size_t without_limit = ~std::size_t{0} / 4;

/// pre: the slices are free and dirty.
void discard_run(Arena& arena, Chunk& chunk, unsigned first, unsigned count) {
  if (system::discard(chunk.memory(first), count * slice_bytes) != 0) return;
  chunk.dirty.set(first, count, false);
  arena.dirty_free_slices -= count;
}

/// Gives the free slices of each chunk back to the system that choose(chunk, word) leaves in.
template <class Choose>
void discard_free(Arena& arena, Choose choose) {
  for (Chunk* chunk = arena.chunks.first; chunk != nullptr; chunk = chunk->next) {
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

bool is_worth_a_look() {
  return __atomic_load_n(&came_back, __ATOMIC_RELAXED) >= worth_a_look;
}

/// What was free at the last tick and has not been used since goes back to the system.
/// pre: the lock is held.
void age(Arena& arena) {
  const std::uint64_t now = system::milliseconds();
  if (now - arena.last_tick_ms < purge_ms) return;
  if (__atomic_load_n(&always_kept_slices, __ATOMIC_RELAXED) == without_limit) return;
  arena.last_tick_ms = now;
  __atomic_store_n(&arena.reclaim_due, true, __ATOMIC_RELAXED);
  if (arena.dirty_free_slices == 0) return;
  discard_free(arena, [](const Chunk& chunk, unsigned w) { return chunk.aged.words[w]; });
  for (Chunk* chunk = arena.chunks.first; chunk != nullptr; chunk = chunk->next) {
    for (unsigned w = 0; w < chunk_slices / 64; ++w) {
      chunk->aged.words[w] = chunk->free.words[w] & chunk->dirty.words[w];
    }
  }
}

/// Another thread than the one that asks may have been quicker. True: it is the caller's turn.
bool take_turn() {
  static constinit std::uint64_t last_ms = 0;  // Atomic.
  const std::uint64_t now = system::milliseconds();
  std::uint64_t last = __atomic_load_n(&last_ms, __ATOMIC_RELAXED);
  return now - last >= purge_ms && __atomic_compare_exchange_n(&last_ms, &last, now, false,
                                                               __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

}  // namespace

constinit std::uint64_t purge_ms = 500;
constinit unsigned came_back = 0;

/// Free memory is kept for a while, but with it never more than half above the most that the
/// program itself has needed, and a little; what would be more goes back at once.
void keep_bounded(Arena& arena, Chunk& chunk, unsigned first, unsigned count) {
  const std::size_t kept = __atomic_load_n(&always_kept_slices, __ATOMIC_RELAXED);
  const std::size_t most = arena.peak_used_slices + arena.peak_used_slices / 2;
  if (arena.used_slices + arena.dirty_free_slices > most + kept) {
    discard_run(arena, chunk, first, count);
  }
  count_back(count);
  if (is_worth_a_look()) age(arena);
}

void keep_free(int bytes) {
  std::size_t slices = without_limit;
  if (bytes >= 0) slices = static_cast<std::size_t>(bytes) / slice_bytes;
  if (slices < usual_kept_slices) slices = usual_kept_slices;
  __atomic_store_n(&always_kept_slices, slices, __ATOMIC_RELAXED);
}

bool purge(Arena& arena) {
  const Guard guard(arena.lock);
  const std::size_t before = arena.dirty_free_slices;
  discard_free(arena, [](const Chunk&, unsigned) { return ~std::uint64_t{0}; });
  return arena.dirty_free_slices < before;
}

void tick() {
  if (!is_worth_a_look() || !take_turn()) return;
  for_node_arenas([](Arena& arena) {
    (void)reclaim_listed(arena);
    const Guard guard(arena.lock);
    age(arena);
  });
}

}  // namespace homenode::heap
