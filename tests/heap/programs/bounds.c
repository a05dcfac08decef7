// heap_bounds: memory stays bounded by what lives when blocks are freed by other threads than those
// that allocated them. Threads sit on CPUs as far apart as the machine has them, so on a NUMA
// machine every hand-over crosses nodes. Prints the peaks as one JSON line. heap_bounds [ROUNDS].
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check.h"

// At most `ring_size` blocks of 64 B to 8 KiB are on the way: about 4 MiB live.
enum { ring_size = 1024, most_block = 8192, live_mib = 4, usual_rounds = 150000, allowed_mib = 32 };

struct ring {
  void* _Atomic blocks[ring_size];
};

static struct ring rings[2];
static size_t rounds = usual_rounds;
static atomic_size_t peak_mib;

static void note_peak(void) {
  const size_t now = resident_mib();
  size_t seen = atomic_load(&peak_mib);
  while (now > seen && !atomic_compare_exchange_weak(&peak_mib, &seen, now)) {
  }
}

static int cpus[CPU_SETSIZE];  // At the start; threads inherit their maker's single one.
static size_t cpu_count;

// The calling thread onto the first or the last CPU of the program.
static void stay(bool first) {
  run_on(cpus[first ? 0 : cpu_count - 1]);
}

static void put(struct ring* ring, size_t slot, void* block) {
  void* empty = NULL;
  while (!atomic_compare_exchange_weak(&ring->blocks[slot % ring_size], &empty, block)) {
    empty = NULL;
    sched_yield();
  }
}

static void* take(struct ring* ring, size_t slot) {
  void* block = NULL;
  while ((block = atomic_exchange(&ring->blocks[slot % ring_size], NULL)) == NULL) sched_yield();
  return block;
}

static void* new_block(uint64_t* state) {
  const size_t size = 64 + next_random(state) % most_block;
  void* block = malloc(size);
  if (CHECK(block != NULL)) memset(block, 1, size);
  return block;
}

// Only allocates.
static void* produce(void* ring) {
  stay(true);
  uint64_t state = 11;
  for (size_t i = 0; i < rounds; i++) {
    put(ring, i, new_block(&state));
    if (i % 4096 == 0) note_peak();
  }
  return NULL;
}

// Only frees: it never asked for memory itself.
static void* consume(void* ring) {
  stay(false);
  for (size_t i = 0; i < rounds; i++) free(take(ring, i));
  return NULL;
}

// Allocates what its neighbour frees and frees what that allocated, some at a time: on a busy
// machine each turn is a wait. Rank 0 sits on the first CPU.
static void* ping(void* argument) {
  enum { at_a_time = 50 };
  const size_t rank = (size_t)argument;
  stay(rank == 0);
  uint64_t state = rank + 21;
  for (size_t i = 0; i < rounds; i += at_a_time) {
    for (size_t k = 0; k < at_a_time; k++) put(&rings[rank], i + k, new_block(&state));
    for (size_t k = 0; k < at_a_time; k++) free(take(&rings[1 - rank], i + k));
    if (i % (100 * at_a_time) == 0) note_peak();
  }
  return NULL;
}

static size_t growth_mib(void* (*one)(void*), void* (*two)(void*), void* first, void* second) {
  const size_t before_mib = resident_mib();
  atomic_store(&peak_mib, before_mib);
  pthread_t threads[2];
  CHECK(pthread_create(&threads[0], NULL, one, first) == 0);
  CHECK(pthread_create(&threads[1], NULL, two, second) == 0);
  pthread_join(threads[0], NULL);
  pthread_join(threads[1], NULL);
  return atomic_load(&peak_mib) - before_mib;
}

// New threads each round: what a dead producer left must serve the next.
static size_t growth_over_lives_mib(void) {
  size_t growth = 0;
  for (int i = 0; i < 3; i++) growth += growth_mib(produce, consume, &rings[0], &rings[0]);
  return growth;
}

// Bursts: everything lives, then a thread that never allocates frees it all; again and again.
enum { burst = 8192, hand_overs_per_burst = usual_rounds / 30 };
static void* burst_blocks[burst];

static void* free_burst(void* unused) {
  stay(false);
  for (size_t i = 0; i < burst; i++) free(burst_blocks[i]);
  return unused;
}

static size_t burst_growth_mib(void) {
  stay(true);
  uint64_t state = 31;
  size_t first_mib = 0, last_mib = 0;
  for (size_t round = 0; round < 2 + rounds / hand_overs_per_burst; round++) {
    for (size_t i = 0; i < burst; i++) burst_blocks[i] = new_block(&state);
    last_mib = resident_mib();
    if (round == 1) first_mib = last_mib;
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, free_burst, NULL) == 0);
    pthread_join(thread, NULL);
  }
  return last_mib > first_mib ? last_mib - first_mib : 0;
}

int main(int argc, char** argv) {
  if (argc == 2) rounds = strtoul(argv[1], NULL, 10);
  if (argc > 2 || rounds == 0) {
    fprintf(stderr, "usage: heap_bounds [ROUNDS]\n");
    return 2;
  }
  cpu_count = allowed_cpus(cpus, CPU_SETSIZE);
  if (!CHECK(cpu_count > 0)) return 1;
  const size_t bursts = burst_growth_mib();
  const size_t one_way = growth_mib(produce, consume, &rings[0], &rings[0]);
  const size_t both_ways = growth_mib(ping, ping, (void*)0, (void*)1);
  const size_t lives = growth_over_lives_mib();
  printf(
      "{\"live_mib\": %d, \"one_way_mib\": %zu, \"both_ways_mib\": %zu, \"lives_mib\": %zu, "
      "\"bursts_mib\": %zu}\n",
      live_mib, one_way, both_ways, lives, bursts);
  CHECK(one_way <= allowed_mib);
  CHECK(both_ways <= allowed_mib);
  CHECK(lives <= allowed_mib);
  CHECK(bursts <= allowed_mib);
  return check_failed() ? 1 : 0;
}
