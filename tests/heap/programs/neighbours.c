// heap_neighbours [ROUNDS [BYTES]]: messages as Charm++'s kNeighbor sends them. One thread sits on
// each CPU of a ring; in each round it sends a message to three neighbours on either side, who read
// it and send the same object back as the acknowledgment; then its sender frees it. Between the
// markers the lab counts who uses whose memory. In the last round each sender asks the kernel where
// its messages are: one JSON line with the pages on its own node, on each node, and in all.
#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/marker.h"
#include "check.h"

enum { most_threads = 1024, most_nodes = 1024, reach = 3, page = 4096, most_pages = 1024 };

struct message {
  struct message* next;
  size_t sender;
  uint64_t pattern;
  char text[];
};

struct worker {
  pthread_t thread;
  int cpu, node;
  pthread_mutex_t lock;  // Of the inbox.
  struct message* inbox;
  size_t returned;  // Acknowledgments of this round.
};

static struct worker workers[most_threads];
static size_t threads, rounds = 200, text_bytes = 16384;
static atomic_size_t finished;
static pthread_barrier_t barrier;
static atomic_long own_pages, all_pages, pages_on[most_nodes];

static void put(struct worker* worker, struct message* message) {
  pthread_mutex_lock(&worker->lock);
  message->next = worker->inbox;
  worker->inbox = message;
  pthread_mutex_unlock(&worker->lock);
}

static struct message* take_all(struct worker* worker) {
  pthread_mutex_lock(&worker->lock);
  struct message* all = worker->inbox;
  worker->inbox = NULL;
  pthread_mutex_unlock(&worker->lock);
  return all;
}

// What came in: one's own message is an acknowledgment, another's goes back to it.
static bool serve(struct worker* worker) {
  struct message* message = take_all(worker);
  const bool any = message != NULL;
  while (message != NULL) {
    struct message* next = message->next;
    CHECK(holds(message->text, text_bytes, message->pattern));
    if (message->sender == (size_t)(worker - workers)) {
      worker->returned++;
      free(message);
    } else {
      put(&workers[message->sender], message);
    }
    message = next;
  }
  return any;
}

static void ask_where(const struct worker* worker, struct message* message) {
  void* pages[most_pages];
  int status[most_pages];
  const uintptr_t end = (uintptr_t)message + sizeof *message + text_bytes;
  size_t count = 0;
  for (uintptr_t at = (uintptr_t)message / page * page; at < end; at += page) {
    if (count < most_pages) pages[count++] = (void*)at;
  }
  CHECK(syscall(SYS_move_pages, 0, count, pages, NULL, status, 0) == 0);
  for (size_t i = 0; i < count; i++) {
    if (!CHECK(status[i] >= 0 && status[i] < most_nodes)) continue;
    if (status[i] == worker->node) own_pages++;
    pages_on[status[i]]++;
    all_pages++;
  }
}

static void send_round(struct worker* worker, size_t round) {
  const size_t rank = (size_t)(worker - workers);
  size_t sent = 0;
  worker->returned = 0;
  for (size_t far = 1; far <= reach; far++) {
    for (int side = 0; side < 2; side++) {
      const size_t to = (rank + (side ? far : threads - far % threads)) % threads;
      struct message* message = malloc(sizeof *message + text_bytes);
      if (!CHECK(message != NULL)) exit(1);
      message->sender = rank;
      message->pattern = rank << 32 | round << 8 | far << 1 | (uint64_t)side;
      fill(message->text, text_bytes, message->pattern);
      if (round + 1 == rounds) ask_where(worker, message);
      put(&workers[to], message);
      sent++;
    }
  }
  while (worker->returned < sent) {
    if (!serve(worker)) sched_yield();
  }
}

static void* live(void* argument) {
  struct worker* worker = argument;
  run_on(worker->cpu);
  unsigned cpu = 0, node = 0;
  CHECK(syscall(SYS_getcpu, &cpu, &node, NULL) == 0);
  worker->node = (int)node;
  pthread_barrier_wait(&barrier);
  for (size_t round = 0; round < rounds; round++) send_round(worker, round);
  finished++;
  while (finished < threads) {
    if (!serve(worker)) sched_yield();
  }
  return NULL;
}

static void print(void) {
  Dl_info allocator = {0};
  dladdr((void*)malloc, &allocator);
  printf("{\"allocator\": \"%s\", \"threads\": %zu, \"own_pages\": %ld, \"all_pages\": %ld",
         allocator.dli_fname ? allocator.dli_fname : "", threads, own_pages, all_pages);
  printf(", \"pages_on_node\": {");
  const char* between = "";
  for (int node = 0; node < most_nodes; node++) {
    if (pages_on[node] == 0) continue;
    printf("%s\"%d\": %ld", between, node, pages_on[node]);
    between = ", ";
  }
  printf("}}\n");
}

int main(int argc, char** argv) {
  if (argc > 1) rounds = strtoul(argv[1], NULL, 10);
  if (argc > 2) text_bytes = strtoul(argv[2], NULL, 10);
  if (argc > 3 || rounds == 0 || text_bytes > (most_pages - 2) * (size_t)page) {
    fprintf(stderr, "usage: heap_neighbours [ROUNDS [BYTES]]\n");
    return 2;
  }
  int cpus[most_threads];
  threads = allowed_cpus(cpus, most_threads);
  for (size_t i = 0; i < threads; i++) workers[i].cpu = cpus[i];
  pthread_barrier_init(&barrier, NULL, (unsigned)threads + 1);
  for (size_t i = 0; i < threads; i++) {
    pthread_mutex_init(&workers[i].lock, NULL);
    if (!CHECK(pthread_create(&workers[i].thread, NULL, live, &workers[i]) == 0)) exit(1);
  }
  hn_marker_begin();
  pthread_barrier_wait(&barrier);
  for (size_t i = 0; i < threads; i++) pthread_join(workers[i].thread, NULL);
  hn_marker_end();
  print();
  return check_failed() ? 1 : 0;
}
