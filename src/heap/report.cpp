#include "heap/report.h"

#include <sys/stat.h>

#include "heap/process.h"
#include "heap/spilled.h"
#include "heap/statistics.h"
#include "heap/text.h"

namespace homenode::heap {
namespace {

constinit bool asked = false;  // Atomic.
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
  if (arena.node < system::max_nodes) field(text, "node", arena.node).add(", ");
  text.add("\"in_hand\": ").add(arena.only_heap != nullptr ? "true" : "false");
  text.add(", \"policy\": \"").add(policy_name(arena.policy)).add("\", ");
  const Totals totals = count(arena);
  write_totals(text, totals);
  field(text.add(", "), "mappings", totals.mappings);
  field(text.add(", "), "policy_calls", totals.policy_calls);
  const Spilled spilled = count_spilled(arena);
  if (!spilled.unknown) field(text.add(", "), "spilled_bytes", spilled.bytes);
  if (arena.only_heap == nullptr) {
    text.add(", \"heaps\": [");
    const CoreHeap* const first = __atomic_load_n(&arena.heaps, __ATOMIC_ACQUIRE);
    for (const CoreHeap* heap = first; heap != nullptr; heap = heap->next) {
      if (heap != first) text.add(", ");
      write_heap(text, *heap);
    }
    text.add("]");
  }
  text.add("}");
}

}  // namespace

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
