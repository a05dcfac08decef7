/* A loop that only computes, once on each of N pinned threads, in one region of interest: what it
   takes longer than on one thread is overhead of the lab's clock.  compute THREADS STEPS */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/marker.h"

enum { most = 1024 };

static int threads;
static long steps;
static atomic_int ready;

static void* work(void* argument) {
  const long rank = (long)argument;
  cpu_set_t cpus;
  CPU_ZERO(&cpus);
  CPU_SET((size_t)rank, &cpus);
  if (sched_setaffinity(0, sizeof cpus, &cpus) != 0) perror("sched_setaffinity");
  hn_marker_thread((unsigned long)rank);
  atomic_fetch_add(&ready, 1);
  while (atomic_load(&ready) <= threads) {
  }
  uint64_t x = (uint64_t)rank;
  for (long i = 0; i < steps; ++i) {
    x = x * 6364136223846793005u + 1442695040888963407u;
    __asm__ volatile("" : "+r"(x));
  }
  return NULL;
}

int main(int count, char** words) {
  static pthread_t team[most];
  threads = count > 1 ? atoi(words[1]) : 1;
  steps = count > 2 ? atol(words[2]) : 1000000;
  if (threads < 1 || threads > most) return 2;
  for (long rank = 0; rank < threads; ++rank) {
    if (pthread_create(&team[rank], NULL, work, (void*)rank) != 0) return 1;
  }
  while (atomic_load(&ready) < threads) {
  }
  hn_marker_begin();
  atomic_fetch_add(&ready, 1);
  for (int rank = 0; rank < threads; ++rank) pthread_join(team[rank], NULL);
  hn_marker_end();
  return 0;
}
