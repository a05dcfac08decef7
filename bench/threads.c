// Threads that wait for each other, each on a CPU of its own with memory of its node: what they do
// can be worked out by hand. In the lab; the region of interest is the part that counts.
//
//   spin|sleep THREADS LINES ROUNDS        each chases LINES lines, then all meet at a barrier
//   pingpong 2 0 ROUNDS                    two wake each other up by a futex, in turn
//   queue 2 LINES ITEMS                    one makes an item of LINES lines, the other takes it in
//                                          half the time, over a condition variable
//   lock THREADS LINES ROUNDS              each chases LINES lines under the one lock
//   convoy|staggered THREADS PAGES NODES   each reads PAGES pages that go round NODES nodes: all
//                                          begin at the same node, or each at the next one
//   dynamic THREADS LINES ROUNDS           an OpenMP loop with schedule(dynamic), ROUNDS a thread
#define _GNU_SOURCE
#include <linux/futex.h>
#include <linux/mempolicy.h>
#include <omp.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/marker.h"

enum {
  LINE_BYTES = 64,
  PAGE_BYTES = 4096,
  LINES_OF_THREAD = 65536,
  MOST_THREADS = 128,
  ITEMS_WAITING = 4
};

static int threads, lines, rounds;
static pthread_barrier_t meeting;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

// Lines of the calling thread's own node, linked in a random ring; none is used twice.
static __thread char* place;

static void make_ring(unsigned seed) {
  size_t bytes = (size_t)LINES_OF_THREAD * LINE_BYTES;
  char* memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  unsigned* order = malloc(LINES_OF_THREAD * sizeof *order);
  if (memory == MAP_FAILED || order == NULL) abort();
  for (unsigned i = 0; i < LINES_OF_THREAD; ++i) order[i] = i;
  for (unsigned i = LINES_OF_THREAD - 1; i > 0; --i) {
    seed = seed * 1664525u + 1013904223u;
    unsigned other = (seed >> 8) % (i + 1), kept = order[i];
    order[i] = order[other];
    order[other] = kept;
  }
  for (unsigned i = 0; i < LINES_OF_THREAD; ++i)
    *(char**)(memory + (size_t)order[i] * LINE_BYTES) =
        memory + (size_t)order[(i + 1) % LINES_OF_THREAD] * LINE_BYTES;
  free(order);
  place = memory;
}

static void chase(int count) {
  char* next = place;
  for (int i = 0; i < count; ++i) next = *(char* volatile*)next;
  place = next;
}

static void be_on(int cpu) {
  cpu_set_t cpus;
  CPU_ZERO(&cpus);
  CPU_SET(cpu, &cpus);
  if (sched_setaffinity(0, sizeof cpus, &cpus) != 0) abort();
  make_ring((unsigned)cpu + 1);
}

static void meet_spinning(void) {
  static atomic_int arrived, generation;
  int before = atomic_load(&generation);
  if (atomic_fetch_add(&arrived, 1) == threads - 1) {
    atomic_store(&arrived, 0);
    atomic_store(&generation, before + 1);
  }
  while (atomic_load(&generation) == before) __builtin_ia32_pause();
}

static void spin(int rank) {
  (void)rank;
  for (int i = 0; i < rounds; ++i) {
    chase(lines);
    meet_spinning();
  }
}

static void nap(int rank) {
  (void)rank;
  for (int i = 0; i < rounds; ++i) {
    chase(lines);
    pthread_barrier_wait(&meeting);
  }
}

static void pingpong(int rank) {
  static atomic_int turn;
  for (int i = 0; i < rounds; ++i) {
    while (atomic_load(&turn) != rank)
      syscall(SYS_futex, &turn, FUTEX_WAIT, 1 - rank, NULL, NULL, 0);
    atomic_store(&turn, 1 - rank);
    syscall(SYS_futex, &turn, FUTEX_WAKE, 1, NULL, NULL, 0);
  }
}

static void queue(int rank) {
  static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
  static int waiting;
  for (int i = 0; i < rounds; ++i) {
    if (rank == 0) chase(lines);
    pthread_mutex_lock(&lock);
    while (waiting == (rank == 0 ? ITEMS_WAITING : 0)) pthread_cond_wait(&changed, &lock);
    waiting += rank == 0 ? 1 : -1;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&lock);
    if (rank == 1) chase(lines / 2);
  }
}

static void want_lock(int rank) {
  (void)rank;
  for (int i = 0; i < rounds; ++i) {
    pthread_mutex_lock(&lock);
    chase(lines);
    pthread_mutex_unlock(&lock);
  }
}

// Pages of the calling thread, each on the next node: not huge ones, and each placed as it is
// touched.
static char* make_pages(int first_node) {
  size_t bytes = (size_t)lines * PAGE_BYTES;
  char* memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED || madvise(memory, bytes, MADV_NOHUGEPAGE) != 0) abort();
  for (int page = 0; page < lines; ++page) {
    unsigned long node = 1UL << ((first_node + page) % rounds);
    if (syscall(SYS_set_mempolicy, MPOL_BIND, &node, 64) != 0) abort();
    memory[(size_t)page * PAGE_BYTES] = 1;
  }
  return memory;
}

static void read_pages(int rank) {
  (void)rank;
  for (char* at = place; at < place + (size_t)lines * PAGE_BYTES; at += LINE_BYTES)
    (void)*(volatile char*)at;
}

typedef void (*work_of)(int rank);
static work_of work;
static bool is_staggered;

static void* take_part(void* argument) {
  int rank = (int)(long)argument;
  be_on(rank);
  if (work == read_pages) place = make_pages(is_staggered ? rank : 0);
  pthread_barrier_wait(&meeting);
  if (rank == 0) hn_marker_begin();
  pthread_barrier_wait(&meeting);
  work(rank);
  pthread_barrier_wait(&meeting);
  if (rank == 0) hn_marker_end();
  pthread_barrier_wait(&meeting);
  return NULL;
}

static void run_dynamic(void) {
#pragma omp parallel num_threads(threads)
  {
    be_on(omp_get_thread_num());
#pragma omp barrier
#pragma omp master
    hn_marker_begin();
#pragma omp barrier
#pragma omp for schedule(dynamic, 1)
    for (int i = 0; i < threads * rounds; ++i) chase(lines);
#pragma omp master
    hn_marker_end();
  }
}

static int run_threads(void) {
  pthread_t others[MOST_THREADS];
  pthread_barrier_init(&meeting, NULL, (unsigned)threads);
  for (long rank = 1; rank < threads; ++rank)
    if (pthread_create(&others[rank], NULL, take_part, (void*)rank) != 0) return 1;
  take_part((void*)0);
  for (int rank = 1; rank < threads; ++rank) pthread_join(others[rank], NULL);
  return 0;
}

int main(int count, char** words) {
  static const struct {
    const char* name;
    work_of work;
  } kinds[] = {{"spin", spin},           {"sleep", nap},      {"pingpong", pingpong},
               {"queue", queue},         {"lock", want_lock}, {"convoy", read_pages},
               {"staggered", read_pages}};
  if (count != 5) return 2;
  is_staggered = strcmp(words[1], "staggered") == 0;
  threads = atoi(words[2]);
  lines = atoi(words[3]);
  rounds = atoi(words[4]);
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; ++i)
    if (strcmp(kinds[i].name, words[1]) == 0) work = kinds[i].work;
  if (threads < 1 || threads > MOST_THREADS) return 2;
  if (work != NULL) return run_threads();
  if (strcmp(words[1], "dynamic") != 0) return 2;
  run_dynamic();
  return 0;
}
