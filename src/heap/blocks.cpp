#include "heap/blocks.h"

#include <dlfcn.h>

#include <cerrno>
#include <cstring>

#include "heap/huge.h"
#include "heap/process.h"
#include "heap/statistics.h"

namespace homenode::heap {
namespace {

/// The next library's function of that name, which is libc's; null in a static program.
template <class Function>
Function* following(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

constexpr std::size_t largest_run_alignment = std::size_t{4} << 20;

std::size_t slices_for(std::size_t bytes) {
  return (bytes + slice_bytes - 1) / slice_bytes;
}

Thread* somebody() {
  Thread* const thread = self;
  return thread != &nobody ? thread : start_thread();
}

/// A block that grows by steps is worth a mapping of its own from here on: it moves without a copy.
constexpr std::size_t growing_bytes = std::size_t{1} << 20;
/// And a slice from here on: it grows there where it is, and the rest of the slice is no memory
/// until it is touched, while a page of its size would hold memory for other blocks. With huge
/// pages the rest is memory: a small arena may have four times a block's bytes for it, others
/// twice.
constexpr std::size_t run_bytes = 16 << 10;
constexpr std::size_t run_bytes_of_large_arena = 32 << 10;
constexpr std::size_t small_arena_slices = (std::size_t{64} << 20) / slice_bytes;
/// What no chunk has room for may have a mapping of its own from here on.
constexpr std::size_t least_huge_bytes = std::size_t{16} << 20;
/// Of a block of so much, most of a huge page that is touched will be used, and the processor does
/// not know where so many small pages are. Pages of small blocks stay small: of many threads, each
/// with a page for each size, most is never touched.
constexpr std::size_t least_in_huge_pages = std::size_t{4} << 20;

/// In the hardened build, ends the program when no block in use starts there.
/// pre: the memory is in a chunk.
void check_block(const Page& page, const void* memory) {
  if (!hardened) return;
  if (page.kind == Kind::unused) die("not a block in use", memory);
  if (page.kind != Kind::large) {
    check_start(page, memory);
  } else if (memory_of(page) != memory) {
    die("not the start of a block", memory);
  }
}

void* resize_large(void* memory, Page& page, std::size_t bytes) {
  const std::size_t slices = slices_for(bytes);
  if (bytes > run_bytes && slices <= largest_run) {
    if (slices == page.carved) return memory;
    if (slices < page.carved) {
      shrink_slices(page, static_cast<unsigned>(slices));
      return memory;
    }
    if (extend_slices(page, static_cast<unsigned>(slices))) return memory;
  }
  return nullptr;
}

/// Where a block that grows has room to go on. Null: nothing but memory like any other.
void* room_to_grow(std::size_t had, std::size_t bytes) {
  if (had <= run_bytes / 4 || bytes <= run_bytes || bytes <= had) return nullptr;
  Thread* const thread = somebody();
  if (thread == nullptr) return nullptr;
  write_if_asked();
  follow_cpu(*thread);
  CoreHeap& heap = *thread->heap;
  if (bytes > growing_bytes) return allocate_huge(heap, bytes, granule_bytes);
  if (bytes <= run_bytes_of_large_arena && slices_in_use(*heap.arena) > small_arena_slices) {
    return nullptr;
  }
  bool zeroed = false;
  return allocate_large(heap, bytes, granule_bytes, zeroed);
}

/// What grows by little will again: a quarter more saves it most of the copies, and the sizes in
/// between their pages.
std::size_t with_slack(std::size_t had, std::size_t bytes) {
  const bool by_little = bytes > had && bytes - had < had / 8;
  const std::size_t wanted = had + had / 4;
  return by_little && wanted <= small_bytes ? wanted : bytes;
}

/// A block of another node's arena for a thread whose own has no memory left, and can get none:
/// free memory stays its arena's, and the kernel counts it as the process's. The thread asks there
/// as one that has moved, and is back home when it has its block. Null: none has room.
void* allocate_elsewhere(Thread& thread, std::size_t bytes, std::size_t alignment, bool& zeroed) {
  const bool never = is_uniform() || settings().policy == Policy::strict;
  if (never || bytes > huge_bytes) return nullptr;
  CoreHeap* const home = thread.heap;
  void* memory = nullptr;
  thread.stays = true;  // Wherever the kernel moves it meanwhile.
  for_node_arenas([&](Arena& arena) {
    CoreHeap* const lender = arena.heaps.load_acquire();
    if (memory != nullptr || lender == nullptr || &arena == home->arena) return;
    return_leases(thread);
    thread.heap = lender;
    memory = allocate_in(thread, bytes, alignment, zeroed);
    if (memory != nullptr) arena.lent_blocks.add_relaxed(1);
  });
  return_leases(thread);
  thread.heap = home;
  thread.stays = false;
  return memory;
}

void* allocate_anywhere(Thread& thread, std::size_t bytes, std::size_t alignment, bool& zeroed) {
  void* const memory = allocate_in(thread, bytes, alignment, zeroed);
  return memory != nullptr ? memory : allocate_elsewhere(thread, bytes, alignment, zeroed);
}

/// For what is too rare for a fast way.
void* allocate_here(std::size_t bytes, std::size_t alignment, bool& zeroed) {
  Thread* const thread = somebody();
  if (thread == nullptr) return nullptr;
  write_if_asked();
  follow_cpu(*thread);
  return allocate_anywhere(*thread, bytes, alignment, zeroed);
}

}  // namespace

void* allocate_large(CoreHeap& heap, std::size_t bytes, std::size_t alignment, bool& zeroed) {
  zeroed = true;
  if (bytes > most_bytes) return nullptr;
  if (bytes > huge_bytes || alignment > largest_run_alignment) {
    return allocate_huge(heap, bytes, alignment);
  }
  const std::size_t slices = bytes == 0 ? 1 : slices_for(bytes);
  const std::size_t apart = alignment <= slice_bytes ? 1 : alignment / slice_bytes;
  Page* const page = take_slices(heap, Kind::large, static_cast<unsigned>(slices),
                                 static_cast<unsigned>(apart), zeroed);
  if (page != nullptr) {
    char* const memory = memory_of(*page);
    if (bytes >= least_in_huge_pages) want_huge_pages(*heap.arena, memory, bytes);
    return memory;
  }
  // A mapping of just the block takes less than a chunk.
  return bytes > least_huge_bytes ? allocate_huge(heap, bytes, alignment) : nullptr;
}

void* allocate_in(Thread& thread, std::size_t bytes, std::size_t alignment, bool& zeroed) {
  zeroed = false;
  if (bytes > most_bytes) return nullptr;
  if (alignment > granule_bytes) {
    if (bytes + alignment < bytes) return nullptr;
    // Every class that such a size falls in is a multiple of the alignment.
    bytes = bytes == 0 ? alignment : (bytes + alignment - 1) & ~(alignment - 1);
  }
  if (bytes > medium_bytes || alignment > slice_bytes) {
    return allocate_large(*thread.heap, bytes, alignment, zeroed);
  }
  if (bytes == 0) bytes = 1;
  return allocate_class(thread, bytes <= small_bytes ? small_class(bytes) : compute_class(bytes),
                        bytes);
}

void* allocate_slow(Thread* thread, std::size_t bytes) {
  bool zeroed = false;
  if (thread == &nobody && (thread = start_thread()) == nullptr) {
    errno = ENOMEM;
    return nullptr;
  }
  write_if_asked();
  if (*thread->cpu_now != thread->cpu || (thread->cpu_now == &thread->cpu && !is_uniform())) {
    follow_cpu(*thread);
  }
  void* const memory = allocate_anywhere(*thread, bytes, granule_bytes, zeroed);
  if (memory == nullptr) errno = ENOMEM;
  return memory;
}

void* allocate_aligned(std::size_t bytes, std::size_t alignment) {
  if (alignment <= granule_bytes) return allocate(bytes);
  if (bytes > most_bytes - alignment) return nullptr;
  const std::size_t rounded = (bytes + alignment - 1) & ~(alignment - 1);
  if (alignment <= slice_bytes && rounded <= medium_bytes) {
    return allocate(rounded == 0 ? alignment : rounded);
  }
  bool zeroed = false;
  return allocate_here(bytes, alignment, zeroed);
}

void* allocate_zeroed(std::size_t bytes) {
  if (bytes <= medium_bytes) {
    void* const memory = allocate(bytes);
    return memory == nullptr ? nullptr : std::memset(memory, 0, bytes);
  }
  bool zeroed = false;
  void* const memory = allocate_here(bytes, granule_bytes, zeroed);
  if (memory != nullptr && !zeroed) std::memset(memory, 0, bytes);
  return memory;
}

std::size_t usable_bytes(const void* memory) {
  switch (ground_of(memory)) {
    case Ground::foreign:
      return 0;
    case Ground::huge:
      return usable_huge(memory);
    case Ground::chunk:
      break;
  }
  const Page& page = page_of(memory);
  return page.kind == Kind::large ? page.carved * slice_bytes : page.block_bytes;
}

bool is_ours(const void* memory) {
  return ground_of(memory) != Ground::foreign;
}

Arena* arena_of_block(const void* memory) {
  switch (ground_of(memory)) {
    case Ground::foreign:
      return nullptr;
    case Ground::huge:
      return arena_of_huge(memory);
    case Ground::chunk:
      break;
  }
  return chunk_of(page_of(memory)).arena;
}

void* resize_in_place(void* memory, std::size_t bytes) {
  if (bytes > most_bytes) return nullptr;
  if (ground_of(memory) == Ground::huge) {
    return bytes > growing_bytes ? resize_huge(memory, bytes) : nullptr;
  }
  Page& page = page_of(memory);
  check_block(page, memory);
  if (page.kind == Kind::large) return resize_large(memory, page, bytes);
  return bytes <= page.block_bytes && bytes > page.block_bytes / 2 ? memory : nullptr;
}

void* resize(void* memory, std::size_t bytes) {
  if (void* const same = resize_in_place(memory, bytes); same != nullptr) return same;
  if (bytes > most_bytes) return nullptr;
  const std::size_t had = usable_bytes(memory);
  void* other = room_to_grow(had, bytes);
  if (other == nullptr) other = allocate(with_slack(had, bytes));
  if (other == nullptr) return bytes <= had ? memory : nullptr;
  std::memcpy(other, memory, bytes < had ? bytes : had);
  release(memory);
  return other;
}

void release_elsewhere(void* memory) {
  if (memory == nullptr) return;
  if (ground_of(memory) == Ground::huge) {
    // Before it is gone: whoever frees it again then finds it here.
    remember_freed(memory);
    if (!release_huge(memory)) die("not the start of a block", memory);
    return;
  }
  release_foreign(memory);
}

void release_foreign(void* memory) {
  check_not_freed(memory);
  using Free = void(void*);
  static constinit Free* libc_free = nullptr;
  if (libc_free == nullptr) libc_free = following<Free>("free");
  if (libc_free == nullptr) die("not a block that this program allocated", memory);
  libc_free(memory);
}

void* resize_foreign(void* memory, std::size_t bytes) {
  check_not_freed(memory);
  using Realloc = void*(void*, std::size_t);
  static constinit Realloc* libc_realloc = nullptr;
  if (libc_realloc == nullptr) libc_realloc = following<Realloc>("realloc");
  if (libc_realloc == nullptr) die("not a block that this program allocated", memory);
  return libc_realloc(memory, bytes);
}

std::size_t usable_foreign(void* memory) {
  using Usable = std::size_t(void*);
  static constinit Usable* libc_usable = nullptr;
  if (libc_usable == nullptr) libc_usable = following<Usable>("malloc_usable_size");
  return libc_usable == nullptr ? 0 : libc_usable(memory);
}

}  // namespace homenode::heap
