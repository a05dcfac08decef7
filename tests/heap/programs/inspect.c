// What an allocator tells of itself: usable sizes, statistics, trimming, tunables, aliases.
// Programs read them, so values that belong to another heap than the one in use are wrong.
#include <dlfcn.h>
#include <errno.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check.h"
#include "entry_points.h"

enum { many = 65536, block_size = 1024, total = many * block_size };  // 64 MiB

static char* blocks[many];

static void take_all(void) {
  for (size_t i = 0; i < many; i++) {
    blocks[i] = malloc(block_size);
    if (CHECK(blocks[i] != NULL)) memset(blocks[i], 1, block_size);
  }
}

static void free_all(void) {
  for (size_t i = 0; i < many; i++) free(blocks[i]);
}

void usable_size(void) {
  enum { sizes = 3000 };
  static size_t usable[sizes];
  CHECK(malloc_usable_size(NULL) == 0);
  for (size_t size = 0; size < sizes; size++) {
    blocks[size] = size % 3 ? malloc(size) : aligned_alloc(64, size);
    usable[size] = malloc_usable_size(blocks[size]);
    CHECK(usable[size] >= size);
    fill(blocks[size], usable[size], size);  // All of it may be written.
  }
  for (size_t size = 0; size < sizes; size++) {
    CHECK(malloc_usable_size(blocks[size]) == usable[size]);
    CHECK(holds(blocks[size], usable[size], size));
    free(blocks[size]);
  }
  for (size_t size = 4096; size <= (size_t)256 << 20; size *= 2) {
    char* block = malloc(size + 1);
    if (!CHECK(block != NULL)) continue;
    const size_t whole = malloc_usable_size(block);
    CHECK(whole >= size + 1);
    block[whole - 1] = 1;
    CHECK(malloc_usable_size(block) == whole);
    free(block);
  }
}

void trim_returns_memory(void) {
  const size_t before_mib = resident_mib();
  take_all();
  CHECK(resident_mib() >= before_mib + 60);
  free_all();
  const int trimmed = malloc_trim(0);
  CHECK(trimmed == 0 || trimmed == 1);
  CHECK(resident_mib() < before_mib + 20);
  take_all();
  free_all();
  for (size_t pad = 1; pad <= (size_t)1 << 30; pad *= 1024) CHECK(malloc_trim(pad) >= 0);
}

void tunables(void) {
  static const int parameters[] = {M_MMAP_THRESHOLD, M_TRIM_THRESHOLD, M_TOP_PAD,      M_MMAP_MAX,
                                   M_PERTURB,        M_ARENA_MAX,      M_CHECK_ACTION, 12345};
  for (size_t i = 0; i < sizeof parameters / sizeof *parameters; i++) {
    const int value = parameters[i] == M_PERTURB ? 0 : 64 << 10;
    const int set = mallopt(parameters[i], value);
    CHECK(set == 0 || set == 1);
    void* block = malloc(200000);
    CHECK(block != NULL);
    free(block);
  }
}

// Programs look at what mallopt() answers, and give up when it is no.
void tunables_of_glibc(void) {
  static const int anything[] = {M_TRIM_THRESHOLD, M_TOP_PAD, M_MMAP_THRESHOLD, M_MMAP_MAX,
                                 M_CHECK_ACTION,   M_PERTURB, M_ARENA_TEST,     M_ARENA_MAX};
  for (size_t i = 0; i < sizeof anything / sizeof *anything; i++) {
    CHECK(mallopt(anything[i], 128 << 10) == 1);
    CHECK(mallopt(anything[i], 0) == 1);
  }
  CHECK(mallopt(M_MXFAST, 0) == 1);
  CHECK(mallopt(M_MXFAST, 160) == 1);
  CHECK(mallopt(M_MXFAST, 161) == 0);
  CHECK(mallopt(M_MXFAST, -1) == 0);
}

