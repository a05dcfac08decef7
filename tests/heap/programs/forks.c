// Forks at moments at which locks are held: of libc's streams by another thread, and of the
// allocator by the very code that a signal has interrupted.
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"
#include "lives.h"

enum { line_bytes = 100000, enough_s = 60 };

static atomic_bool stop;

// Holds the lock of libc's list of streams, and waits with it for each stream.
static void* flush_all(void* unused) {
  while (!atomic_load(&stop)) fflush(NULL);
  return unused;
}

// Holds the lock of its stream, and allocates with it.
static void* read_lines(void* text) {
  while (!atomic_load(&stop)) {
    FILE* stream = fmemopen(text, line_bytes, "r");
    char* line = NULL;
    size_t capacity = 0;
    if (!CHECK(stream != NULL)) break;
    CHECK(getline(&line, &capacity, stream) == line_bytes);
    free(line);
    fclose(stream);
  }
  return NULL;
}

static bool child_allocates_and_prints(void) {
  const pid_t child = fork();
  if (child == 0) {
    alarm(enough_s);
    char* block = malloc(line_bytes);
    FILE* stream = tmpfile();
    const bool printed = block != NULL && stream != NULL && fprintf(stream, "%p", block) > 0;
    if (stream != NULL) fclose(stream);
    free(block);
    _exit(printed ? 0 : 1);
  }
  int status = 1;
  return child > 0 && waitpid(child, &status, 0) == child && status == 0;
}

// libc takes the lock of its streams in fork() after the handlers have run that a library sets: an
// allocator that holds its own by then waits for a thread that waits for the allocator.
void fork_beside_streams(void) {
  static char text[line_bytes];
  memset(text, 'x', sizeof text);
  text[line_bytes - 1] = '\n';
  alarm(enough_s);
  pthread_t threads[3];
  CHECK(pthread_create(&threads[0], NULL, flush_all, NULL) == 0);
  CHECK(pthread_create(&threads[1], NULL, read_lines, text) == 0);
  CHECK(pthread_create(&threads[2], NULL, read_lines, text) == 0);
  for (int i = 0; i < 300; i++) {
    if (!CHECK(child_allocates_and_prints())) break;
  }
  atomic_store(&stop, true);
  for (size_t i = 0; i < 3; i++) pthread_join(threads[i], NULL);
}

static volatile sig_atomic_t forks;

// What a handler does with what it has forked.
static void count_fork(pid_t child) {
  if (child == 0) _exit(0);
  int status = 1;
  if (child < 0 || waitpid(child, &status, 0) != child || status != 0) _exit(1);
  forks++;
}

static void* allocate_until_stopped(void* unused) {
  for (size_t size = 1; !atomic_load(&stop); size = size * 7 % 1000003) free(malloc(size));
  return unused;
}

static void fork_without_handlers(int signal) {
  (void)signal;
  count_fork(_Fork());
}

// _Fork() calls no handlers, and may be called by a signal handler beside other threads.
void plain_fork_in_a_handler(void) {
  enum { wanted = 200 };
  alarm(enough_s);
  struct sigaction action = {.sa_handler = fork_without_handlers, .sa_flags = SA_RESTART};
  CHECK(sigaction(SIGUSR1, &action, NULL) == 0);
  pthread_t threads[2];
  for (size_t i = 0; i < 2; i++) {
    CHECK(pthread_create(&threads[i], NULL, allocate_until_stopped, NULL) == 0);
  }
  while (forks < wanted) {
    const sig_atomic_t before = forks;
    CHECK(pthread_kill(threads[0], SIGUSR1) == 0);
    while (forks == before) free(malloc(1000));
  }
  atomic_store(&stop, true);
  for (size_t i = 0; i < 2; i++) pthread_join(threads[i], NULL);
}

// Asks for one SIGALRM. A timer that repeats would leave the program no time to run in where a
// fork takes longer than its interval.
static void ask_for_alarm(void) {
  const struct itimerval soon = {{0, 0}, {0, 200}};
  if (setitimer(ITIMER_REAL, &soon, NULL) != 0) _exit(1);
}

static void fork_now(int signal) {
  (void)signal;
  count_fork(fork());
  ask_for_alarm();
}

// A program with one thread may fork in a handler, whatever the handler interrupted.
void fork_in_a_handler(void) {
  enum { wanted = 400, kinds = 32 };
  struct sigaction action = {.sa_handler = fork_now, .sa_flags = SA_RESTART};
  CHECK(sigaction(SIGALRM, &action, NULL) == 0);
  ask_for_alarm();
  void* blocks[kinds] = {NULL};
  for (size_t i = 0; forks < wanted; i++) {
    free(blocks[i % kinds]);
    blocks[i % kinds] = malloc((size_t)40000 * (1 + i % 7));
    CHECK(blocks[i % kinds] != NULL);
  }
  const struct itimerval never = {{0, 0}, {0, 0}};
  CHECK(setitimer(ITIMER_REAL, &never, NULL) == 0);
  for (size_t i = 0; i < kinds; i++) free(blocks[i]);
}
