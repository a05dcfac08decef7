// An MPI program as people write them, to be placed from outside: each process starts one more
// thread, and both say where they run and where what they touched lies. The test reads the lines:
//   RANK NUMBER cpus=LIST memory=NODE:PAGES+…
// RANK is that of MPI; NUMBER is the thread's in the order of creation, 0 being main. MPI may have
// started threads of its own before.
#define _GNU_SOURCE
#include <dirent.h>
#include <mpi.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { PAGES = 64, PAGE_BYTES = 4096, MOST_IDS = 1024 };

static int rank;

static int append(char* text, const char* format, int first, int second) {
  char part[32];
  snprintf(part, sizeof part, format, first, second);
  strcat(text, part);
  return 1;
}

// From the kernel: a main thread that has created none is told the whole map by its C library.
static void append_cpus(char* text) {
  cpu_set_t cpus;
  CPU_ZERO(&cpus);
  syscall(SYS_sched_getaffinity, 0, sizeof cpus, &cpus);
  for (int cpu = 0, some = 0; cpu < MOST_IDS; ++cpu) {
    if (CPU_ISSET(cpu, &cpus)) some = append(text, some ? ",%d" : "%d", cpu, 0);
  }
}

static void append_memory(char* text) {
  char* memory =
      mmap(NULL, PAGES * PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  void* pages[PAGES];
  int status[PAGES];
  int counts[MOST_IDS] = {0};
  memset(memory, 1, PAGES * PAGE_BYTES);
  for (int i = 0; i < PAGES; ++i) pages[i] = memory + i * PAGE_BYTES;
  syscall(SYS_move_pages, 0, (unsigned long)PAGES, pages, NULL, status, 0);
  for (int i = 0; i < PAGES; ++i) {
    if (status[i] >= 0) ++counts[status[i]];
  }
  for (int node = 0, some = 0; node < MOST_IDS; ++node) {
    if (counts[node] > 0) some = append(text, some ? "+%d:%d" : "%d:%d", node, counts[node]);
  }
}

static void report(int number) {
  char text[4 * MOST_IDS] = "";
  append(text, "%d %d cpus=", rank, number);
  append_cpus(text);
  strcat(text, " memory=");
  append_memory(text);
  strcat(text, "\n");
  // One write, so that the lines of several processes do not mix.
  if (write(STDOUT_FILENO, text, strlen(text)) < 0) _exit(1);
}

static void* run(void* number) {
  report((int)(long)number);
  return NULL;
}

static long count_threads(void) {
  long count = 0;
  DIR* tasks = opendir("/proc/self/task");
  for (struct dirent* entry; (entry = readdir(tasks)) != NULL;) count += entry->d_name[0] != '.';
  closedir(tasks);
  return count;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  report(0);
  pthread_t thread;
  pthread_create(&thread, NULL, run, (void*)count_threads());
  pthread_join(thread, NULL);
  MPI_Finalize();
}