// What a program that pays for every page fault asks for.
void trimming_can_be_turned_off(void) {
  take_all();
  CHECK(mallopt(M_TRIM_THRESHOLD, -1) == 1);
  const size_t before_mib = resident_mib();
  free_all();
  CHECK(resident_mib() + 1 >= before_mib);
}

static size_t in_use(void) {
  const struct mallinfo2 now = mallinfo2();
  return now.uordblks + now.hblkhd;
}

static void follows(size_t (*counted)(void)) {
  const size_t before = counted();
  take_all();
  const size_t full = counted();
  CHECK(full >= before + total);
  CHECK(full < before + total / 2 * 3);
  free_all();
  CHECK(counted() < before + total / 8);
  // Blocks that have mappings of their own are in the account as well.
  char* large = malloc(total);
  CHECK(counted() >= before + total);
  free(large);
  CHECK(counted() < before + total / 8);
}

static size_t in_use_by_int(void) {
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
  const struct mallinfo now = mallinfo();
#pragma GCC diagnostic pop
  return (unsigned)now.uordblks + (size_t)(unsigned)now.hblkhd;
}

void counts_are_true(void) {
  follows(in_use);
  follows(in_use_by_int);
}

// What malloc_stats writes on stderr, read back through a file.
static size_t stats_length(void) {
  FILE* file = tmpfile();
  if (!CHECK(file != NULL)) return 0;
  fflush(stderr);
  const int kept = dup(STDERR_FILENO);
  dup2(fileno(file), STDERR_FILENO);
  malloc_stats();
  fflush(stderr);
  dup2(kept, STDERR_FILENO);
  close(kept);
  fseek(file, 0, SEEK_END);
  const long length = ftell(file);
  fclose(file);
  return (size_t)length;
}

void reports_are_written(void) {
  CHECK(stats_length() > 20);
  char* text = NULL;
  size_t length = 0;
  FILE* stream = open_memstream(&text, &length);
  CHECK(malloc_info(1, stream) != 0);  // No options are defined.
  CHECK(malloc_info(0, stream) == 0);
  fclose(stream);
  CHECK(strncmp(text, "<malloc", 7) == 0);
  CHECK(strstr(text, "</malloc>") != NULL);
  free(text);
}

// The C library's own names of its heap. What one family hands out, the other takes back.
void aliases_are_one_heap(void) {
  void* (*allocate)(size_t) = NULL;
  void* (*resize)(void*, size_t) = NULL;
  void* (*zeroed)(size_t, size_t) = NULL;
  void* (*aligned)(size_t, size_t) = NULL;
  void (*release)(void*) = NULL;
  void (*old_release)(void*) = NULL;
  *(void**)&allocate = dlsym(RTLD_DEFAULT, "__libc_malloc");
  *(void**)&resize = dlsym(RTLD_DEFAULT, "__libc_realloc");
  *(void**)&zeroed = dlsym(RTLD_DEFAULT, "__libc_calloc");
  *(void**)&aligned = dlsym(RTLD_DEFAULT, "__libc_memalign");
  *(void**)&release = dlsym(RTLD_DEFAULT, "__libc_free");
  *(void**)&old_release = dlsym(RTLD_DEFAULT, "cfree");
  for (size_t size = 1; size < (size_t)4 << 20; size = size * 2 + 1) {
    if (allocate != NULL) free(allocate(size));
    if (zeroed != NULL) free(zeroed(1, size));
    if (aligned != NULL) free(aligned(256, size));
    if (release != NULL) release(malloc(size));
    if (old_release != NULL) old_release(malloc(size));
    if (allocate == NULL || resize == NULL) continue;
    char* block = allocate(size);
    fill(block, size, size);
    block = realloc(block, size * 2);
    CHECK(block != NULL && holds(block, size / 8 * 8, size));
    block = resize(block, size * 3);
    CHECK(block != NULL && holds(block, size / 8 * 8, size));
    free(block);
  }
}
