// heap_fuzz SEED OPERATIONS THREADS FORKS: random operations on an allocator under test. Every
// block carries a pattern that only it has, so an overlap, a lost byte or a wrong move shows;
// blocks go from thread to thread, and the first thread forks in between, while the others go on.
#include <malloc.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

enum { slots = 2000, shared_slots = 256, most_threads = 64, child_operations = 3000 };

struct block {
  void* memory;
  size_t size;
  uint64_t pattern;
};

struct worker {
  pthread_t thread;
  uint64_t state;
  long operations;
  long forks;
  struct block blocks[slots];
};

static struct worker workers[most_threads];
static struct block shared[shared_slots];
static pthread_mutex_t shared_locks[shared_slots];

// Mostly small, now and then a large one; log-uniform, so every size class has its turn.
static size_t some_size(uint64_t* state) {
  const uint64_t kind = next_random(state) % 1000;
  const unsigned most_bits = kind < 900 ? 11 : kind < 997 ? 16 : 22;
  return next_random(state) & ((1ULL << (next_random(state) % most_bits + 1)) - 1);
}

static void allocate(struct block* block, uint64_t* state) {
  const size_t size = some_size(state);
  void* memory = NULL;
  size_t alignment = 16;
  switch (next_random(state) % 8) {
    case 0:
      memory = calloc(1, size);
      CHECK(memory != NULL && is_zero(memory, size));
      break;
    case 1:
      alignment = (size_t)16 << next_random(state) % 9;
      memory = aligned_alloc(alignment, size);
      break;
    case 2:
      if (posix_memalign(&memory, 64, size) != 0) memory = NULL;
      alignment = 64;
      break;
    default:
      memory = malloc(size);
  }
  if (!CHECK(memory != NULL && is_aligned(memory, alignment))) return;
  *block = (struct block){memory, size, next_random(state)};
  fill(memory, size, block->pattern);
}

static void release(struct block* block) {
  if (block->memory == NULL) return;
  CHECK(holds(block->memory, block->size, block->pattern));
  CHECK(malloc_usable_size(block->memory) >= block->size);
  free(block->memory);
  block->memory = NULL;
}

static void resize(struct block* block, uint64_t* state) {
  const size_t size = some_size(state) + 1;
  const size_t kept = (size < block->size ? size : block->size) / 8 * 8;
  CHECK(holds(block->memory, block->size, block->pattern));
  void* memory = realloc(block->memory, size);
  if (!CHECK(memory != NULL)) return;
  CHECK(kept == 0 || holds(memory, kept, block->pattern));
  block->memory = memory;
  block->size = size;
  block->pattern = next_random(state);
  fill(memory, size, block->pattern);
}

// Gives a block to whoever comes next, and takes one that another left.
static void exchange(struct block* block, uint64_t* state) {
  const size_t slot = next_random(state) % shared_slots;
  pthread_mutex_lock(&shared_locks[slot]);
  const struct block found = shared[slot];
  shared[slot] = *block;
  *block = found;
  pthread_mutex_unlock(&shared_locks[slot]);
}

static void operate(struct worker* worker, long operations, bool alone) {
  for (long i = 0; i < operations; i++) {
    struct block* block = &worker->blocks[next_random(&worker->state) % slots];
    const uint64_t action = next_random(&worker->state) % 16;
    if (action == 0 && !alone) {
      exchange(block, &worker->state);
    } else if (block->memory == NULL) {
      allocate(block, &worker->state);
    } else if (action < 4) {
      resize(block, &worker->state);
    } else {
      release(block);
    }
  }
}

static void* work_in_child(void* worker) {
  operate(worker, child_operations, true);
  return NULL;
}

// The child has one thread and every block of its parent; those that others were just handing over
// it leaves alone.
static void live_as_child(struct worker* worker) {
  alarm(60);
  operate(worker, child_operations, true);
  static struct worker second;
  second.state = worker->state ^ 1;
  CHECK(pthread_create(&second.thread, NULL, work_in_child, &second) == 0);
  operate(worker, child_operations, true);
  CHECK(pthread_join(second.thread, NULL) == 0);
  for (size_t i = 0; i < slots; i++) release(&worker->blocks[i]);
  for (size_t i = 0; i < slots; i++) release(&second.blocks[i]);
  CHECK(malloc_trim(0) >= 0);
  // Every other child ends as programs do, with what runs at exit.
  if (next_random(&worker->state) % 2) exit(check_failed() ? 1 : 0);
  _exit(check_failed() ? 1 : 0);
}

static void fork_once(struct worker* worker) {
  const pid_t child = fork();
  if (child == 0) live_as_child(worker);
  int status = 0;
  CHECK(waitpid(child, &status, 0) == child);
  CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static void* work(void* argument) {
  struct worker* worker = argument;
  const long part = worker->operations / (worker->forks + 1);
  for (long i = 0; i < worker->forks; i++) {
    operate(worker, part, false);
    fork_once(worker);
  }
  operate(worker, worker->operations - part * worker->forks, false);
  return NULL;
}

int main(int argc, char** argv) {
  if (argc != 5 || atoi(argv[3]) < 1 || atoi(argv[3]) > most_threads) {
    fprintf(stderr, "usage: heap_fuzz SEED OPERATIONS THREADS(1-%d) FORKS\n", most_threads);
    return 2;
  }
  const uint64_t seed = strtoull(argv[1], NULL, 0);
  const int threads = atoi(argv[3]);
  printf("seed %lu, %s operations, %d threads, %s forks\n", seed, argv[2], threads, argv[4]);
  fflush(stdout);
  for (int i = 0; i < shared_slots; i++) pthread_mutex_init(&shared_locks[i], NULL);
  for (int i = 0; i < threads; i++) {
    workers[i].state = (seed + (uint64_t)i + 1) * 0x9e3779b97f4a7c15ULL | 1;
    workers[i].operations = atol(argv[2]) / threads;
    workers[i].forks = i == 0 ? atol(argv[4]) : 0;
    CHECK(pthread_create(&workers[i].thread, NULL, work, &workers[i]) == 0);
  }
  for (int i = 0; i < threads; i++) CHECK(pthread_join(workers[i].thread, NULL) == 0);
  for (int i = 0; i < threads; i++) {
    for (size_t slot = 0; slot < slots; slot++) release(&workers[i].blocks[slot]);
  }
  for (int i = 0; i < shared_slots; i++) release(&shared[i]);
  return check_failed() ? 1 : 0;
}
