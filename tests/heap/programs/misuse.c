// heap_misuse FAULT: what wrong programs do to an allocator, one fault at a time. Returns 0 when
// nobody noticed; a hardened allocator says what was wrong and aborts.
#include <malloc.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "check.h"

enum { small = 100, medium = 40000, large = 100000, huge = 200 << 20, slice = 64 << 10 };

// Where the compiler cannot follow a block from its free to its next use.
static char* volatile block;

static char* allocate(size_t size) {
  block = malloc(size);
  if (block == NULL) exit(2);
  block[0] = 1;
  return block;
}

static void* free_it(void* memory) {
  free(memory);
  return NULL;
}

static void free_elsewhere(void* memory) {
  pthread_t thread;
  if (pthread_create(&thread, NULL, free_it, memory) != 0) exit(2);
  pthread_join(thread, NULL);
}

static void free_twice(size_t size) {
  allocate(size);
  char* volatile kept = allocate(size);
  free(block);
  free(block);
  free(kept);
}

static void small_twice(void) {
  free_twice(small);
}
static void large_twice(void) {
  free_twice(large);
}
static void huge_twice(void) {
  free_twice(huge);
}

static void small_twice_with_others_between(void) {
  char* volatile others[50];
  for (int i = 0; i < 50; i++) others[i] = malloc(small);
  allocate(small);
  free(block);
  for (int i = 0; i < 50; i++) free(others[i]);
  free(block);
}

static void first_by_another_thread(void) {
  allocate(small);
  free_elsewhere(block);
  free(block);
}

static void both_by_another_thread(void) {
  allocate(small);
  free_elsewhere(block);
  free_elsewhere(block);
}

static void realloc_after_free(void) {
  allocate(small);
  free(block);
  free(realloc(block, small * 100));
}

static void write_after_free(void) {
  allocate(small);
  char* volatile dangling = block;
  free(dangling);
  memset(dangling, 'A', small);
  for (int i = 0; i < 10000; i++) (void)allocate(small);
}

// Another block than the one that was given out last, as programs have it.
static void free_within(size_t size, size_t offset) {
  allocate(size);
  char* volatile other = allocate(size);
  free(block + offset);
  free(other);
}

static void half_a_granule_into_small(void) {
  free_within(small, 8);
}
static void a_granule_into_small(void) {
  free_within(small, 16);
}
static void a_granule_into_medium(void) {
  free_within(medium, 16);
}
// The second slice of a page of several.
static void deep_in_medium(void) {
  free_within(medium, medium - 16);
}
static void middle_of_small_by_another_thread(void) {
  free_elsewhere(allocate(small) + 16);
}
static void realloc_of_the_middle(void) {
  free(realloc(allocate(small) + 16, small));
}
// Where no block has been made yet.
static void behind_the_last_small(void) {
  const uintptr_t first = (uintptr_t)allocate(small);
  const size_t whole = malloc_usable_size(block);
  free(block + ((slice - first % slice) / whole - 1) * whole);
}

static void middle_of_large(void) {
  free(allocate(large) + 4096);
}
static void middle_of_huge(void) {
  free(allocate(huge) + 4096);
}

static void huge_realloc_after_free(void) {
  allocate(huge);
  free(block);
  free(realloc(block, small));
}

// Something behind it, so that it cannot grow where it is.
static void freed_where_it_was_before_it_grew(void) {
  allocate(huge);
  char* end = block + malloc_usable_size(block);
  (void)mmap(end, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
  char* volatile moved = realloc(block, (size_t)2 * huge);
  if (moved == NULL || moved == block) exit(2);
  free(block);
  free(moved);
}

static void allocate_aligned_huge(void) {
  block = aligned_alloc((size_t)8 << 20, huge);
  if (block == NULL) exit(2);
  block[0] = 1;
}

static void aligned_huge_twice(void) {
  allocate_aligned_huge();
  free(block);
  free(block);
}

static void middle_of_aligned_huge(void) {
  allocate_aligned_huge();
  free(block + 4096);
}

// Where the mapping begins, which is no block.
static void before_aligned_huge(void) {
  allocate_aligned_huge();
  free(block - ((size_t)8 << 20));
}

static void on_the_stack(void) {
  _Alignas(16) char local[64] = {0};
  block = local;
  free(block);
}

static void static_data(void) {
  _Alignas(16) static char data[64];
  block = data + 16;
  free(block);
}

int main(int argc, char** argv) {
  static const struct section faults[] = {
      {"small_twice", small_twice},
      {"large_twice", large_twice},
      {"huge_twice", huge_twice},
      {"small_twice_with_others_between", small_twice_with_others_between},
      {"first_by_another_thread", first_by_another_thread},
      {"both_by_another_thread", both_by_another_thread},
      {"realloc_after_free", realloc_after_free},
      {"write_after_free", write_after_free},
      {"half_a_granule_into_small", half_a_granule_into_small},
      {"a_granule_into_small", a_granule_into_small},
      {"a_granule_into_medium", a_granule_into_medium},
      {"deep_in_medium", deep_in_medium},
      {"middle_of_small_by_another_thread", middle_of_small_by_another_thread},
      {"realloc_of_the_middle", realloc_of_the_middle},
      {"behind_the_last_small", behind_the_last_small},
      {"middle_of_large", middle_of_large},
      {"middle_of_huge", middle_of_huge},
      {"huge_realloc_after_free", huge_realloc_after_free},
      {"freed_where_it_was_before_it_grew", freed_where_it_was_before_it_grew},
      {"aligned_huge_twice", aligned_huge_twice},
      {"middle_of_aligned_huge", middle_of_aligned_huge},
      {"before_aligned_huge", before_aligned_huge},
      {"on_the_stack", on_the_stack},
      {"static_data", static_data},
  };
  for (size_t i = 0; argc == 2 && i < sizeof faults / sizeof *faults; i++) {
    if (strcmp(argv[1], faults[i].name) != 0) continue;
    faults[i].run();
    return 0;
  }
  fprintf(stderr, "usage: heap_misuse FAULT\n");
  return 2;
}
