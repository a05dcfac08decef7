// aligned_alloc, memalign, posix_memalign, valloc, pvalloc, and the frees that are told the size.
#include <dlfcn.h>
#include <errno.h>
#include <malloc.h>
#include <stdlib.h>
#include <unistd.h>

#include "check.h"
#include "entry_points.h"

static void* from_posix_memalign(size_t alignment, size_t size) {
  void* block = NULL;
  const int error = posix_memalign(&block, alignment, size);
  CHECK(error == 0);
  return error == 0 ? block : NULL;
}

static void one_alignment(void* (*allocate)(size_t, size_t), size_t alignment, size_t size) {
  char* block = allocate(alignment, size);
  if (!CHECK(block != NULL)) return;
  CHECK(is_aligned(block, alignment) && is_aligned(block, 16));
  CHECK(malloc_usable_size(block) >= size);
  if (size > 0) block[0] = block[size - 1] = 1;
  char* beside = malloc(size);
  free(block);
  free(beside);
}

void every_alignment(void) {
  for (size_t alignment = 1; alignment <= (size_t)1 << 30; alignment *= 2) {
    const size_t sizes[] = {0, 1, 24, 1000, alignment, alignment / 2 * 3 + 1};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
      // Sizes that are no multiple of the alignment are fine since C17.
      one_alignment(aligned_alloc, alignment, sizes[i]);
      one_alignment(memalign, alignment, sizes[i]);
      if (alignment >= sizeof(void*)) one_alignment(from_posix_memalign, alignment, sizes[i]);
    }
  }
}

void small_alignments_do_not_overlap(void) {
  enum { count = 6000 };
  static char* blocks[count];
  static size_t sizes[count];
  uint64_t state = 42;
  for (size_t round = 0; round < 4; round++) {
    for (size_t i = round % 2; i < count; i += 1 + (round > 0)) {
      const size_t alignment = (size_t)8 << next_random(&state) % 10;
      if (round > 0) free(blocks[i]);
      sizes[i] = next_random(&state) % 3000;
      blocks[i] = aligned_alloc(alignment, sizes[i]);
      CHECK(blocks[i] != NULL && is_aligned(blocks[i], alignment));
      fill(blocks[i], sizes[i], i);
    }
    for (size_t i = 0; i < count; i++) CHECK(holds(blocks[i], sizes[i], i));
  }
  for (size_t i = 0; i < count; i++) free(blocks[i]);
}

void wrong_alignments(void) {
  static const size_t wrong[] = {0, 1, 2, 3, 4, 6, 12, 24, 48, 100, 4095, 4097, SIZE_MAX};
  int mark = 0;
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    void* block = &mark;
    CHECK(posix_memalign(&block, wrong[i], 64) == EINVAL);
    CHECK(block == &mark);
  }
  void* block = &mark;
  CHECK(posix_memalign(&block, 64, opaque(PTRDIFF_MAX) + 1) == ENOMEM);
  CHECK(posix_memalign(&block, 64, SIZE_MAX - opaque(32)) == ENOMEM);
  CHECK(posix_memalign(&block, (size_t)1 << 62, (size_t)1 << 62) == ENOMEM);
  errno = 0;
  CHECK(aligned_alloc(4096, SIZE_MAX - opaque(4000)) == NULL && errno == ENOMEM);
  errno = 0;
  CHECK(memalign(4096, opaque(PTRDIFF_MAX) - 4000) == NULL && errno == ENOMEM);
  // Not a power of two: refused, or rounded up as older C libraries do; never a wild block.
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    errno = 0;
    char* odd = i % 2 ? aligned_alloc(opaque(wrong[i]), 100) : memalign(opaque(wrong[i]), 100);
    CHECK(odd != NULL || errno == EINVAL || errno == ENOMEM);
    if (odd != NULL) fill(odd, 100, i);
    free(odd);
  }
}

void page_alignment(void) {
  const size_t page = (size_t)sysconf(_SC_PAGESIZE);
  static const size_t sizes[] = {1, 100, 4095, 4096, 4097, 100000, 1 << 20};
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
    char *plain = valloc(sizes[i]), *whole = pvalloc(sizes[i]);
    CHECK(plain != NULL && is_aligned(plain, page));
    CHECK(whole != NULL && is_aligned(whole, page));
    const size_t rounded = (sizes[i] + page - 1) / page * page;
    CHECK(malloc_usable_size(whole) >= rounded);
    fill(plain, sizes[i], 1);
    fill(whole, rounded, 2);
    CHECK(holds(plain, sizes[i], 1));
    free(whole);
    free(plain);
  }
  free(valloc(0));
  free(pvalloc(0));
  errno = 0;
  CHECK(valloc(SIZE_MAX - opaque(100)) == NULL && errno == ENOMEM);
  errno = 0;
  CHECK(pvalloc(SIZE_MAX - opaque(100)) == NULL && errno == ENOMEM);
  errno = 0;
  CHECK(pvalloc(opaque(PTRDIFF_MAX)) == NULL && errno == ENOMEM);
}

// C23's; the older C libraries lack them, an allocator may bring them.
void sized_frees(void) {
  void (*free_sized)(void*, size_t) = NULL;
  void (*free_aligned_sized)(void*, size_t, size_t) = NULL;
  *(void**)&free_sized = dlsym(RTLD_DEFAULT, "free_sized");
  *(void**)&free_aligned_sized = dlsym(RTLD_DEFAULT, "free_aligned_sized");
  for (size_t size = 0; free_sized != NULL && size < (size_t)4 << 20; size = size * 2 + 1) {
    errno = 1234;
    free_sized(malloc(size), size);
    free_sized(calloc(1, size), size);
    free_sized(realloc(malloc(10), size + 1), size + 1);
    CHECK(errno == 1234);
  }
  if (free_sized != NULL) free_sized(NULL, 0);
  for (size_t alignment = 1; free_aligned_sized != NULL && alignment <= 1 << 20; alignment *= 2) {
    free_aligned_sized(aligned_alloc(alignment, 1000), alignment, 1000);
  }
  if (free_aligned_sized != NULL) free_aligned_sized(NULL, 16, 0);
}
