// heap_placement BLOCKS: where the blocks of each thread lie, in the five phases of a program's
// life that lose an allocator its nodes. One thread on each CPU; a block counts as local when the
// kernel says that its first page is on the node of the CPU that allocated it. One JSON line: phase
// -> [local, all], for small blocks (16 B to 32 KiB) and for pages of large ones (above 1 MiB).
// In each phase every thread then reads its small blocks between markers, where the lab counts
// whose memory that is.
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/marker.h"
#include "check.h"

enum { most_threads = 1024, large_blocks = 2, samples = 3, page = 4096, line = 64, batch = 2048 };
enum { local_rounds = 3, remote_rounds = 6 };
enum phase { fresh, after_local_frees, after_remote_frees, after_moving, after_rebirth, phases };

static const char* const names[phases] = {"fresh", "local_frees", "remote_frees", "moved",
                                          "reborn"};

struct count {
  long local, all;
};

struct worker {
  pthread_t thread;
  int cpu, node;
  uint64_t state;
  char** blocks;  // The small ones, then the large ones.
  size_t* sizes;
  struct count small[phases], large[phases];
};

static struct worker workers[most_threads];
static size_t threads, nodes, small_blocks;
static pthread_barrier_t barrier;

// The CPUs that may be used, by number; on every machine the catalogue has that is by node as well.
static void find_cpus(void) {
  int cpus[most_threads];
  threads = allowed_cpus(cpus, most_threads);
  for (size_t i = 0; i < threads; i++) workers[i].cpu = cpus[i];
}

static int move_to(int cpu) {
  unsigned now = 0, node = 0;
  run_on(cpu);
  CHECK(syscall(SYS_getcpu, &now, &node, NULL) == 0 && now == (unsigned)cpu);
  return (int)node;
}

static void find_nodes(void) {
  for (size_t i = 0; i < threads; i++) workers[i].node = move_to(workers[i].cpu);
  for (size_t i = 0; i < threads; i++) nodes += i == 0 || workers[i].node != workers[i - 1].node;
}

// The worker `far` nodes on. For each value of `far` every worker has another one.
static struct worker* neighbour(const struct worker* worker, size_t far) {
  const size_t shift = threads / nodes * (1 + far % (nodes > 1 ? nodes - 1 : 1));
  return &workers[((size_t)(worker - workers) + shift) % threads];
}

// 16 B to 32 KiB, every order of size as often; the large ones 1 to 3 MiB.
static size_t some_size(struct worker* worker, size_t index) {
  const uint64_t random = next_random(&worker->state);
  if (index >= small_blocks) return ((size_t)1 << 20) + random % ((size_t)2 << 20);
  const size_t power = (size_t)16 << (random >> 32) % 11;
  return power + random % power;
}

static void allocate_all(struct worker* worker) {
  for (size_t i = 0; i < small_blocks + large_blocks; i++) {
    worker->sizes[i] = some_size(worker, i);
    worker->blocks[i] = malloc(worker->sizes[i]);
    if (!CHECK(worker->blocks[i] != NULL)) exit(1);
    for (size_t at = 0; at < worker->sizes[i]; at += page) worker->blocks[i][at] = 1;
    worker->blocks[i][worker->sizes[i] - 1] = 1;
  }
}

static void free_some(struct worker* worker, size_t first, size_t step) {
  for (size_t i = first; i < small_blocks + large_blocks; i += step) {
    free(worker->blocks[i]);
    worker->blocks[i] = NULL;
  }
}

static void ask(void** pages, size_t size, int node, struct count* count) {
  int status[batch];
  CHECK(syscall(SYS_move_pages, 0, size, pages, NULL, status, 0) == 0);
  for (size_t i = 0; i < size; i++) count->local += status[i] == node;
  count->all += (long)size;
}

static void* page_of(char* block, size_t offset) {
  const size_t within = (uintptr_t)(block + offset) % page;
  return block + offset - within;
}

static void ask_where(struct worker* worker, enum phase phase) {
  void* pages[batch];
  size_t found = 0;
  for (size_t i = 0; i < small_blocks; i++) {
    pages[found++] = page_of(worker->blocks[i], 0);
    if (found < batch && i + 1 < small_blocks) continue;
    ask(pages, found, worker->node, &worker->small[phase]);
    found = 0;
  }
  for (size_t i = small_blocks; i < small_blocks + large_blocks; i++) {
    for (size_t k = 0; k < samples; k++) {
      pages[found++] = page_of(worker->blocks[i], (worker->sizes[i] - 1) / (samples - 1) * k);
    }
  }
  ask(pages, found, worker->node, &worker->large[phase]);
}

