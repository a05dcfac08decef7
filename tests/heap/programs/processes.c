// Processes that start others while their threads allocate; threads with little stack, and many.
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <spawn.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"
#include "lives.h"

extern char** environ;

static atomic_bool stop;

static void* churn(void* argument) {
  uint64_t state = (size_t)argument + 1;
  void* blocks[64] = {NULL};
  while (!atomic_load(&stop)) {
    const size_t slot = next_random(&state) % 64;
    free(blocks[slot]);
    blocks[slot] = malloc(next_random(&state) % 5000);
  }
  for (size_t i = 0; i < 64; i++) free(blocks[i]);
  return NULL;
}

static void while_others_churn(void (*run)(void)) {
  pthread_t threads[3];
  for (size_t i = 0; i < 3; i++) {
    void* argument = (void*)i;  // NOLINT(performance-no-int-to-ptr)
    CHECK(pthread_create(&threads[i], NULL, churn, argument) == 0);
  }
  run();
  atomic_store(&stop, true);
  for (size_t i = 0; i < 3; i++) pthread_join(threads[i], NULL);
}

static void allocate_in_handler(void) {
  for (size_t size = 1; size < 200000; size *= 3) free(malloc(size));
}

static void fork_often(void) {
  // A program's handlers run while an allocator's own may hold its locks.
  CHECK(pthread_atfork(allocate_in_handler, allocate_in_handler, allocate_in_handler) == 0);
  for (int i = 0; i < 30; i++) {
    const pid_t child = fork();
    if (child == 0) {
      alarm(60);
      allocate_in_handler();
      // A grandchild, as shells and daemons have them.
      const pid_t grandchild = fork();
      if (grandchild == 0) {
        allocate_in_handler();
        _exit(3);
      }
      int status = 0;
      _exit(waitpid(grandchild, &status, 0) == grandchild && WEXITSTATUS(status) == 3 ? 3 : 1);
    }
    int status = 0;
    CHECK(waitpid(child, &status, 0) == child);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 3);
  }
}

void handlers_of_fork(void) {
  while_others_churn(fork_often);
}

static void start_programs(void) {
  for (int i = 0; i < 10; i++) {
    FILE* pipe = popen("echo started", "r");
    char* line = NULL;
    size_t capacity = 0;
    CHECK(pipe != NULL && getline(&line, &capacity, pipe) == 8);
    CHECK(pclose(pipe) == 0);
    free(line);
    char* arguments[] = {(char*)"true", NULL};
    pid_t child = 0;
    int status = 1;
    CHECK(posix_spawnp(&child, "true", NULL, NULL, arguments, environ) == 0);
    CHECK(waitpid(child, &status, 0) == child && status == 0);
    CHECK(system("exit 4") >> 8 == 4);
    child = vfork();
    if (child == 0) execlp("true", "true", NULL);
    CHECK(waitpid(child, &status, 0) == child && status == 0);
  }
}

void programs_start_programs(void) {
  while_others_churn(start_programs);
}

static void* use_all_sizes(void* unused) {
  for (size_t size = 1; size < (size_t)64 << 20; size = size * 3 / 2 + 1) {
    char* block = malloc(size);
    char* aligned = aligned_alloc(4096, size);
    if (CHECK(block != NULL && aligned != NULL)) block[size - 1] = aligned[size - 1] = 1;
    free(block);
    free(realloc(aligned, size + 100));
  }
  CHECK(malloc(opaque(PTRDIFF_MAX) + 1) == NULL);
  return unused;
}

// A thread may have as little stack as the C library allows; an allocator must do with its rest.
void small_stacks(void) {
  pthread_attr_t attributes;
  CHECK(pthread_attr_init(&attributes) == 0);
  CHECK(pthread_attr_setstacksize(&attributes, (size_t)sysconf(_SC_THREAD_STACK_MIN)) == 0);
  for (int i = 0; i < 4; i++) {
    pthread_t thread;
    if (!CHECK(pthread_create(&thread, &attributes, use_all_sizes, NULL) == 0)) return;
    pthread_join(thread, NULL);
  }
}

enum { at_once = 400 };
static pthread_barrier_t all_there;

static void* wait_with_blocks(void* unused) {
  void* blocks[20];
  for (size_t i = 0; i < 20; i++) {
    blocks[i] = malloc(16 << i % 8);
    if (CHECK(blocks[i] != NULL)) memset(blocks[i], 1, 16 << i % 8);
  }
  pthread_barrier_wait(&all_there);
  pthread_barrier_wait(&all_there);
  for (size_t i = 0; i < 20; i++) free(blocks[i]);
  return unused;
}

// 400 threads with 10 KiB each: what each costs beside is bounded.
void many_threads_at_once(void) {
  enum { kib_per_thread = 160 };
  pthread_t threads[at_once];
  const size_t before_mib = resident_mib();
  CHECK(pthread_barrier_init(&all_there, NULL, at_once + 1) == 0);
  for (size_t i = 0; i < at_once; i++) {
    if (!CHECK(pthread_create(&threads[i], NULL, wait_with_blocks, NULL) == 0)) _exit(1);
  }
  pthread_barrier_wait(&all_there);
  CHECK(resident_mib() <= before_mib + (size_t)at_once * kib_per_thread / 1024);
  pthread_barrier_wait(&all_there);
  for (size_t i = 0; i < at_once; i++) pthread_join(threads[i], NULL);
}
