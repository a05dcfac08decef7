#include "agent/place_allocation.h"

#include <link.h>
#include <sys/mman.h>

#include <cerrno>

#include "agent/account.h"
#include "agent/calls.h"

namespace homenode::agent {
namespace {

using Kind = AllocationRule::Kind;

constexpr int mode_preferred = 1;            // MPOL_PREFERRED: it never kills, as a full bind does.
constexpr unsigned move_own_pages = 1 << 1;  // MPOL_MF_MOVE
constexpr int populate_write = 23;           // MADV_POPULATE_WRITE, Linux 5.14.
constexpr int cold = 20;                     // MADV_COLD
constexpr std::size_t huge_page_bytes = std::size_t{2} << 20U;
constexpr std::size_t word_bits = sizeof(unsigned long) * 8;

struct NodeMask {
  unsigned long words[node_words] = {};
  [[nodiscard]] bool has(unsigned node) const {
    return (words[node / word_bits] >> node % word_bits & 1U) != 0;
  }
  void insert(unsigned node) { words[node / word_bits] |= 1UL << node % word_bits; }
};

/// What distributions have placed; the oldest is forgotten first.
struct Range {
  std::uintptr_t first = 0;
  std::uintptr_t end = 0;
};
constexpr std::size_t most_ranges = 256;
constinit Range distributed[most_ranges] = {};
constinit std::size_t distributed_count = 0;

/// A reader meanwhile sees no range, or a part of it: then one advice on huge pages is obeyed.
void remember_distributed(const Pages& pages) {
  Range& range =
      distributed[__atomic_fetch_add(&distributed_count, 1, __ATOMIC_RELAXED) % most_ranges];
  __atomic_store_n(&range.end, 0, __ATOMIC_RELEASE);
  __atomic_store_n(&range.first, pages.first, __ATOMIC_RELEASE);
  __atomic_store_n(&range.end, pages.first + pages.count * pages.page_bytes, __ATOMIC_RELEASE);
}

void bring_in(const Pages& pages, Part part) {
  const std::uintptr_t first = pages.first + part.first * pages.page_bytes;
  const int result = advise_memory(first, part.count * pages.page_bytes, populate_write);
  if (result != -EINVAL) {
    (void)noted("madvise", result);
    return;
  }
  for (std::size_t page = 0; page < part.count; ++page) {
    auto* const byte = reinterpret_cast<char*>(first + page * pages.page_bytes);
    __atomic_fetch_or(byte, 0, __ATOMIC_RELAXED);
  }
}

/// Moves those pages of the part that are present to the node.
void move_part(const Pages& pages, Part part, unsigned node) {
  constexpr std::size_t batch = 64;
  std::uintptr_t addresses[batch];
  int status[batch];
  for (std::size_t done = 0; done < part.count; done += batch) {
    const std::size_t count = part.count - done < batch ? part.count - done : batch;
    for (std::size_t i = 0; i < count; ++i) {
      addresses[i] = pages.first + (part.first + done + i) * pages.page_bytes;
      status[i] = 0;
    }
    if (noted("move_pages", move_pages(addresses, count, node, status)) < 0) return;
    for (std::size_t i = 0; i < count; ++i) {
      if (status[i] != -ENOENT && status[i] != -EFAULT) (void)noted("move_pages", status[i]);
    }
  }
}

/// Divides huge pages that are present: they would move as a whole, with what lies beside the part
/// that is to move. MADV_COLD of one page does it, and since Linux 6.12 a split lets go of pages
/// that hold only zeros. Those wholly inside may stay where `edges` alone matter.
void split_huge_pages(const Pages& pages, std::size_t up_to, bool edges) {
  const std::uintptr_t end = pages.first + up_to * pages.page_bytes;
  for (std::uintptr_t page = pages.first; page < end;) {
    const std::uintptr_t unit = page / huge_page_bytes * huge_page_bytes;
    const std::uintptr_t next = unit + huge_page_bytes;
    const bool inside = page == unit && next <= pages.first + pages.count * pages.page_bytes;
    if (!edges || !inside) (void)advise_memory(page, pages.page_bytes, cold);
    page = next;
  }
}

/// How many pages from the first one on may be present. Where the allocator's writing to the first
/// page made it a huge page, all that was in this.
std::size_t count_present(const Pages& pages, Present present) {
  if (present == Present::any) return pages.count;
  const std::uintptr_t second = pages.first + pages.page_bytes;
  const std::size_t left = (huge_page_bytes - pages.first % huge_page_bytes) / pages.page_bytes;
  return may_be_present(second) ? (left < pages.count ? left : pages.count) : 1;
}

/// Calls use(node) once for each node of the runs.
template <class Use>
void for_each_node(const AllocationRule& rule, Use use) {
  NodeMask seen;
  for (std::size_t i = 0; i < rule.run_count; ++i) {
    const unsigned node = rule.runs[i].node;
    if (node >= node_words * word_bits || seen.has(node)) continue;
    seen.insert(node);
    use(node);
  }
}

void distribute(const Pages& pages, const AllocationRule& rule, Present present) {
  int mode = 0;
  NodeMask before;
  if (noted("get_mempolicy", read_policy(mode, before.words, node_words)) < 0) return;
  bool has_nodes = false;
  for (unsigned long word : before.words) has_nodes = has_nodes || word != 0;
  // A huge page would swallow the pages of other nodes.
  (void)advise_memory(pages.first, pages.count * pages.page_bytes, MADV_NOHUGEPAGE);
  split_huge_pages(pages, present == Present::any ? pages.count : 1, false);
  const std::size_t to_move = count_present(pages, present);
  for_each_node(rule, [&](unsigned node) {
    NodeMask only;
    only.insert(node);
    const KernelPolicy policy{mode_preferred, {only.words, node / word_bits + 1}};
    if (noted("set_mempolicy", set_policy(policy)) < 0) return;
    for_each_part(rule, pages.count, node, [&](Part part) { bring_in(pages, part); });
    for_each_part(rule, pages.count, node, [&](Part part) {
      if (part.first >= to_move) return;
      const std::size_t left = to_move - part.first;
      move_part(pages, {part.first, part.count < left ? part.count : left}, node);
    });
  });
  const KernelPolicy kept{mode, has_nodes ? Mask{before.words, node_words} : Mask{}};
  if (set_policy(kept) != 0) (void)noted("set_mempolicy", set_policy(kept));
}

void distribute_at_random(const Pages& pages, const AllocationRule& rule, Present present) {
  const std::size_t each = rule.runs[0].pages;
  const std::size_t blocks = pages.count / each + (pages.count % each != 0 ? 1 : 0);
  const std::size_t bytes = (blocks + rule.run_count) * sizeof(PageRun);
  auto* const dealt = static_cast<PageRun*>(map_memory(bytes));
  if (dealt == nullptr) {
    (void)noted("mmap", -ENOMEM);
    return;
  }
  AllocationRule once = rule;
  once.kind = Kind::map;
  once.runs = dealt;
  once.run_count = deal_at_random(rule, pages.count, dealt);
  distribute(pages, once, present);
  unmap_memory(dealt, bytes);
}

void set_range_policy(const Pages& pages, const AllocationRule& rule, Present present) {
  const std::size_t bytes = pages.count * pages.page_bytes;
  if (present == Present::any) split_huge_pages(pages, pages.count, true);
  if (noted("mbind", bind_memory(pages.first, bytes, rule.policy, move_own_pages)) < 0) return;
  if (!rule.has_home) return;
  (void)noted("set_mempolicy_home_node", set_home_node(pages.first, bytes, rule.home));
  move_part(pages, {0, present == Present::first ? 1 : pages.count}, rule.home);
}

void find_pieces_of(AllocationRule& rule, const FileIdentity& file, std::uintptr_t base) {
  for (std::size_t i = 0; i < rule.piece_count; ++i) {
    Piece& piece = rule.pieces[i];
    if (piece.device != file.device || piece.inode != file.inode) continue;
    piece.loaded = base + static_cast<std::uintptr_t>(piece.address);
  }
}

/// The list starts with the program, which has no name in it.
int find_pieces_in(dl_phdr_info* object, std::size_t /*bytes*/, void* argument) {
  auto& words = *static_cast<Words*>(argument);
  const bool is_program = object->dlpi_name == nullptr || *object->dlpi_name == '\0';
  FileIdentity file;
  const int result = identify_file(is_program ? "/proc/self/exe" : object->dlpi_name, file);
  if (result < 0) {
    // The kernel's own object has a name and no file.
    if (result != -ENOENT) (void)noted("newfstatat", result);
    return 0;
  }
  for (std::size_t i = 0; i < words.rule_count; ++i) {
    find_pieces_of(words.rules[i], file, object->dlpi_addr);
  }
  for (std::size_t i = 0; i < words.data_count; ++i) {
    find_pieces_of(words.data[i], file, object->dlpi_addr);
  }
  return 0;
}

}  // namespace

void place_pages(const Pages& pages, const AllocationRule& rule, Present present) {
  if (pages.count == 0) return;
  if (rule.kind == Kind::policy) return set_range_policy(pages, rule, present);
  if (rule.run_count == 0) return;
  remember_distributed(pages);
  if (rule.kind == Kind::random) return distribute_at_random(pages, rule, present);
  distribute(pages, rule, present);
}

bool is_distributed(std::uintptr_t address, std::size_t bytes) {
  for (const Range& range : distributed) {
    const std::uintptr_t end = __atomic_load_n(&range.end, __ATOMIC_ACQUIRE);
    const std::uintptr_t first = __atomic_load_n(&range.first, __ATOMIC_ACQUIRE);
    if (address < end && first < address + bytes) return true;
  }
  return false;
}

void find_pieces(Words& words) {
  std::size_t pieces = 0;
  for (std::size_t i = 0; i < words.rule_count; ++i) pieces += words.rules[i].piece_count;
  for (std::size_t i = 0; i < words.data_count; ++i) pieces += words.data[i].piece_count;
  if (pieces > 0) dl_iterate_phdr(find_pieces_in, &words);
}

void place_static_data(const Words& words, std::size_t page_bytes) {
  const std::uintptr_t within = page_bytes - 1;
  for (std::size_t i = 0; i < words.data_count; ++i) {
    const AllocationRule& rule = words.data[i];
    for (std::size_t each = 0; each < rule.piece_count; ++each) {
      const Piece& piece = rule.pieces[each];
      if (piece.loaded == 0) continue;
      const std::uintptr_t first = piece.loaded & ~within;
      const std::uintptr_t end = (piece.loaded + piece.bytes + within) & ~within;
      const std::size_t count = (end - first) / page_bytes;
      place_pages({first, count, page_bytes}, rule, Present::any);
      count_data(count);
    }
  }
}

bool is_asked_from(const AllocationRule& rule, std::uintptr_t caller) {
  if (rule.pieces == nullptr) return true;
  for (std::size_t i = 0; i < rule.piece_count; ++i) {
    const Piece& piece = rule.pieces[i];
    // A call at the very end of a function returns behind it.
    if (piece.loaded != 0 && piece.loaded < caller && caller - piece.loaded <= piece.bytes) {
      return true;
    }
  }
  return false;
}

}  // namespace homenode::agent