static void read_blocks(const struct worker* worker) {
  for (size_t i = 0; i < small_blocks; i++) {
    const volatile char* block = worker->blocks[i];
    for (size_t at = 0; at < worker->sizes[i]; at += line) (void)block[at];
  }
}

static void measure(struct worker* worker, enum phase phase) {
  const bool first = worker == workers;
  ask_where(worker, phase);
  pthread_barrier_wait(&barrier);
  if (first) hn_marker_begin();
  pthread_barrier_wait(&barrier);
  read_blocks(worker);
  pthread_barrier_wait(&barrier);
  if (first) hn_marker_end();
  pthread_barrier_wait(&barrier);
}

static void* list_of(size_t entry_size) {
  const size_t size = (small_blocks + large_blocks) * entry_size;
  void* list = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (!CHECK(list != MAP_FAILED)) exit(1);
  return list;
}

// After a move: what is counted are blocks alone, and not the list of them on the old node.
static void take_list_along(struct worker* worker) {
  const size_t count = small_blocks + large_blocks;
  char** blocks = list_of(sizeof *blocks);
  size_t* sizes = list_of(sizeof *sizes);
  memcpy(blocks, worker->blocks, count * sizeof *blocks);
  memcpy(sizes, worker->sizes, count * sizeof *sizes);
  worker->blocks = blocks;
  worker->sizes = sizes;
}

// The first generation: it dies with half of its blocks alive.
static void* live(void* argument) {
  struct worker* worker = argument;
  worker->node = move_to(worker->cpu);
  allocate_all(worker);
  measure(worker, fresh);
  for (int round = 0; round < local_rounds; round++) {
    free_some(worker, 1, 2);
    free_some(worker, 0, 2);
    allocate_all(worker);
  }
  measure(worker, after_local_frees);
  for (size_t round = 0; round < remote_rounds; round++) {
    pthread_barrier_wait(&barrier);
    free_some(neighbour(worker, round), 0, 1);
    pthread_barrier_wait(&barrier);
    allocate_all(worker);
  }
  measure(worker, after_remote_frees);
  pthread_barrier_wait(&barrier);
  worker->node = move_to(neighbour(worker, 0)->cpu);
  take_list_along(worker);
  free_some(worker, 0, 1);
  allocate_all(worker);
  measure(worker, after_moving);
  free_some(worker, 0, 2);
  return NULL;
}

// The second generation frees what the dead of other nodes left, and allocates anew.
static void* live_again(void* argument) {
  struct worker* worker = argument;
  worker->node = move_to(worker->cpu);
  free_some(neighbour(worker, 1), 1, 2);
  pthread_barrier_wait(&barrier);
  take_list_along(worker);
  allocate_all(worker);
  measure(worker, after_rebirth);
  pthread_barrier_wait(&barrier);
  free_some(worker, 0, 1);
  return NULL;
}

static void run(void* (*life)(void*)) {
  for (size_t i = 0; i < threads; i++) {
    if (!CHECK(pthread_create(&workers[i].thread, NULL, life, &workers[i]) == 0)) exit(1);
  }
  for (size_t i = 0; i < threads; i++) pthread_join(workers[i].thread, NULL);
}

static void print(void) {
  Dl_info allocator = {0};
  dladdr((void*)malloc, &allocator);
  printf("{\"allocator\": \"%s\", \"nodes\": %zu, \"threads\": %zu, \"blocks\": %zu",
         allocator.dli_fname ? allocator.dli_fname : "", nodes, threads, small_blocks);
  for (int phase = 0; phase < phases; phase++) {
    struct count small = {0, 0}, large = {0, 0};
    for (size_t i = 0; i < threads; i++) {
      small.local += workers[i].small[phase].local;
      small.all += workers[i].small[phase].all;
      large.local += workers[i].large[phase].local;
      large.all += workers[i].large[phase].all;
    }
    printf(", \"%s\": {\"small\": [%ld, %ld], \"large\": [%ld, %ld]}", names[phase], small.local,
           small.all, large.local, large.all);
  }
  printf("}\n");
}

int main(int argc, char** argv) {
  small_blocks = argc == 2 ? strtoul(argv[1], NULL, 10) : 0;
  if (small_blocks == 0) {
    fprintf(stderr, "usage: heap_placement BLOCKS-PER-THREAD\n");
    return 2;
  }
  find_cpus();
  find_nodes();
  pthread_barrier_init(&barrier, NULL, (unsigned)threads);
  for (size_t i = 0; i < threads; i++) {
    workers[i].state = i + 1;
    workers[i].blocks = list_of(sizeof(char*));
    workers[i].sizes = list_of(sizeof(size_t));
  }
  run(live);
  run(live_again);
  print();
  return check_failed() ? 1 : 0;
}
