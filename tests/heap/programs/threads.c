// Threads that come and go by the thousand, their keys' destructors, and signals in between.
#include <errno.h>
#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "check.h"
#include "lives.h"

enum { at_a_time = 8, waves = 1500, kept = 40, block_most = 4000 };

static void* _Atomic left_behind[at_a_time][kept];

// Frees what a dead thread left, allocates, and leaves half of it to the next.
static void* short_life(void* argument) {
  const size_t rank = (size_t)argument % at_a_time;
  uint64_t state = (size_t)argument * 2 + 1;
  void* own[kept];
  for (size_t i = 0; i < kept; i++) {
    const size_t size = next_random(&state) % block_most + 8;
    own[i] = malloc(size);
    if (CHECK(own[i] != NULL)) memset(own[i], (int)i, size);
  }
  const size_t other = (rank + 1) % at_a_time;
  for (size_t i = 0; i < kept; i++) {
    void* previous = atomic_exchange(&left_behind[other][i], i % 2 ? own[i] : NULL);
    free(previous);
    if (i % 2 == 0) free(own[i]);
  }
  return NULL;
}

void many_threads_come_and_go(void) {
  size_t early_mib = 0;
  for (size_t wave = 0; wave < waves; wave++) {
    pthread_t threads[at_a_time];
    for (size_t i = 0; i < at_a_time; i++) {
      void* argument = (void*)(wave * at_a_time + i);  // NOLINT(performance-no-int-to-ptr)
      if (!CHECK(pthread_create(&threads[i], NULL, short_life, argument) == 0)) return;
    }
    for (size_t i = 0; i < at_a_time; i++) pthread_join(threads[i], NULL);
    if (wave == waves / 10) early_mib = resident_mib();
  }
  // At most 320 blocks live at any time; the dead must leave nothing that grows.
  CHECK(resident_mib() <= early_mib + 16);
  for (size_t i = 0; i < (size_t)at_a_time * kept; i++) free((&left_behind[0][0])[i]);
}

static pthread_key_t keys[3];
static atomic_int destroyed;

// Allocates and frees when the thread is as good as gone, and asks to be called once more.
static void destroy(void* value) {
  char* text = value;
  CHECK(strlen(text) < 100);
  const size_t length = strlen(text);
  free(text);
  char* again = malloc(5000);
  memset(again, 1, 5000);
  free(again);
  atomic_fetch_add(&destroyed, 1);
  if (length < 3) {
    char* next = malloc(100);
    memset(next, 'x', length + 1);
    next[length + 1] = 0;
    CHECK(pthread_setspecific(keys[length % 3], next) == 0);
  }
}

static void* set_keys(void* unused) {
  for (size_t i = 0; i < 3; i++) CHECK(pthread_setspecific(keys[i], strdup("")) == 0);
  return unused;
}

void destructors_of_keys(void) {
  enum { threads = 500 };
  for (size_t i = 0; i < 3; i++) CHECK(pthread_key_create(&keys[i], destroy) == 0);
  for (int i = 0; i < threads; i++) {
    pthread_t thread;
    if (!CHECK(pthread_create(&thread, NULL, set_keys, NULL) == 0)) return;
    pthread_join(thread, NULL);
  }
  CHECK(atomic_load(&destroyed) >= 3 * threads);
}

static atomic_long signals_seen;

// What a careful program does in a handler: no allocation, errno kept.
static void on_signal(int number) {
  const int kept_errno = errno;
  char stack[2000];
  memset(stack, number, sizeof stack);
  atomic_fetch_add(&signals_seen, stack[1000] == number);
  errno = kept_errno;
}

// A timer of its own interrupts the calling thread every 20 us, far oftener than any program is.
static timer_t interrupt_often(void) {
  struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGUSR1};
  event._sigev_un._tid = gettid();
  timer_t timer = NULL;
  CHECK(timer_create(CLOCK_MONOTONIC, &event, &timer) == 0);
  const struct itimerspec interval = {{0, 20000}, {0, 20000}};
  CHECK(timer_settime(timer, 0, &interval, NULL) == 0);
  return timer;
}

static void* churn_under_signals(void* argument) {
  enum { slots = 200 };
  uint64_t state = *(uint64_t*)argument;
  void* blocks[slots] = {NULL};
  size_t sizes[slots] = {0};
  const timer_t timer = interrupt_often();
  // As many operations as it takes to be interrupted that often.
  while (atomic_load(&signals_seen) < 20000) {
    for (int i = 0; i < 1000; i++) {
      const size_t slot = next_random(&state) % slots;
      CHECK(blocks[slot] == NULL || holds(blocks[slot], sizes[slot], slot));
      free(blocks[slot]);
      sizes[slot] = next_random(&state) % 3000;
      blocks[slot] = malloc(sizes[slot]);
      fill(blocks[slot], sizes[slot], slot);
    }
  }
  timer_delete(timer);
  for (size_t i = 0; i < slots; i++) free(blocks[i]);
  return NULL;
}

void signals_at_a_high_rate(void) {
  struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
  CHECK(sigaction(SIGUSR1, &action, NULL) == 0);
  pthread_t threads[2];
  uint64_t seeds[2] = {3, 5};
  for (int i = 0; i < 2; i++) {
    CHECK(pthread_create(&threads[i], NULL, churn_under_signals, &seeds[i]) == 0);
  }
  for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
}

static void* report_for_ever(void* stream) {
  for (;;) {
    free(malloc(100));
    CHECK(malloc_info(0, stream) == 0);
  }
  return NULL;
}

// A thread that is cancelled as it writes leaves nothing locked.
void cancelled_reports(void) {
  FILE* nowhere = fopen("/dev/null", "w");
  if (!CHECK(nowhere != NULL)) return;
  setvbuf(nowhere, NULL, _IONBF, 0);
  for (int i = 0; i < 50; i++) {
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, report_for_ever, nowhere) == 0);
    for (int work = 0; work < 100 * i; work++) free(malloc((size_t)work * 100));
    pthread_cancel(thread);
    pthread_join(thread, NULL);
    CHECK(malloc_info(0, nowhere) == 0);
    malloc_trim(0);
  }
  fclose(nowhere);
}
