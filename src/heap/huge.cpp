#include "heap/huge.h"

#include "heap/process.h"

namespace homenode::heap {
namespace {

struct Huge {
  char* mapping;
  char* memory;  ///< What the program has; null while the record is unused.
  std::size_t mapped_bytes;
  Arena* arena;
  Huge* next;  ///< Of all, or of the unused.
};

constinit Huge* all = nullptr;
constinit Huge* unused = nullptr;
/// The record of the block that starts in a piece of 64 MiB. There is at most one, because
/// mappings start at multiples of that.
constinit Huge* starts[ground_count] = {};

constexpr std::size_t page_bytes = 4096;

std::size_t round_up(std::size_t bytes, std::size_t unit) {
  return (bytes + unit - 1) & ~(unit - 1);
}

std::size_t index_of(const void* address) {
  return reinterpret_cast<std::uintptr_t>(address) >> chunk_shift;
}

/// pre: the lock is held.
Huge* find(const void* memory) {
  if (index_of(memory) >= ground_count) return nullptr;
  Huge* const huge = starts[index_of(memory)];
  return huge != nullptr && huge->memory == memory ? huge : nullptr;
}

/// pre: the lock is held.
void enter(Huge& huge) {
  starts[index_of(huge.memory)] = &huge;
  const std::size_t last = index_of(huge.mapping + huge.mapped_bytes - 1);
  for (std::size_t i = index_of(huge.mapping); i <= last; ++i) set_ground(i, Ground::huge);
}

void leave(const Huge& huge) {
  starts[index_of(huge.memory)] = nullptr;
  const std::size_t last = index_of(huge.mapping + huge.mapped_bytes - 1);
  for (std::size_t i = index_of(huge.mapping); i <= last; ++i) set_ground(i, Ground::foreign);
}

Huge* new_record() {
  {
    const Guard guard(huge_lock);
    if (Huge* const record = unused; record != nullptr) {
      unused = record->next;
      return record;
    }
  }
  return static_cast<Huge*>(meta_allocate(sizeof(Huge)));
}

/// Arrays that all start at the same offset of a large power of two fall on the same cache sets.
/// None starts with its mapping, where the header stands.
std::size_t next_colour() {
  static constinit unsigned count = 0;
  constexpr std::size_t step = 4096 + 256;
  return (1 + __atomic_fetch_add(&count, 1U, __ATOMIC_RELAXED) % 15) * step;
}

/// How far behind its mapping's start a block begins. One that is aligned to much has no room for
/// a header before it that would not cost as much as the block.
std::size_t offset_for(std::size_t alignment) {
  constexpr std::size_t most = std::size_t{2} << 20;
  if (alignment <= 256) return next_colour();
  if (alignment > most) return 0;
  return alignment < page_bytes ? page_bytes : alignment;
}

/// pre: the lock is held, or nobody else knows the block.
void sign(const Huge& huge) {
  if (huge.memory != huge.mapping) sign(*huge.arena, *reinterpret_cast<HeapHeader*>(huge.mapping));
}

/// Takes a record out of the list of all. pre: the lock is held.
void forget(Huge& huge) {
  leave(huge);
  Huge** link = &all;
  while (*link != &huge) link = &(*link)->next;
  *link = huge.next;
}

void keep_record(Huge& huge) {
  const Guard guard(huge_lock);
  huge.memory = nullptr;
  huge.next = unused;
  unused = &huge;
}

/// pre: the lock is held; the record is not in the tables.
void* resize_mapping(Huge& huge, std::size_t colour, std::size_t wanted) {
  if (system::resize(huge.mapping, huge.mapped_bytes, wanted) == 0) {
    huge.mapped_bytes = wanted;
    return huge.memory;
  }
  auto* const target = static_cast<char*>(system::map(wanted, chunk_bytes));
  if (target == nullptr) return nullptr;
  if (index_of(target + wanted) >= ground_count ||
      system::move(huge.mapping, huge.mapped_bytes, target, wanted) != 0) {
    (void)system::unmap(target, wanted);
    return nullptr;
  }
  huge.mapping = target;
  huge.memory = target + colour;
  huge.mapped_bytes = wanted;
  sign(huge);
  return huge.memory;
}

}  // namespace

constinit Lock huge_lock;

void* allocate_huge(Arena& arena, std::size_t bytes, std::size_t alignment) {
  const std::size_t colour = offset_for(alignment);
  const std::size_t mapped = round_up(bytes + colour, page_bytes);
  if (mapped < bytes) return nullptr;
  Huge* const huge = new_record();
  if (huge == nullptr) return nullptr;
  auto* const mapping =
      static_cast<char*>(system::map(mapped, alignment > chunk_bytes ? alignment : chunk_bytes));
  if (mapping == nullptr || index_of(mapping + mapped) >= ground_count) {
    if (mapping != nullptr) (void)system::unmap(mapping, mapped);
    keep_record(*huge);
    return nullptr;
  }
  own(arena, mapping, mapped);
  const Guard guard(huge_lock);
  *huge = {mapping, mapping + colour, mapped, &arena, all};
  all = huge;
  enter(*huge);
  sign(*huge);
  return huge->memory;
}

bool release_huge(void* memory) {
  Huge* huge = nullptr;
  {
    const Guard guard(huge_lock);
    huge = find(memory);
    if (huge == nullptr) return false;
    forget(*huge);
  }
  (void)system::unmap(huge->mapping, huge->mapped_bytes);
  keep_record(*huge);
  return true;
}

std::size_t usable_huge(const void* memory) {
  const Guard guard(huge_lock);
  const Huge* const huge = find(memory);
  if (huge == nullptr) return 0;
  return huge->mapped_bytes - static_cast<std::size_t>(huge->memory - huge->mapping);
}

Arena* arena_of_huge(const void* memory) {
  const Guard guard(huge_lock);
  const Huge* const huge = find(memory);
  return huge == nullptr ? nullptr : huge->arena;
}

void* resize_huge(void* memory, std::size_t bytes) {
  const Guard guard(huge_lock);
  Huge* const huge = find(memory);
  if (huge == nullptr) return nullptr;
  const auto colour = static_cast<std::size_t>(huge->memory - huge->mapping);
  const std::size_t wanted = round_up(bytes + colour, page_bytes);
  if (wanted < bytes) return nullptr;
  if (wanted == huge->mapped_bytes) return memory;
  // Out of the tables before an address is given up: another thread may map it at once.
  leave(*huge);
  void* const resized = resize_mapping(*huge, colour, wanted);
  enter(*huge);
  return resized;
}

void release_all_huge(const Arena& arena) {
  for (;;) {
    void* memory = nullptr;
    {
      const Guard guard(huge_lock);
      for (const Huge* huge = all; huge != nullptr && memory == nullptr; huge = huge->next) {
        if (huge->arena == &arena) memory = huge->memory;
      }
    }
    if (memory == nullptr) return;
    (void)release_huge(memory);
  }
}

int rebind_huge(const Arena& arena, bool move) {
  const Guard guard(huge_lock);
  int result = 0;
  for (const Huge* huge = all; huge != nullptr; huge = huge->next) {
    if (huge->arena != &arena) continue;
    const int one = apply(arena.policy, huge->mapping, huge->mapped_bytes, arena.nodes, move);
    if (one != 0) result = one;
    sign(*huge);
  }
  return result;
}

HugeTotals count_huge(const Arena& arena) {
  const Guard guard(huge_lock);
  HugeTotals totals{};
  for (const Huge* huge = all; huge != nullptr; huge = huge->next) {
    if (huge->arena != &arena) continue;
    ++totals.blocks;
    totals.bytes += huge->mapped_bytes;
  }
  return totals;
}

}  // namespace homenode::heap
