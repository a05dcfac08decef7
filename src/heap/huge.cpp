#include "heap/huge.h"

#include "heap/process.h"

namespace homenode::heap {

constinit Lock huge_lock;

namespace {

struct Huge {
  char* mapping;
  char* memory;  ///< What the program has; null while the record is unused.
  std::size_t mapped_bytes;
  CoreHeap* heap;  ///< Whose thread asked for it.
  Huge* next;      ///< Of all, or of the unused.
};

constinit Huge* all HN_GUARDED_BY(huge_lock) = nullptr;
constinit Huge* unused HN_GUARDED_BY(huge_lock) = nullptr;
constexpr std::size_t page_bytes = 4096;

/// The record of the block that starts in a piece of 64 MiB. There is at most one, because
/// mappings start at multiples of that. In parts that come with their first block.
constexpr std::size_t part_count = 4096;
constinit Huge** starts[ground_count / part_count] HN_GUARDED_BY(huge_lock) = {};

std::size_t round_up(std::size_t bytes, std::size_t unit) {
  return (bytes + unit - 1) & ~(unit - 1);
}

std::size_t index_of(const void* address) {
  return reinterpret_cast<std::uintptr_t>(address) >> chunk_shift;
}

/// Where the record is noted whose block starts there; null when the part has none.
Huge** start_of(const void* memory) HN_REQUIRES(huge_lock) {
  Huge** const part = starts[index_of(memory) / part_count];
  return part == nullptr ? nullptr : part + index_of(memory) % part_count;
}

/// Has start_of() know the place. False when there is no memory for that.
bool make_start(const void* memory) HN_REQUIRES(huge_lock) {
  Huge**& part = starts[index_of(memory) / part_count];
  if (part == nullptr) {
    part = static_cast<Huge**>(system::map(part_count * sizeof(void*), page_bytes));
  }
  return part != nullptr;
}

Huge* find(const void* memory) HN_REQUIRES(huge_lock) {
  if (index_of(memory) >= ground_count) return nullptr;
  Huge** const start = start_of(memory);
  Huge* const huge = start == nullptr ? nullptr : *start;
  return huge != nullptr && huge->memory == memory ? huge : nullptr;
}

void enter(Huge& huge) HN_REQUIRES(huge_lock) {
  *start_of(huge.memory) = &huge;
  const std::size_t last = index_of(huge.mapping + huge.mapped_bytes - 1);
  for (std::size_t i = index_of(huge.mapping); i <= last; ++i) set_ground(i, Ground::huge);
}

void leave(const Huge& huge) HN_REQUIRES(huge_lock) {
  *start_of(huge.memory) = nullptr;
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
  static constinit Atomic<unsigned> count;
  constexpr std::size_t step = 4096 + 256;
  return (1 + count.add_relaxed(1U) % 15) * step;
}

/// How far behind its mapping's start a block begins: there is room for the header, at the price of
/// a page of memory and as much address space as the alignment takes, up to a chunk.
std::size_t offset_for(std::size_t alignment) {
  if (alignment <= 256) return next_colour();
  if (alignment < page_bytes) return page_bytes;
  return alignment < chunk_bytes ? alignment : chunk_bytes;
}

/// A mapping of so many bytes, at a multiple of a chunk's, that is aligned at its offset. Null when
/// there is no memory.
char* map_for(std::size_t bytes, std::size_t alignment, std::size_t offset) {
  if (offset == 0 || alignment <= chunk_bytes) {
    return static_cast<char*>(
        system::map(bytes, alignment > chunk_bytes ? alignment : chunk_bytes));
  }
  const std::size_t before = alignment - offset;
  if (bytes + before < bytes) return nullptr;
  auto* const wide = static_cast<char*>(system::map(bytes + before, alignment));
  if (wide == nullptr) return nullptr;
  (void)system::unmap(wide, before);
  return wide + before;
}

/// pre: the lock is held, or nobody else knows the block.
void sign(const Huge& huge) {
  if (huge.memory == huge.mapping) return;
  sign(*huge.heap->arena, *reinterpret_cast<HeapHeader*>(huge.mapping));
}

/// Takes a record out of the list of all.
void forget(Huge& huge) HN_REQUIRES(huge_lock) {
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

/// Has the tables know the place of a block that is new. False where it cannot be in them.
bool can_enter(const char* memory, const char* end) {
  if (index_of(end) >= ground_count) return false;
  const Guard guard(huge_lock);
  return make_start(memory);
}

/// pre: the record is not in the tables.
void* resize_mapping(Huge& huge, std::size_t colour, std::size_t wanted) HN_REQUIRES(huge_lock) {
  if (system::resize(huge.mapping, huge.mapped_bytes, wanted) == 0) {
    huge.mapped_bytes = wanted;
    return huge.memory;
  }
  auto* const target = static_cast<char*>(system::map(wanted, chunk_bytes));
  if (target == nullptr) return nullptr;
  remember_freed(huge.memory);
  if (index_of(target + wanted) >= ground_count || !make_start(target + colour) ||
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

void* allocate_huge(CoreHeap& heap, std::size_t bytes, std::size_t alignment) {
  std::size_t offset = offset_for(alignment);
  std::size_t mapped = round_up(bytes + offset, page_bytes);
  if (mapped < bytes) return nullptr;
  Huge* const huge = new_record();
  if (huge == nullptr) return nullptr;
  char* mapping = map_for(mapped, alignment, offset);
  if (mapping == nullptr && alignment > page_bytes) {  // Then without a header.
    mapped -= offset;
    offset = 0;
    mapping = map_for(mapped, alignment, offset);
  }
  if (mapping == nullptr || !can_enter(mapping + offset, mapping + mapped)) {
    if (mapping != nullptr) (void)system::unmap(mapping, mapped);
    keep_record(*huge);
    return nullptr;
  }
  own(heap, mapping, mapped);
  want_huge_pages(*heap.arena, mapping, mapped);
  add_usage(heap, mapped);
  const Guard guard(huge_lock);
  *huge = {mapping, mapping + offset, mapped, &heap, all};
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
  subtract_usage(*huge->heap, huge->mapped_bytes);
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
  return huge == nullptr ? nullptr : huge->heap->arena;
}

void* resize_huge(void* memory, std::size_t bytes) {
  void* resized = nullptr;
  CoreHeap* heap = nullptr;
  std::size_t had = 0;
  std::size_t has = 0;
  {
    const Guard guard(huge_lock);
    Huge* const huge = find(memory);
    if (huge == nullptr) return nullptr;
    const auto offset = static_cast<std::size_t>(huge->memory - huge->mapping);
    const std::size_t wanted = round_up(bytes + offset, page_bytes);
    if (wanted < bytes) return nullptr;
    if (wanted == huge->mapped_bytes) return memory;
    heap = huge->heap;
    had = huge->mapped_bytes;
    // Out of the tables before an address is given up: another thread may map it at once.
    leave(*huge);
    resized = resize_mapping(*huge, offset, wanted);
    enter(*huge);
    has = huge->mapped_bytes;
  }
  if (has > had) add_usage(*heap, has - had);
  if (has < had) subtract_usage(*heap, had - has);
  return resized;
}

void release_all_huge(const Arena& arena) {
  for (;;) {
    void* memory = nullptr;
    {
      const Guard guard(huge_lock);
      for (const Huge* huge = all; huge != nullptr && memory == nullptr; huge = huge->next) {
        if (huge->heap->arena == &arena) memory = huge->memory;
      }
    }
    if (memory == nullptr) return;
    (void)release_huge(memory);
  }
}

void rebind_huge(const Arena& arena) {
  const Guard guard(huge_lock);
  for (const Huge* huge = all; huge != nullptr; huge = huge->next) {
    if (huge->heap->arena != &arena) continue;
    bind_anew(*huge->heap, huge->mapping, huge->mapped_bytes);
    sign(*huge);
  }
}

HugeTotals count_huge(const Arena& arena) {
  const Guard guard(huge_lock);
  HugeTotals totals{};
  for (const Huge* huge = all; huge != nullptr; huge = huge->next) {
    if (huge->heap->arena != &arena) continue;
    ++totals.blocks;
    totals.bytes += huge->mapped_bytes;
  }
  return totals;
}

std::size_t huge_bytes_of(const CoreHeap& heap) {
  const Guard guard(huge_lock);
  std::size_t bytes = 0;
  for (const Huge* huge = all; huge != nullptr; huge = huge->next) {
    if (huge->heap == &heap) bytes += huge->mapped_bytes;
  }
  return bytes;
}

void add_spilled_huge(const Arena& arena, Spilled& sum) {
  const Guard guard(huge_lock);
  for (const Huge* huge = all; huge != nullptr; huge = huge->next) {
    if (huge->heap->arena == &arena) add_spilled(arena, huge->mapping, huge->mapped_bytes, sum);
  }
}

}  // namespace homenode::heap
