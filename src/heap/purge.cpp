#include "heap/purge.h"

#include "heap/process.h"

namespace homenode::heap {
namespace {

/// Free memory that an arena always keeps.
constexpr std::size_t usual_kept_slices = 512;
constinit Atomic<std::size_t> always_kept_slices(usual_kept_slices);
constexpr std::size_t without_limit = ~std::size_t{0} / 4;

/// pre: the slices are free and dirty.
void discard_run(Arena& arena, Chunk& chunk, unsigned first, unsigned count)
    HN_REQUIRES(arena.lock) {
  if (system::discard(chunk.memory(first), count * slice_bytes) != 0) return;
  chunk.dirty.set(first, count, false);
  arena.dirty_free_slices -= count;
}

/// Gives the free slices of each chunk back to the system that choose(chunk, word) leaves in.
template <class Choose>
void discard_free(Arena& arena, Choose choose) HN_REQUIRES(arena.lock) {
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
  return came_back.load_relaxed() >= worth_a_look;
}

/// What was free at the last tick and has not been used since goes back to the system.
void age(Arena& arena) HN_REQUIRES(arena.lock) {
  const std::uint64_t now = system::milliseconds();
  if (now - arena.last_tick_ms < purge_ms) return;
  if (always_kept_slices.load_relaxed() == without_limit) return;
  arena.last_tick_ms = now;
  arena.reclaim_due.store_relaxed(true);
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
  static constinit Atomic<std::uint64_t> last_ms;
  const std::uint64_t now = system::milliseconds();
  std::uint64_t last = last_ms.load_relaxed();
  return now - last >= purge_ms && last_ms.replace_relaxed(last, now);
}

}  // namespace

constinit std::uint64_t purge_ms = 500;
constinit Atomic<unsigned> came_back;

/// Free memory is kept for a while, but with it never more than half above the most that the
/// program itself has needed, and a little; what would be more goes back at once.
void keep_bounded(Arena& arena, Chunk& chunk, unsigned first, unsigned count) {
  const std::size_t kept = always_kept_slices.load_relaxed();
  const std::size_t most = arena.peak_used_slices + arena.peak_used_slices / 2;
  if (slices_in_use(arena) + arena.dirty_free_slices > most + kept) {
    discard_run(arena, chunk, first, count);
  }
  count_back(count);
  if (is_worth_a_look()) age(arena);
}

void keep_free(int bytes) {
  std::size_t slices = without_limit;
  if (bytes >= 0) slices = static_cast<std::size_t>(bytes) / slice_bytes;
  if (slices < usual_kept_slices) slices = usual_kept_slices;
  always_kept_slices.store_relaxed(slices);
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
