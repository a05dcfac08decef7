#include "agent/place_allocation.h"

#include <sys/mman.h>

#include <cerrno>

#include "agent/calls.h"

namespace homenode::agent {
namespace {

constexpr int mode_preferred = 1;            // MPOL_PREFERRED: it never kills, as a full bind does.
constexpr unsigned move_own_pages = 1 << 1;  // MPOL_MF_MOVE
constexpr int populate_write = 23;           // MADV_POPULATE_WRITE, Linux 5.14.
constexpr std::size_t word_bits = sizeof(unsigned long) * 8;

void bring_in(const Pages& pages, Part part) {
  const std::uintptr_t first = pages.first + part.first * pages.page_bytes;
  if (advise_memory(first, part.count * pages.page_bytes, populate_write) != -EINVAL) return;
  for (std::size_t page = 0; page < part.count; ++page) {
    auto* const byte = reinterpret_cast<char*>(first + page * pages.page_bytes);
    __atomic_fetch_or(byte, 0, __ATOMIC_RELAXED);
  }
}

bool is_first_of_its_node(const AllocationRule& rule, std::size_t run) {
  for (std::size_t i = 0; i < run; ++i) {
    if (rule.runs[i].node == rule.runs[run].node) return false;
  }
  return true;
}

void distribute(const Pages& pages, const AllocationRule& rule) {
  int mode = 0;
  unsigned long nodes[node_words] = {};
  if (read_policy(mode, nodes, node_words) != 0) return;
  bool has_nodes = false;
  for (unsigned long word : nodes) has_nodes = has_nodes || word != 0;
  // A huge page would swallow the pages of other nodes.
  (void)advise_memory(pages.first, pages.count * pages.page_bytes, MADV_NOHUGEPAGE);
  for (std::size_t run = 0; run < rule.run_count; ++run) {
    const unsigned node = rule.runs[run].node;
    if (!is_first_of_its_node(rule, run) || node >= node_words * word_bits) continue;
    unsigned long words[node_words] = {};
    words[node / word_bits] = 1UL << node % word_bits;
    if (set_policy({mode_preferred, {words, node / word_bits + 1}}) != 0) continue;
    for_each_part(rule, pages.count, node, [&pages](Part part) { bring_in(pages, part); });
  }
  const KernelPolicy before{mode, has_nodes ? Mask{nodes, node_words} : Mask{}};
  if (set_policy(before) != 0) (void)set_policy(before);
  // The first run is the first page's in a pattern, and in blocks too: the first part is the
  // longest.
  (void)move_page(pages.first, static_cast<int>(rule.runs[0].node));
}

}  // namespace

void place_allocation(const Pages& pages, const AllocationRule& rule) {
  if (pages.count == 0) return;
  if (rule.kind == AllocationRule::Kind::policy) {
    (void)bind_memory(pages.first, pages.count * pages.page_bytes, rule.policy, move_own_pages);
    return;
  }
  if (rule.run_count > 0) distribute(pages, rule);
}

}  // namespace homenode::agent
