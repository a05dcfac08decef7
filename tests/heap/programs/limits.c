// heap_limits: when memory or mappings end, an allocation returns NULL with ENOMEM, the program
// goes on, and what is freed can be had again. `committed` is for machines where the kernel refuses
// what it could not back (vm.overcommit_memory=2); elsewhere it would take all memory, so it must
// be named.
#include <errno.h>
#include <malloc.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "check.h"

enum { most_blocks = 400000, headroom_mib = 256 };

static char* blocks[most_blocks];

static void limit_address_space(size_t more_mib) {
  const rlim_t bytes = (rlim_t)(mapped_mib() + more_mib) << 20;
  const struct rlimit limit = {bytes, bytes};
  CHECK(setrlimit(RLIMIT_AS, &limit) == 0);
}

// Blocks until there are no more; how many.
static size_t take_until_refused(size_t size) {
  size_t count = 0;
  errno = 0;
  for (; count < most_blocks; count++) {
    blocks[count] = malloc(size);
    if (blocks[count] == NULL) break;
    blocks[count][0] = blocks[count][size - 1] = (char)count;
  }
  CHECK(count < most_blocks);
  CHECK(errno == ENOMEM);
  return count;
}

static void others_are_refused_too(size_t size) {
  void* block = &errno;
  errno = 0;
  CHECK(calloc(1, size) == NULL && errno == ENOMEM);
  errno = 0;
  CHECK(aligned_alloc(4096, size) == NULL && errno == ENOMEM);
  CHECK(posix_memalign(&block, 64, size) == ENOMEM && block == &errno);
  errno = 0;
  CHECK(realloc(NULL, size) == NULL && errno == ENOMEM);
}

static void free_first(size_t count) {
  for (size_t i = 0; i < count; i++) {
    CHECK(blocks[i][0] == (char)i);
    free(blocks[i]);
  }
}

// A refused realloc must leave its block.
static void realloc_leaves(size_t size) {
  CHECK(realloc(blocks[0], size) == NULL && errno == ENOMEM);
}

// Fills what may be had, checks the refusal, frees all, and has most of it again.
static void exhaust(size_t size) {
  const size_t count = take_until_refused(size);
  CHECK(count > 0);
  others_are_refused_too(size < 65536 ? (size_t)headroom_mib << 20 : size * 2);
  realloc_leaves((size_t)headroom_mib << 20);
  free_first(count);
  malloc_trim(0);
  const size_t again = take_until_refused(size);
  CHECK(again >= count / 2);
  free_first(again);
}

static void small_blocks(void) {
  limit_address_space(headroom_mib);
  exhaust(2000);
}

static void large_blocks(void) {
  limit_address_space(headroom_mib);
  exhaust(3 << 20);
}

// What was freed as small blocks can be had as large ones: nothing stays bound to a size for ever.
static void small_then_large(void) {
  limit_address_space(headroom_mib);
  const size_t small = take_until_refused(2000);
  const size_t bytes = small * 2000;
  free_first(small);
  malloc_trim(0);
  const size_t large = take_until_refused(1 << 20);
  CHECK(large << 20 >= bytes / 2);
  free_first(large);
}

// What a thread freed can be had again where it has moved to, also on another node.
static void after_a_move(void) {
  int cpus[CPU_SETSIZE];
  const size_t all = allowed_cpus(cpus, CPU_SETSIZE);
  if (!CHECK(all > 0)) return;
  limit_address_space(headroom_mib);
  for (size_t size = 2000; size < 2 << 20; size *= 20) {
    run_on(cpus[0]);
    const size_t count = take_until_refused(size);
    free_first(count);
    run_on(cpus[all - 1]);
    const size_t again = take_until_refused(size);
    CHECK(again >= count / 2);
    free_first(again);
  }
}

static void* use_little(void* failed) {
  for (size_t i = 0; i < 1000; i++) {
    char* block = malloc(1 + i);
    if (block == NULL) *(bool*)failed = true;
    free(block);
  }
  return NULL;
}

// A thread that starts when nothing is left does not crash, whatever it gets.
static void threads_at_the_limit(void) {
  limit_address_space(headroom_mib);
  const size_t count = take_until_refused(2000);
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, 1 << 16);
  bool failed = false;
  pthread_t thread;
  if (pthread_create(&thread, &attributes, use_little, &failed) == 0) pthread_join(thread, NULL);
  free_first(count);
  failed = false;
  use_little(&failed);
  CHECK(!failed);
}

static size_t most_mappings(void) {
  char text[32] = "";
  FILE* file = fopen("/proc/sys/vm/max_map_count", "r");
  if (file == NULL) return 0;
  const bool got = fgets(text, sizeof text, file) != NULL;
  fclose(file);
  return got ? strtoul(text, NULL, 10) : 0;
}

// Every other page of a region has another protection, until the kernel refuses to split it more.
static char* use_up_mappings(size_t pages, size_t page) {
  char* region = mmap(NULL, pages * page, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (!CHECK(region != MAP_FAILED)) _exit(1);
  size_t split = 0;
  for (size_t i = 0; i < pages; i += 2, split++) {
    if (mprotect(region + i * page, page, PROT_NONE) != 0) break;
  }
  CHECK(split > 1000 && split < pages / 2);
  return region;
}

static void no_mappings_left(void) {
  const size_t page = (size_t)sysconf(_SC_PAGESIZE);
  const size_t pages = most_mappings() + 1000;
  if (pages > 2000000) return;  // A machine without a limit that could be met.
  char* region = use_up_mappings(pages, page);
  size_t count = 0;
  for (size_t size = 16; size <= (size_t)64 << 20 && count < 1000; size = size * 5 / 4) {
    for (int i = 0; i < 10; i++) {
      errno = 0;
      char* block = i % 2 ? malloc(size) : aligned_alloc(256, size);
      CHECK(block != NULL || errno == ENOMEM);
      if (block == NULL) continue;
      block[0] = block[size - 1] = (char)count;
      blocks[count++] = block;
    }
  }
  for (size_t i = 0; i < count; i += 2) free(blocks[i]);
  munmap(region, pages * page);
  for (size_t i = 0; i < count; i += 2) {
    blocks[i] = malloc(100000);
    if (CHECK(blocks[i] != NULL)) blocks[i][0] = (char)i;
  }
  free_first(count);
}

// Under overcommit 2 the kernel refuses; no limit of ours is set.
static void committed(void) {
  enum { size = 4 << 20 };
  const size_t count = take_until_refused(size);
  CHECK(count > 10);
  free_first(count);
  malloc_trim(0);
  const size_t again = take_until_refused(size);
  CHECK(again >= count / 2);
  free_first(again);
  char* text = malloc(100);
  if (CHECK(text != NULL)) fill(text, 100, 1);
  free(text);
}

int main(int argc, char** argv) {
  static const struct section sections[] = {
      {"small_blocks", small_blocks},
      {"large_blocks", large_blocks},
      {"small_then_large", small_then_large},
      {"threads_at_the_limit", threads_at_the_limit},
      {"after_a_move", after_a_move},
      {"no_mappings_left", no_mappings_left},
      {"committed", committed},
  };
  enum { without_committed = sizeof sections / sizeof *sections - 1 };
  return run_sections(argc, argv, sections, argc > 1 ? without_committed + 1 : without_committed);
}
