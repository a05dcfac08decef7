#include "heap/statistics.h"

#include <sys/stat.h>

#include <cerrno>

#include "heap/huge.h"
#include "heap/process.h"
#include "heap/text.h"

namespace homenode::heap {
namespace {

/// What others have freed and nobody has collected yet.
std::size_t waiting_blocks(const Page& page) {
  return page.remote.load_relaxed() >> Page::remote_count_shift;
}

/// Blocks that are out, as far as anybody but the holder can tell.
std::size_t live_blocks(const Page& page) {
  const Thread* const lessee = page.leased_by();
  const std::size_t used = peek(page.used);
  const bool current = lessee != nullptr && lessee->current[page.size_class] == &page;
  const std::size_t back = waiting_blocks(page) + (current ? current_page_bias : 0);
  return used > back ? used - back : 0;
}

void add_page(Totals& sum, const Page& page) {
  if (page.kind == Kind::large) {
    sum.live_bytes += page.carved * slice_bytes;
  } else if (page.capacity > 0) {
    sum.live_bytes += live_blocks(page) * page.block_bytes;
    sum.remote_frees += waiting_blocks(page);
  }
}

/// Calls visit(page) for each page in use.
template <class Visit>
void for_pages(const Arena& arena, Visit visit) HN_REQUIRES(arena.lock) {
  for (Chunk* chunk = arena.chunks.first; chunk != nullptr; chunk = chunk->next) {
    for (unsigned i = first_slice; i < chunk->slices;) {
      const Page& page = chunk->page(i);
      const unsigned slices = chunk->free.contains(i) ? 0 : slice_count(page);
      if (slices > 0) visit(page);
      i += slices > 0 ? slices : 1;
    }
  }
}

void add_calls(Totals& sum, const CoreHeap& heap) {
  sum.remote_frees += heap.remote_frees.load_relaxed();
  sum.mappings += heap.mappings.load_relaxed();
  sum.policy_calls += heap.policy_calls.load_relaxed();
}

void add(Totals& sum, const Totals& one) {
  sum.live_bytes += one.live_bytes;
  sum.committed_bytes += one.committed_bytes;
  sum.kept_bytes += one.kept_bytes;
  sum.peak_bytes += one.peak_bytes;
  sum.mapped_bytes += one.mapped_bytes;
  sum.huge_blocks += one.huge_blocks;
  sum.huge_bytes += one.huge_bytes;
  sum.free_pages += one.free_pages;
  sum.remote_frees += one.remote_frees;
  sum.mappings += one.mappings;
  sum.policy_calls += one.policy_calls;
  sum.refused_policies += one.refused_policies;
  sum.lent_blocks += one.lent_blocks;
}

constinit Atomic<bool> asked;
constinit struct stat output_identity {};
constinit int output_file = -1;

Text& field(Text& text, const char* name, std::uint64_t value) {
  return text.add("\"").add(name).add("\": ").add(value);
}

/// Of an arena, or of all.
void write_totals(Text& text, const Totals& totals) {
  field(text, "live_bytes", totals.live_bytes).add(", ");
  field(text, "committed_bytes", totals.committed_bytes).add(", ");
  field(text, "peak_bytes", totals.peak_bytes).add(", ");
  field(text, "kept_bytes", totals.kept_bytes).add(", ");
  field(text, "mapped_bytes", totals.mapped_bytes).add(", ");
  field(text, "huge_blocks", totals.huge_blocks).add(", ");
  field(text, "huge_bytes", totals.huge_bytes).add(", ");
  field(text, "listed_pages", totals.free_pages).add(", ");
  field(text, "remote_frees", totals.remote_frees).add(", ");
  field(text, "refused_policies", totals.refused_policies).add(", ");
  field(text, "lent_blocks", totals.lent_blocks);
}

void write_heap(Text& text, const CoreHeap& heap) {
  const Totals totals = count(heap);
  field(text.add("{"), "cpu", heap.cpu).add(", ");
  field(text, "live_bytes", totals.live_bytes).add(", ");
  field(text, "committed_bytes", totals.committed_bytes).add(", ");
  field(text, "peak_bytes", totals.peak_bytes).add(", ");
  field(text, "remote_frees", totals.remote_frees).add(", ");
  field(text, "mappings", totals.mappings).add(", ");
  field(text, "policy_calls", totals.policy_calls).add("}");
}

void write_arena(Text& text, Arena& arena) {
  text.add("{");
  const bool of_node = arena.node < system::max_nodes;
  (of_node ? field(text, "node", arena.node) : text.add("\"node\": null")).add(", ");
  text.add("\"private\": ").add(arena.only_heap != nullptr ? "true" : "false");
  text.add(", \"policy\": \"").add(policy_name(arena.policy)).add("\", ");
  const Totals totals = count(arena);
  write_totals(text, totals);
  field(text.add(", "), "mappings", totals.mappings);
  field(text.add(", "), "policy_calls", totals.policy_calls);
  const Spilled spilled = count_spilled(arena);
  text.add(", ");
  spilled.unknown ? text.add("\"spilled_bytes\": null")
                  : field(text, "spilled_bytes", spilled.bytes);
  text.add(", \"heaps\": [");
  if (arena.only_heap == nullptr) {
    const CoreHeap* const first = arena.heaps.load_acquire();
    for (const CoreHeap* heap = first; heap != nullptr; heap = heap->next) {
      if (heap != first) text.add(", ");
      write_heap(text, *heap);
    }
  }
  text.add("]}");
}

}  // namespace

Totals count(Arena& arena) {
  Totals totals{};
  (void)reclaim_listed(arena);  // So that what others have freed is not in use any more.
  const HugeTotals huge = count_huge(arena);
  const Guard guard(arena.lock);
  for_pages(arena, [&](const Page& page) { add_page(totals, page); });
  const CoreHeap* heap = arena.heaps.load_acquire();
  for (; heap != nullptr; heap = heap->next) add_calls(totals, *heap);
  for (const Atomic<unsigned>& listed : arena.listed) {
    totals.free_pages += listed.load_relaxed();
  }
  totals.live_bytes += huge.bytes;
  totals.huge_blocks = huge.blocks;
  totals.huge_bytes = huge.bytes;
  totals.kept_bytes = arena.dirty_free_slices * slice_bytes;
  totals.committed_bytes = arena.usage.bytes + totals.kept_bytes;
  totals.peak_bytes = arena.usage.peak_bytes;
  totals.mapped_bytes = arena.mapped_bytes + huge.bytes;
  totals.refused_policies = arena.refused_policies.load_relaxed();
  totals.lent_blocks = arena.lent_blocks.load_relaxed();
  return totals;
}

Totals count(const CoreHeap& heap) {
  Totals totals{};
  totals.huge_bytes = huge_bytes_of(heap);
  totals.live_bytes = totals.huge_bytes;
  Arena& arena = *heap.arena;
  const Guard guard(arena.lock);
  for_pages(arena, [&](const Page& page) {
    if (page.heap == heap.cpu) add_page(totals, page);
  });
  add_calls(totals, heap);
  totals.committed_bytes = heap.usage.bytes;
  totals.peak_bytes = heap.usage.peak_bytes;
  return totals;
}

Totals count_all() {
  Totals sum{};
  send_parcels(*self);  // What other threads keep counts as live.
  for_arenas([&](Arena& arena) { add(sum, count(arena)); });
  return sum;
}

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

void ask_for_statistics() {
  asked.store_relaxed(true);
}

void write_if_asked() {
  if (!asked.load_relaxed()) return;
  if (asked.exchange_relaxed(false)) write_statistics(output());
}

void set_output(int file) {
  if (fstat(file, &output_identity) == 0) output_file = file;
}

int output() {
  struct stat now {};
  const bool same = output_file >= 0 && fstat(output_file, &now) == 0 &&
                    now.st_dev == output_identity.st_dev && now.st_ino == output_identity.st_ino;
  return same ? output_file : -1;
}

void write_statistics(int file) {
  Text text(file);
  text.add("{\"schema\": \"homenode.malloc/2\", \"policy\": \"");
  text.add(policy_name(settings().policy)).add("\", ");
  write_totals(text, count_all());
  const system::Calls calls = system::calls();
  field(text.add(", "), "node_switches", count_node_switches());
  field(text.add(", "), "mmap_calls", calls.maps);
  field(text.add(", "), "policy_calls", calls.policies);
  text.add(", \"arenas\": [");
  bool first = true;
  for_arenas([&](Arena& arena) {
    if (!first) text.add(", ");
    first = false;
    write_arena(text, arena);
  });
  text.add("]}\n");
  text.write(file);
}

}  // namespace homenode::heap
