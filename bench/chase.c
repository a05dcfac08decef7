/* An independent measurement of idle latency, to compare `homenode measure` with: a random cycle
 * made by Sattolo's shuffle over the lines of an array in huge pages, followed by dependent loads.
 * Usage: chase MIB STEPS; prints nanoseconds a load, the median of five runs of STEPS. */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>

enum { line = 64, runs = 5 };

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int ascending(const void* a, const void* b) {
  const double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const size_t bytes = strtoul(argv[1], NULL, 10) << 20;
  const size_t steps = strtoul(argv[2], NULL, 10);
  const size_t lines = bytes / line;
  char* const array = aligned_alloc((size_t)2 << 20, bytes);
  uint32_t* const order = malloc(lines * sizeof *order);
  if (array == NULL || order == NULL || lines < 2) return 1;
  madvise(array, bytes, MADV_HUGEPAGE);
  for (size_t i = 0; i < lines; ++i) order[i] = (uint32_t)i;
  srand48(1);
  for (size_t i = lines - 1; i > 0; --i) {
    const size_t j = (size_t)(drand48() * (double)i);
    const uint32_t kept = order[i];
    order[i] = order[j];
    order[j] = kept;
  }
  for (size_t i = 0; i < lines; ++i) {
    *(void**)(array + i * line) = array + (size_t)order[i] * line;
  }
  free(order);
  void** at = (void**)array;
  for (size_t i = 0; i < 10000; ++i) at = (void**)*at;
  double found[runs];
  for (int run = 0; run < runs; ++run) {
    const double begin = now();
    for (size_t i = 0; i < steps; ++i) at = (void**)*at;
    found[run] = (now() - begin) * 1e9 / (double)steps;
  }
  qsort(found, runs, sizeof *found, ascending);
  printf("%.3f\n", found[runs / 2]);
  return at == NULL;
}
