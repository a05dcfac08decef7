/* Threads that walk through blocks of memory until they are killed, free to run anywhere. Each
   block is filled by another thread than walks through it, on a CPU as far from that one as can be.

     walkers phases THREADS MIB SECONDS   each thread has a block, and takes the next thread's every
                                          SECONDS
     walkers pair THREADS MIB 0           two by two they hand a line to and fro after each page
     walkers node THREADS MIB NODE        all blocks are on NODE, without a policy that keeps them
                                          there */
#define _GNU_SOURCE
#include <linux/mempolicy.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { LINE_BYTES = 64, PAGE_BYTES = 4096, MOST_THREADS = 128 };

static int threads;
static size_t bytes;
static double phase_s;
static int is_pair;
static int node = -1;
static char* blocks[MOST_THREADS];
static pthread_barrier_t filled;
static _Alignas(LINE_BYTES) struct {
  _Atomic int turn;
  char rest[LINE_BYTES - sizeof(int)];
} lines[MOST_THREADS];

static double seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static void bind_to(int first, int count) {
  cpu_set_t set;
  CPU_ZERO(&set);
  for (int cpu = first; cpu < first + count; ++cpu) CPU_SET(cpu, &set);
  if (sched_setaffinity(0, sizeof set, &set) != 0) abort();
}

/* Of the calling thread. */
static void set_policy(int mode, unsigned long nodes) {
  if (syscall(SYS_set_mempolicy, mode, &nodes, 8 * sizeof nodes) != 0) abort();
}

static void fill(int block) {
  char* const place = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (place == MAP_FAILED || madvise(place, bytes, MADV_NOHUGEPAGE) != 0) abort();
  if (node >= 0) set_policy(MPOL_BIND, 1UL << node);
  memset(place, 1, bytes);
  if (node >= 0) set_policy(MPOL_DEFAULT, 0);
  blocks[block] = place;
}

static void walk(char* page) {
  for (size_t at = 0; at < PAGE_BYTES; at += LINE_BYTES) ++*(volatile char*)(page + at);
}

/* Waits for the line, and hands it on. */
static void exchange(int self) {
  _Atomic int* const turn = &lines[self / 2].turn;
  while (atomic_load(turn) != self % 2) sched_yield();
  atomic_store(turn, 1 - self % 2);
}

static void* work(void* number) {
  const int self = (int)(long)number;
  const int cpus = (int)sysconf(_SC_NPROCESSORS_ONLN);
  bind_to(self * cpus / threads, 1);
  fill((self + threads / 2) % threads);
  pthread_barrier_wait(&filled);
  bind_to(0, cpus);
  const double began = seconds();
  for (;;) {
    const int phase = phase_s > 0 ? (int)((seconds() - began) / phase_s) : 0;
    char* const block = blocks[(self + phase) % threads];
    for (size_t at = 0; at < bytes; at += PAGE_BYTES) {
      walk(block + at);
      if (is_pair) exchange(self);
    }
  }
  return NULL;
}

int main(int argc, char** argv) {
  if (argc != 5 || (threads = atoi(argv[2])) < 2 || threads > MOST_THREADS || threads % 2 != 0) {
    fprintf(
        stderr,
        "usage: walkers phases|pair|node THREADS MIB SECONDS|NODE (an even number of threads)\n");
    return 2;
  }
  is_pair = strcmp(argv[1], "pair") == 0;
  bytes = (size_t)atoi(argv[3]) << 20;
  if (strcmp(argv[1], "phases") == 0) phase_s = atof(argv[4]);
  if (strcmp(argv[1], "node") == 0) node = atoi(argv[4]);
  pthread_barrier_init(&filled, NULL, (unsigned)threads);
  pthread_t handles[MOST_THREADS];
  for (long t = 0; t < threads; ++t)
    if (pthread_create(&handles[t], NULL, work, (void*)t) != 0) abort();
  pthread_join(handles[0], NULL);
  return 0;
}
