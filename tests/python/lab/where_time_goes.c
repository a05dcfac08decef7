// Two threads, of which one makes the other wait, or both work: what each one's time goes to can be
// worked out by hand. KIND LINES CPU: the first chases LINES lines of its own node's memory, or
// executes so many rounds of a loop; the second, on the CPU that is named,
//
//   pause    spins with a pause until the first is done
//   look     spins by looking alone
//   barrier  sleeps at a barrier of pthreads
//   lock     wants the lock that the first one holds
//   read     reads from a pipe that the first one writes to
//   share    computes too, on the same CPU
//   remote   chases as many lines of the first one's node
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/marker.h"

enum { LINE_BYTES = 64, ALL_LINES = 65536 };

static const char* kind;
static long lines;
static char *ring, *second_ring;
static atomic_int ready, begun, done;
static pthread_barrier_t meeting;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int ends[2];

static int is(const char* name) {
  return strcmp(kind, name) == 0;
}

/// Lines in random order, each with the address of the next one.
static char* make_ring(unsigned seed) {
  char* memory = mmap(NULL, (size_t)ALL_LINES * LINE_BYTES, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
  unsigned* order = malloc(ALL_LINES * sizeof *order);
  if (memory == MAP_FAILED || order == NULL) abort();
  for (unsigned i = 0; i < ALL_LINES; ++i) order[i] = i;
  for (unsigned i = ALL_LINES - 1; i > 0; --i) {
    seed = seed * 1664525u + 1013904223u;
    unsigned other = (seed >> 8) % (i + 1), kept = order[i];
    order[i] = order[other];
    order[other] = kept;
  }
  for (unsigned i = 0; i < ALL_LINES; ++i)
    *(char**)(memory + (size_t)order[i] * LINE_BYTES) =
        memory + (size_t)order[(i + 1) % ALL_LINES] * LINE_BYTES;
  free(order);
  return memory;
}

static void chase(char* next) {
  for (long i = 0; i < lines; ++i) next = *(char* volatile*)next;
}

static void compute(void) {
  for (long i = 0; i < lines; ++i) __asm__ volatile("" ::"r"(i));
}

static void be_on(int cpu) {
  cpu_set_t cpus;
  CPU_ZERO(&cpus);
  CPU_SET(cpu, &cpus);
  if (sched_setaffinity(0, sizeof cpus, &cpus) != 0) abort();
}

/// A loop without a pause, in one basic block.
__attribute__((noinline)) static void look(void) {
  while (!atomic_load_explicit(&done, memory_order_acquire)) continue;
}

static void* second(void* cpu) {
  char byte;
  be_on((int)(long)cpu);
  hn_marker_thread(1);
  atomic_store(&ready, 1);
  while (!atomic_load(&begun)) sched_yield();
  if (is("pause"))
    while (!atomic_load(&done)) __builtin_ia32_pause();
  else if (is("look"))
    look();
  else if (is("barrier"))
    pthread_barrier_wait(&meeting);
  else if (is("lock"))
    pthread_mutex_lock(&lock);
  else if (is("read"))
    return read(ends[0], &byte, 1) == 1 ? NULL : &ready;
  else if (is("share"))
    compute();
  else
    chase(second_ring);
  return NULL;
}

int main(int count, char** words) {
  pthread_t other;
  if (count != 4) return 2;
  kind = words[1];
  lines = atol(words[2]);
  be_on(0);
  hn_marker_thread(0);
  ring = make_ring(1);
  second_ring = make_ring(2);
  pthread_barrier_init(&meeting, NULL, 2);
  if (pipe(ends) != 0) return 1;
  if (is("lock")) pthread_mutex_lock(&lock);
  if (pthread_create(&other, NULL, second, (void*)atol(words[3])) != 0) return 1;
  while (!atomic_load(&ready)) sched_yield();
  hn_marker_begin();
  atomic_store(&begun, 1);
  if (is("share"))
    compute();
  else
    chase(ring);
  atomic_store(&done, 1);
  if (is("barrier")) pthread_barrier_wait(&meeting);
  if (is("lock")) pthread_mutex_unlock(&lock);
  if (is("read") && write(ends[1], "", 1) != 1) return 1;
  pthread_join(other, NULL);
  hn_marker_end();
  return 0;
}
