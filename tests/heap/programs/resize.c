// realloc and reallocarray: edges, contents over every change of size, alignment, refusals.
#include <errno.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "entry_points.h"

static const size_t steps[] = {
    1,     7,      8,      15,     16,      17,      24,      32,    33,    64,
    100,   128,    129,    255,    256,     257,     512,     1000,  1024,  1025,
    2048,  4095,   4096,   4097,   8192,    8193,    16384,   32768, 32769, 65536,
    65537, 131072, 200000, 524288, 1048576, 2097153, 9000000,
};
enum { step_count = sizeof steps / sizeof *steps };

void realloc_edges(void) {
  char* block = realloc(NULL, 100);
  CHECK(block != NULL);
  fill(block, 100, 5);
  errno = 0;
  CHECK(realloc(block, opaque(PTRDIFF_MAX) + 1) == NULL);
  CHECK(errno == ENOMEM);
  errno = 0;
  CHECK(realloc(block, SIZE_MAX - opaque(8)) == NULL);
  CHECK(errno == ENOMEM);
  CHECK(holds(block, 100, 5));
  // As glibc has it: size zero frees the block and returns NULL. Were they not freed: 100 MB.
  CHECK(realloc(block, opaque(0)) == NULL);
  const size_t before_mib = resident_mib();
  for (int i = 0; i < 100000; i++) {
    char* dying = malloc(1000);
    if (CHECK(dying != NULL)) memset(dying, i, 1000);
    CHECK(realloc(dying, opaque(0)) == NULL);
  }
  CHECK(resident_mib() < before_mib + 50);
  // The same size, and up to what is usable: the contents stay.
  char* same = malloc(1000);
  fill(same, 1000, 6);
  for (int i = 0; i < 100; i++) same = realloc(same, 1000);
  same = realloc(same, malloc_usable_size(same));
  CHECK(holds(same, 1000, 6));
  free(same);
}

void realloc_contents(void) {
  for (size_t i = 0; i < step_count; i++) {
    for (size_t j = 0; j < step_count; j++) {
      const size_t kept = steps[i] < steps[j] ? steps[i] : steps[j];
      char* block = malloc(steps[i]);
      if (!CHECK(block != NULL)) continue;
      fill(block, steps[i], i);
      block = realloc(block, steps[j]);
      if (!CHECK(block != NULL && is_aligned(block, _Alignof(max_align_t)))) continue;
      // The pattern's last word may be cut, so whole words are compared, then the rest filled.
      CHECK(holds(block, kept / 8 * 8, i));
      fill(block, steps[j], j);
      CHECK(holds(block, steps[j], j));
      free(block);
    }
  }
  // A string that grows byte by byte, as careless programs do it, beside another.
  char *text = NULL, *other = NULL;
  for (size_t length = 1; length <= 60000; length++) {
    text = realloc(text, length);
    text[length - 1] = (char)(length * 7);
    if (length % 64 == 0) other = realloc(other, length);
  }
  for (size_t i = 0; i < 60000; i++) {
    if (!CHECK(text[i] == (char)((i + 1) * 7))) break;
  }
  free(text);
  free(other);
}

void realloc_aligned(void) {
  for (size_t alignment = 16; alignment <= (size_t)4 << 20; alignment *= 4) {
    for (size_t j = 0; j < step_count; j++) {
      const size_t size = alignment < 4096 ? alignment * 3 : 5000;
      const size_t kept = size < steps[j] ? size : steps[j];
      char* block = aligned_alloc(alignment, size);
      if (!CHECK(block != NULL)) continue;
      fill(block, size, alignment);
      block = realloc(block, steps[j]);
      if (!CHECK(block != NULL)) continue;
      CHECK(is_aligned(block, _Alignof(max_align_t)));
      CHECK(holds(block, kept / 8 * 8, alignment));
      fill(block, steps[j], 1);
      free(block);
    }
  }
}

// Hidden from the compiler, which takes every block given to it for gone.
static void* (*volatile resize_array)(void*, size_t, size_t) = reallocarray;

void reallocarray_edges(void) {
  char* block = resize_array(NULL, 10, 10);
  CHECK(block != NULL);
  fill(block, 100, 3);
  static const size_t huge[][2] = {
      {SIZE_MAX / 2 + 1, 2},
      {SIZE_MAX, 2},
      {2, SIZE_MAX},
      {(size_t)1 << 63, 4},
      {(size_t)1 << 32, (size_t)1 << 32},
      {PTRDIFF_MAX, 2},
      {SIZE_MAX / 3 + 1, 3},
      {PTRDIFF_MAX / 8 + 1, 8},
  };
  for (size_t i = 0; i < sizeof huge / sizeof *huge; i++) {
    errno = 0;
    CHECK(resize_array(block, opaque(huge[i][0]), opaque(huge[i][1])) == NULL);
    CHECK(errno == ENOMEM);
    errno = 0;
    CHECK(resize_array(NULL, opaque(huge[i][0]), opaque(huge[i][1])) == NULL);
    CHECK(errno == ENOMEM);
  }
  CHECK(holds(block, 96, 3));
  block = resize_array(block, 1000, 1000);
  CHECK(block != NULL && holds(block, 96, 3));
  block = resize_array(block, 3, 8);
  CHECK(block != NULL && holds(block, 24, 3));
  CHECK(resize_array(block, opaque(0), 8) == NULL);
}
