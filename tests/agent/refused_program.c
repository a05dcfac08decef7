/* A program that is to do its work whatever the kernel refuses the agent. It prints what it
 * computed and, in lines that begin with "placed", what the kernel says of its threads. */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { big_bytes = 1 << 20, data_bytes = 1 << 18 };
char static_data[data_bytes] __attribute__((aligned(4096))) = {1};

static void say_placed(const char* who) {
  cpu_set_t cpus;
  int mode = -1;
  sched_getaffinity(0, sizeof cpus, &cpus);
  syscall(SYS_get_mempolicy, &mode, NULL, 0UL, NULL, 0UL);
  printf("placed %s: %d CPUs, policy %d\n", who, CPU_COUNT(&cpus), mode);
  fflush(stdout);
}

static void* work(void* who) {
  say_placed(who);
  return NULL;
}

int main(void) {
  say_placed("main");
  unsigned long sum = 0;
  unsigned char* const big = malloc(big_bytes);
  if (big == NULL) return 1;
  memset(big, 3, big_bytes);
  for (long i = 0; i < big_bytes; ++i) sum += big[i];
  for (long i = 0; i < data_bytes; ++i) sum += (unsigned char)static_data[i];
  free(big);
  for (int i = 0; i < 2; ++i) {
    pthread_t thread;
    char who[16];
    snprintf(who, sizeof who, "thread %d", i + 1);
    if (pthread_create(&thread, NULL, work, who) != 0) return 2;
    pthread_join(thread, NULL);
  }
  const pid_t child = fork();
  if (child == 0) {
    say_placed("child");
    _exit(0);
  }
  int status = -1;
  if (child < 0 || waitpid(child, &status, 0) != child || status != 0) return 3;
  printf("sum %lu\n", sum);
  return 0;
}
