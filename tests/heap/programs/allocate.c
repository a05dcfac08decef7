// malloc, calloc and free: alignment, zero sizes, sizes that no object can have, errno.
#include <errno.h>
#include <stdlib.h>

#include "check.h"
#include "entry_points.h"

enum { sizes = 4097, strictest = _Alignof(max_align_t) };

static void* all[sizes];

void alignment_and_overlap(void) {
  for (size_t size = 0; size < sizes; size++) {
    all[size] = malloc(size);
    CHECK(all[size] != NULL && is_aligned(all[size], strictest));
    fill(all[size], size, size);
  }
  for (size_t size = 0; size < sizes; size++) CHECK(holds(all[size], size, size));
  // Holes of every size, filled again while their neighbours live.
  for (size_t size = 0; size < sizes; size += 2) free(all[size]);
  for (size_t size = 0; size < sizes; size += 2) {
    all[size] = malloc(size);
    CHECK(is_aligned(all[size], strictest));
    fill(all[size], size, size + sizes);
  }
  for (size_t size = 0; size < sizes; size++) {
    CHECK(holds(all[size], size, size % 2 ? size : size + sizes));
    free(all[size]);
  }
  for (size_t power = 4096; power <= (size_t)256 << 20; power *= 2) {
    for (size_t size = power - 1; size <= power + 1; size++) {
      char* block = malloc(size);
      if (!CHECK(block != NULL && is_aligned(block, strictest))) continue;
      block[0] = block[size / 2] = block[size - 1] = 1;
      free(block);
    }
  }
}

void zero_size(void) {
  enum { many = 1000 };
  for (size_t i = 0; i < many; i++) {
    all[i] = i % 4 == 0   ? malloc(0)
             : i % 4 == 1 ? calloc(0, opaque(8))
             : i % 4 == 2 ? calloc(opaque(8), 0)
                          : realloc(NULL, 0);
    CHECK(all[i] != NULL);
    for (size_t j = 0; j < i; j++) {
      if (!CHECK(all[j] != all[i])) break;
    }
  }
  for (size_t i = 0; i < many; i++) free(all[i]);
  free(NULL);
}

// A refusal says ENOMEM, and the heap works afterwards.
static void refused(const void* block) {
  CHECK(block == NULL);
  CHECK(errno == ENOMEM);
  errno = 0;
  char* small = malloc(100);
  if (CHECK(small != NULL)) fill(small, 100, 1);
  free(small);
  errno = 0;
}

void too_large(void) {
  const size_t most = opaque(PTRDIFF_MAX);
  const size_t half = most + 1;
  errno = 0;
  refused(malloc(SIZE_MAX - opaque(0)));
  refused(malloc(SIZE_MAX - opaque(15)));
  refused(malloc(SIZE_MAX - opaque(4096)));
  refused(malloc(half));
  refused(malloc(most));
  refused(malloc(most - 64));
  refused(realloc(NULL, half));
  refused(calloc(1, half));
  refused(calloc(half, 1));
  refused(calloc(half, 2));
  refused(calloc(half, 4));
  refused(calloc(2, half + 1));
  refused(calloc(SIZE_MAX / 3 + opaque(1), 3));
  refused(calloc(opaque(1) << 32, opaque(1) << 32));
  refused(calloc(SIZE_MAX - opaque(0), SIZE_MAX - opaque(0)));
  refused(calloc(most / 8 + 1, 8));
}

// POSIX 2024 asks it of free; C lets no library function set errno to zero.
void errno_is_kept(void) {
  enum { mark = 1234 };
  for (size_t size = 1; size <= (size_t)64 << 20; size = size * 3 / 2 + 1) {
    void* plain = malloc(size);
    void* aligned = aligned_alloc(4096, size);
    CHECK(plain != NULL && aligned != NULL);
    errno = mark;
    free(plain);
    CHECK(errno == mark);
    free(aligned);
    CHECK(errno == mark);
    free(NULL);
    CHECK(errno == mark);
    void* again = malloc(size);
    CHECK(errno != 0);
    free(again);
  }
}

static void spoil(size_t size, size_t count) {
  for (size_t i = 0; i < count; i++) {
    all[i] = malloc(size);
    if (CHECK(all[i] != NULL)) fill(all[i], size, ~i);
  }
  for (size_t i = 0; i < count; i++) free(all[i]);
}

void calloc_is_zero(void) {
  for (size_t size = 1; size <= (size_t)96 << 20; size = size * 5 / 3 + 1) {
    const size_t count = size < 1000 ? 1000 : size < 100000 ? 50 : 2;
    spoil(size, count);
    for (size_t i = 0; i < count; i++) {
      all[i] = i % 2 ? calloc(size, 1) : calloc(1, size);
      if (!CHECK(all[i] != NULL)) continue;
      CHECK(is_zero(all[i], size));
      fill(all[i], size, i);
    }
    for (size_t i = 0; i < count; i++) free(all[i]);
  }
  char* array = calloc(1000, 24);
  CHECK(array != NULL && is_zero(array, 24000));
  free(array);
}
