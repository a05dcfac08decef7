// One array under one placement, used by threads as regularly, as much in common and with as much
// arithmetic as the words say: what `./dev bench decides` varies.
//
//   central|spread|own THREADS SHARED HOT REGULAR WORK WRITE
//
// THREADS on the first so many CPUs, each with a part of the array. SHARED percent of the pages
// that a thread uses are common ones, the others of its own part. HOT 0: any page is common; 1:
// those of the first thread's part. REGULAR 1: a page line by line; 0: as
// many lines at random places. WORK multiplications follow each line. WRITE 1: each line is
// written, too. central: all pages on the first node. spread: pages go round the nodes.
// own: each part on the node of its thread.
#define _GNU_SOURCE
#include <linux/mempolicy.h>
#include <omp.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/marker.h"

enum { LINE_BYTES = 64, PAGE_LINES = 64, PAGES_EACH = 384 };

struct use {
  int threads, shared, hot, regular, work, writes;
};

static void pin_to(int cpu) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(cpu, &set);
  if (sched_setaffinity(0, sizeof set, &set) != 0) abort();
}

static unsigned next_random(uint64_t* state) {
  *state = *state * 6364136223846793005u + 1442695040888963407u;
  return (unsigned)(*state >> 33);
}

static void interleave_over_all_nodes(void) {
  FILE* file = fopen("/sys/devices/system/node/online", "r");
  int first = 0, last = 0;
  if (file == NULL || fscanf(file, "%d-%d", &first, &last) < 1) abort();
  fclose(file);
  unsigned long mask = (2ul << last) - (1ul << first);
  if (syscall(SYS_set_mempolicy, MPOL_INTERLEAVE, &mask, 64ul) != 0) abort();
}

static double use_page(char* part, uint64_t* state, size_t lines, struct use use) {
  double sum = 0;
  for (int i = 0; i < PAGE_LINES; ++i) {
    size_t line = use.regular ? (size_t)i : next_random(state) % lines;
    double* value = (double*)(part + line * LINE_BYTES);
    double x = *value;
    for (int n = 0; n < use.work; ++n) __asm__ volatile("mulsd %0, %0" : "+x"(x));
    if (use.writes) *value = x;
    sum += x;
  }
  return sum;
}

static double use_array(char* array, int thread, struct use use) {
  uint64_t state = (uint64_t)thread + 1;
  size_t common_pages = (size_t)PAGES_EACH * (size_t)(use.hot ? 1 : use.threads);
  double sum = 0;
  for (size_t page = 0; page < PAGES_EACH; ++page) {
    int common = (int)(next_random(&state) % 100) < use.shared;
    size_t own = (size_t)thread * PAGES_EACH;
    if (use.regular) {
      size_t at = common ? next_random(&state) % common_pages : own + page;
      sum += use_page(array + at * PAGE_LINES * LINE_BYTES, &state, 0, use);
    } else {
      size_t first = common ? 0 : own, count = common ? common_pages : PAGES_EACH;
      sum += use_page(array + first * PAGE_LINES * LINE_BYTES, &state, count * PAGE_LINES, use);
    }
  }
  return sum;
}

int main(int count, char** words) {
  if (count != 8) return 2;
  struct use use = {atoi(words[2]), atoi(words[3]), atoi(words[4]),
                    atoi(words[5]), atoi(words[6]), atoi(words[7])};
  size_t part = (size_t)PAGES_EACH * PAGE_LINES * LINE_BYTES, bytes = part * (size_t)use.threads;
  char* array = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (array == MAP_FAILED) return 1;
  madvise(array, bytes, MADV_NOHUGEPAGE);
  pin_to(0);
  if (strcmp(words[1], "spread") == 0) interleave_over_all_nodes();
  if (strcmp(words[1], "own") != 0) memset(array, 1, bytes);
  double sum = 0;
  omp_set_num_threads(use.threads);
#pragma omp parallel reduction(+ : sum)
  {
    int thread = omp_get_thread_num();
    pin_to(thread);
    if (strcmp(words[1], "own") == 0) memset(array + part * (size_t)thread, 1, part);
#pragma omp barrier
#pragma omp master
    hn_marker_begin();
#pragma omp barrier
    sum += use_array(array, thread, use);
#pragma omp barrier
#pragma omp master
    hn_marker_end();
  }
  return sum == -1.0;
}
