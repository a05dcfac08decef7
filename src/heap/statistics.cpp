#include "heap/statistics.h"

#include <sys/stat.h>

#include "heap/core_heap.h"
#include "heap/huge.h"
#include "heap/process.h"
#include "heap/text.h"

namespace homenode::heap {
namespace {

constinit bool asked = false;  // Atomic.
constinit struct stat output_identity {};
constinit int output_file = -1;

/// Blocks that are out, as far as anybody but the holder can tell.
std::size_t live_bytes(const Page& page) {
  if (page.kind == Kind::large) return page.carved * slice_bytes;
  const Thread* const lessee = page.leased_by();
  std::size_t used = __atomic_load_n(&page.used, __ATOMIC_RELAXED);
  if (lessee != nullptr && lessee->current[page.size_class] == &page && used > 0) {
    used -= current_page_bias;
  }
  return used * page.block_bytes;
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
  sum.refused_policies += one.refused_policies;
}

Text& field(Text& text, const char* name, std::uint64_t value) {
  return text.add("\"").add(name).add("\": ").add(value);
}

void write_totals(Text& text, const Totals& totals) {
  field(text, "live_bytes", totals.live_bytes).add(", ");
  field(text, "committed_bytes", totals.committed_bytes).add(", ");
  field(text, "peak_bytes", totals.peak_bytes).add(", ");
  field(text, "kept_bytes", totals.kept_bytes).add(", ");
  field(text, "mapped_bytes", totals.mapped_bytes).add(", ");
  field(text, "huge_blocks", totals.huge_blocks).add(", ");
  field(text, "huge_bytes", totals.huge_bytes).add(", ");
  field(text, "listed_pages", totals.free_pages).add(", ");
  field(text, "refused_policies", totals.refused_policies);
}

}  // namespace

Totals count(Arena& arena) {
  Totals totals{};
  (void)reclaim_listed(arena);  // What was freed by others is not counted before it is collected.
  const HugeTotals huge = count_huge(arena);
  const Guard guard(arena.lock);
  for (Chunk* chunk = arena.chunks; chunk != nullptr; chunk = chunk->next) {
    for (unsigned i = first_slice; i < chunk->slices;) {
      const Page& page = chunk->page(i);
      const unsigned slices = chunk->free.contains(i) ? 0 : slice_count(page);
      if (slices > 0) totals.live_bytes += live_bytes(page);
      i += slices > 0 ? slices : 1;
    }
  }
  for (const unsigned& listed : arena.listed) {
    totals.free_pages += __atomic_load_n(&listed, __ATOMIC_RELAXED);
  }
  totals.live_bytes += huge.bytes;
  totals.huge_blocks = huge.blocks;
  totals.huge_bytes = huge.bytes;
  totals.kept_bytes = arena.dirty_free_slices * slice_bytes;
  totals.committed_bytes = arena.used_slices * slice_bytes + totals.kept_bytes + huge.bytes;
  totals.peak_bytes = arena.peak_used_slices * slice_bytes + huge.bytes;
  totals.mapped_bytes = arena.mapped_bytes + huge.bytes;
  totals.refused_policies = arena.refused_policies;
  return totals;
}

Totals count_all() {
  Totals sum{};
  for_arenas([&](Arena& arena) { add(sum, count(arena)); });
  return sum;
}

void ask_for_statistics() {
  __atomic_store_n(&asked, true, __ATOMIC_RELAXED);
}

void write_if_asked() {
  if (!__atomic_load_n(&asked, __ATOMIC_RELAXED)) return;
  if (__atomic_exchange_n(&asked, false, __ATOMIC_RELAXED)) write_statistics(output());
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
  text.add("{\"schema\": \"homenode.malloc/1\", \"policy\": \"");
  text.add(policy_name(settings().policy)).add("\", ");
  write_totals(text, count_all());
  const system::Calls calls = system::calls();
  field(text.add(", "), "remote_frees", count_remote_frees());
  field(text.add(", "), "node_switches", count_node_switches());
  field(text.add(", "), "mmap_calls", calls.maps);
  field(text.add(", "), "policy_calls", calls.policies);
  text.add(", \"arenas\": [");
  bool first = true;
  for_arenas([&](Arena& arena) {
    text.add(first ? "{" : ", {");
    first = false;
    if (arena.node < system::max_nodes) field(text, "node", arena.node).add(", ");
    text.add("\"policy\": \"").add(policy_name(arena.policy)).add("\", ");
    write_totals(text, count(arena));
    text.add("}");
  });
  text.add("]}\n");
  text.write(file);
}

}  // namespace homenode::heap
