/* Starts one command with an allocator preloaded and says what it used: CPU time, elapsed time,
 * peak resident memory. The kernel counts what a process held before its exec into its peak, so
 * whoever starts a measured program must be small: this is, an interpreter is not. Usage: launch
 * REPORT PRELOAD COMMAND…; PRELOAD may be empty. Writes one line of JSON to REPORT and exits as the
 * command did, 128 + the signal's number where a signal ended it, 127 where it could not be
 * started. SIGTERM and SIGINT go on to the command. */
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static volatile sig_atomic_t child;

static void pass_on(int signal_number) {
  if (child > 0) kill((pid_t)child, signal_number);
}

static double seconds(struct timeval time) {
  return (double)time.tv_sec + 1e-6 * (double)time.tv_usec;
}

/* In the child: the command with the library in front, which ends when its launcher does. */
static void start(const char* preload, char** command) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (preload[0] != '\0') setenv("LD_PRELOAD", preload, 1);
  execvp(command[0], command);
  fprintf(stderr, "launch: cannot start %s: %s\n", command[0], strerror(errno));
  _exit(127);
}

int main(int argc, char** argv) {
  if (argc < 4) {
    fprintf(stderr, "usage: launch REPORT PRELOAD COMMAND...\n");
    return 2;
  }
  struct timespec begin;
  struct timespec end;
  clock_gettime(CLOCK_MONOTONIC, &begin);
  child = fork();
  if (child < 0) {
    perror("launch: fork");
    return 1;
  }
  if (child == 0) start(argv[2], argv + 3);
  signal(SIGTERM, pass_on);
  signal(SIGINT, pass_on);
  int status = 0;
  struct rusage used;
  while (wait4((pid_t)child, &status, 0, &used) < 0) {
    if (errno != EINTR) {
      perror("launch: wait4");
      return 1;
    }
  }
  clock_gettime(CLOCK_MONOTONIC, &end);
  FILE* const report = fopen(argv[1], "w");
  if (report == NULL) {
    perror("launch: cannot write the report");
    return 1;
  }
  const double wall =
      (double)(end.tv_sec - begin.tv_sec) + 1e-9 * (double)(end.tv_nsec - begin.tv_nsec);
  fprintf(report, "{\"user_s\": %.6f, \"system_s\": %.6f, \"wall_s\": %.6f, \"peak_kib\": %ld}\n",
          seconds(used.ru_utime), seconds(used.ru_stime), wall, used.ru_maxrss);
  if (fclose(report) != 0) {
    perror("launch: cannot write the report");
    return 1;
  }
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}
