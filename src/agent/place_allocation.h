// Puts the pages of one allocation, or of one piece of static data, where a rule says; finds the
// pieces that the wire text names by file and link-time address in this process, for which it needs
// the dynamic linker's list of objects. Serves allocations.cpp; system calls only.
#pragma once

#include <cstddef>
#include <cstdint>

#include "agent/words.h"
#include "base/shuffle.h"

namespace homenode::agent {

/// The pages of an allocation, counted from the first. `first` is a page's address.
struct Pages {
  std::uintptr_t first = 0;
  std::size_t count = 0;
  std::size_t page_bytes = 0;
};

/// Which pages may be present before: an allocator has written to the first one alone, while of
/// static data any may have been used already.
enum class Present { first, any };

/// Applies a rule: one mbind for a policy; for a distribution one policy call per node, each
/// followed by bringing that node's pages in, which splits no mapping. Those that are present
/// before are moved. Best effort: what the kernel refuses is left as it is, and noted.
void place_pages(const Pages& pages, const AllocationRule& rule, Present present);

/// Whether some of the range was among the last that a distribution placed, where a huge page would
/// swallow the pages of other nodes. True, too, of what is mapped there since that was given back.
bool is_distributed(std::uintptr_t address, std::size_t bytes);

/// How many of `count` pages part `part` of `parts` gets, and which is its first one, when they are
/// as equal as can be (placement/distributions/block.cpp).
struct Part {
  std::size_t first = 0;
  std::size_t count = 0;
};
constexpr Part part_of(std::size_t count, std::size_t parts, std::size_t part) {
  const std::size_t each = count / parts;
  const std::size_t longer = count % parts;
  return {part * each + (part < longer ? part : longer), each + (part < longer ? 1 : 0)};
}

/// Calls use(Part) for each run of `count` pages that a distribution gives to `node`, in order. One
/// call may follow another without a gap. Not for a policy, and for random once it is dealt.
template <class Use>
void for_each_part(const AllocationRule& rule, std::size_t count, unsigned node, Use use) {
  if (rule.kind == AllocationRule::Kind::block) {
    for (std::size_t i = 0; i < rule.run_count; ++i) {
      if (rule.runs[i].node == node) use(part_of(count, rule.run_count, i));
    }
    return;
  }
  for (std::size_t page = 0; page < count;) {
    for (std::size_t i = 0; i < rule.run_count && page < count; ++i) {
      const std::size_t left = count - page;
      const std::size_t run = rule.runs[i].pages < left ? rule.runs[i].pages : left;
      if (rule.runs[i].node == node) use(Part{page, run});
      page += run;
    }
    if (rule.kind == AllocationRule::Kind::map) return;
  }
}

/// Writes the blocks of a random rule in their order, and gives their number. `dealt` has room for
/// one for each block and each node. The order is placement/distributions/random.cpp's: a seed
/// means one map.
inline std::size_t deal_at_random(const AllocationRule& rule, std::size_t pages, PageRun* dealt) {
  const std::size_t each = rule.runs[0].pages;
  const std::size_t blocks = pages / each + (pages % each != 0 ? 1 : 0);
  SplitMix chance(rule.seed);
  PageRun* const order = dealt + blocks;
  for (std::size_t i = 0; i < rule.run_count; ++i) order[i] = rule.runs[i];
  shuffle(order, rule.run_count, chance);
  for (std::size_t i = 0; i < blocks; ++i) dealt[i] = order[i % rule.run_count];
  shuffle(dealt, blocks, chance);
  return blocks;
}

/// Sets `loaded` of all pieces whose file is mapped now; the others keep 0. Programs that the
/// program starts read the same text, and have none of its pieces.
void find_pieces(Words& words);

/// Puts each piece of static data that is here where its rule says.
void place_static_data(const Words& words, std::size_t page_bytes);

/// True when the code at `caller`, to which a call returns, is one of the rule's pieces, or the
/// rule names none.
bool is_asked_from(const AllocationRule& rule, std::uintptr_t caller);

}  // namespace homenode::agent
