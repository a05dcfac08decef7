// A program whose access matrix is known: thread 0, on CPU 0, reads and thread 1, on CPU 2, writes
// 8 MiB that lie on node 2, one access per cache line, between the markers.
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "base/marker.h"
enum { SIZE = 8 << 20 };
static volatile uint64_t* array;
static pthread_barrier_t barrier;
static void* work(void* argument) {
  const unsigned long rank = (unsigned long)argument;
  cpu_set_t cpu;
  CPU_ZERO(&cpu);
  CPU_SET(rank * 2, &cpu);
  sched_setaffinity(0, sizeof cpu, &cpu);
  pthread_barrier_wait(&barrier);
  if (rank == 0) hn_marker_begin();
  pthread_barrier_wait(&barrier);
  hn_marker_thread(rank);
  for (long i = 0; i < SIZE / 8; i += 8) {
    if (rank == 0)
      (void)array[i];
    else
      array[i] = rank;
  }
  pthread_barrier_wait(&barrier);
  if (rank == 0) hn_marker_end();
  return 0;
}
int main(void) {
  const unsigned long mask = 1 << 2;
  array = mmap(0, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (syscall(SYS_mbind, array, SIZE, 2, &mask, 65, 0)) return 1;
  for (long i = 0; i < SIZE / 8; i += 8) array[i] = 1;
  pthread_t other;
  pthread_barrier_init(&barrier, 0, 2);
  pthread_create(&other, 0, work, (void*)1);
  work((void*)0);
  return pthread_join(other, 0);
}
