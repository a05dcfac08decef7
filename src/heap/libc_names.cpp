// The names of libc under which a program asks for memory, as the C and POSIX standards and glibc's
// manual have them. Serves every program that the library is loaded into or linked with.
#include <malloc.h>
#include <unistd.h>

#include <bit>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstring>

#include "heap/blocks.h"
#include "heap/process.h"
#include "heap/purge.h"
#include "heap/statistics.h"

using namespace homenode::heap;

#define HN_EXPORT [[gnu::visibility("default")]]

namespace {

void* given(void* memory) {
  if (memory == nullptr) [[unlikely]]
    errno = ENOMEM;
  return memory;
}

std::size_t system_page_bytes() {
  static constinit homenode::Atomic<std::size_t> bytes;
  std::size_t known = bytes.load_relaxed();
  if (known == 0) {
    known = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    bytes.store_relaxed(known);
  }
  return known;
}

/// glibc rounds an alignment that is no power of two up to one; so does this.
void* aligned(std::size_t alignment, std::size_t bytes) {
  if (alignment > most_bytes / 2) {
    errno = EINVAL;
    return nullptr;
  }
  return given(allocate_aligned(bytes, std::bit_ceil(alignment == 0 ? 1 : alignment)));
}

}  // namespace

extern "C" {

HN_EXPORT void* malloc(std::size_t bytes) {
  return allocate(bytes);
}

HN_EXPORT void free(void* memory) {
  release(memory);
}

HN_EXPORT void* calloc(std::size_t count, std::size_t each) {
  std::size_t bytes = 0;
  if (__builtin_mul_overflow(count, each, &bytes)) return given(nullptr);
  return given(allocate_zeroed(bytes));
}

HN_EXPORT void* realloc(void* memory, std::size_t bytes) {
  if (memory == nullptr) return allocate(bytes);
  if (bytes == 0) {  // As glibc does; C23 leaves it undefined.
    release(memory);
    return nullptr;
  }
  if (!is_ours(memory)) return resize_foreign(memory, bytes);
  return given(resize(memory, bytes));
}

HN_EXPORT void* reallocarray(void* memory, std::size_t count, std::size_t each) {
  std::size_t bytes = 0;
  if (__builtin_mul_overflow(count, each, &bytes)) return given(nullptr);
  return realloc(memory, bytes);
}

HN_EXPORT void* memalign(std::size_t alignment, std::size_t bytes) {
  return aligned(alignment, bytes);
}

HN_EXPORT void* aligned_alloc(std::size_t alignment, std::size_t bytes) {
  return aligned(alignment, bytes);
}

HN_EXPORT int posix_memalign(void** memory, std::size_t alignment, std::size_t bytes) {
  if (!std::has_single_bit(alignment) || alignment % sizeof(void*) != 0) return EINVAL;
  void* const got = allocate_aligned(bytes, alignment);
  if (got == nullptr) return ENOMEM;
  *memory = got;
  return 0;
}

HN_EXPORT void* valloc(std::size_t bytes) {
  return given(allocate_aligned(bytes, system_page_bytes()));
}

HN_EXPORT void* pvalloc(std::size_t bytes) {
  const std::size_t page = system_page_bytes();
  if (bytes > most_bytes - page) return given(nullptr);
  return given(allocate_aligned((bytes + page - 1) / page * page, page));
}

HN_EXPORT void cfree(void* memory) {
  release(memory);
}

HN_EXPORT void free_sized(void* memory, std::size_t /*bytes*/) {
  release(memory);
}

HN_EXPORT void free_aligned_sized(void* memory, std::size_t /*alignment*/, std::size_t /*bytes*/) {
  release(memory);
}

HN_EXPORT std::size_t malloc_usable_size(void* memory) {
  if (memory == nullptr) return 0;
  return is_ours(memory) ? usable_bytes(memory) : usable_foreign(memory);
}

HN_EXPORT int malloc_trim(std::size_t /*keep*/) {
  Thread* const thread = self;
  if (thread != &nobody) {
    send_parcels(*thread);
    free_spares(*thread);
  }
  bool any = false;
  for_arenas([&](Arena& arena) {
    any = reclaim_listed(arena) || any;
    any = purge(arena) || any;
  });
  return any ? 1 : 0;
}

/// What glibc knows is accepted in glibc's ranges, because programs look at the answer. Only
/// M_TRIM_THRESHOLD has an effect: the others are about parts that there are not here.
HN_EXPORT int mallopt(int parameter, int value) {
  constexpr int largest_fast_bytes = 80 * sizeof(std::size_t) / 4;
  switch (parameter) {
    case M_TRIM_THRESHOLD:
      keep_free(value);
      return 1;
    case M_MXFAST:
      return value >= 0 && value <= largest_fast_bytes ? 1 : 0;
    case M_NLBLKS:
    case M_GRAIN:
    case M_KEEP:
    case M_TOP_PAD:
    case M_MMAP_THRESHOLD:
    case M_MMAP_MAX:
    case M_CHECK_ACTION:
    case M_PERTURB:
    case M_ARENA_TEST:
    case M_ARENA_MAX:
      return 1;
    default:
      return 0;
  }
}

HN_EXPORT struct mallinfo2 mallinfo2() {
  const Totals totals = count_all();
  struct mallinfo2 info {};
  info.arena = totals.committed_bytes;
  info.ordblks = totals.free_pages;
  info.hblks = totals.huge_blocks;
  info.hblkhd = totals.huge_bytes;
  info.uordblks = totals.live_bytes;
  info.fordblks =
      totals.committed_bytes > totals.live_bytes ? totals.committed_bytes - totals.live_bytes : 0;
  info.keepcost = totals.kept_bytes;
  return info;
}

HN_EXPORT struct mallinfo mallinfo() {
  const struct mallinfo2 wide = mallinfo2();
  const auto narrow = [](std::size_t n) { return static_cast<int>(n); };  // As glibc: it wraps.
  struct mallinfo info {};
  info.arena = narrow(wide.arena);
  info.ordblks = narrow(wide.ordblks);
  info.hblks = narrow(wide.hblks);
  info.hblkhd = narrow(wide.hblkhd);
  info.uordblks = narrow(wide.uordblks);
  info.fordblks = narrow(wide.fordblks);
  info.keepcost = narrow(wide.keepcost);
  return info;
}

HN_EXPORT void malloc_stats() {
  write_statistics(2);
}

HN_EXPORT int malloc_info(int options, FILE* stream) {
  if (options != 0) return EINVAL;
  const Totals totals = count_all();
  std::fprintf(stream,
               "<malloc version=\"1\">\n<system type=\"current\" size=\"%zu\"/>\n"
               "<system type=\"max\" size=\"%zu\"/>\n<total type=\"live\" size=\"%zu\"/>\n"
               "<total type=\"mmap\" count=\"%zu\" size=\"%zu\"/>\n</malloc>\n",
               totals.committed_bytes, totals.peak_bytes, totals.live_bytes, totals.huge_blocks,
               totals.huge_bytes);
  return 0;
}

// glibc's own names for the same: some programs and libraries call them.
// NOLINTBEGIN(bugprone-reserved-identifier)
HN_EXPORT void* __libc_malloc(std::size_t bytes) {
  return malloc(bytes);
}
HN_EXPORT void __libc_free(void* memory) {
  release(memory);
}
HN_EXPORT void* __libc_calloc(std::size_t count, std::size_t each) {
  return calloc(count, each);
}
HN_EXPORT void* __libc_realloc(void* memory, std::size_t bytes) {
  return realloc(memory, bytes);
}
HN_EXPORT void* __libc_memalign(std::size_t alignment, std::size_t bytes) {
  return aligned(alignment, bytes);
}
HN_EXPORT void* __libc_valloc(std::size_t bytes) {
  return valloc(bytes);
}
HN_EXPORT void* __libc_pvalloc(std::size_t bytes) {
  return pvalloc(bytes);
}
HN_EXPORT int __posix_memalign(void** memory, std::size_t alignment, std::size_t bytes) {
  return posix_memalign(memory, alignment, bytes);
}
// NOLINTEND(bugprone-reserved-identifier)
}
