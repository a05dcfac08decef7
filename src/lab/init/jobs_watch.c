// What a watched job has in its address spaces and which threads it has, for the driver: the lab's
// sample file says to which mapping and thread an address belongs. It is looked up again and again,
// as programs give memory back, and threads end, long before they do so themselves; the program
// itself is left alone. What has not changed since the last look is not written again.
//
// The session's file "watch" of the job gets records of a line and a text of so many bytes:
//   maps PID NANOSECONDS BYTES      then what /proc/PID/maps says
//   threads PID NANOSECONDS BYTES   then "TID NAME" for each; the kernel's are PID 2's
#include "jobs.h"

#include "guest.h"

#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum {
  TEXT_MAX = 8 << 20,
  // The guest's CPUs are the program's: after a look that took long, more time passes.
  SOONEST_MS = 10,
  LATEST_MS = 100,
  TIMES_AS_LONG = 2,
  PROCESSES_MAX = 4096,
  BUFFER_BYTES = 1 << 20,
  KTHREADD = 2,  // All other threads of the kernel are its children.
};

// What was last written of a process: two hashes.
static struct {
  int pid;
  uint64_t maps;
  uint64_t threads;
} known[PROCESSES_MAX];

static uint64_t hash_of(const char* text, long length) {
  uint64_t hash = 0xcbf29ce484222325;
  for (long i = 0; i < length; ++i) hash = (hash ^ (unsigned char)text[i]) * 0x100000001b3;
  return hash;
}

static long long now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000000000LL + now.tv_nsec;
}

static void write_record(struct hn_watch* watch, const char* kind, int pid, const char* text,
                         long length) {
  fprintf(watch->file, "%s %d %lld %ld\n", kind, pid, now_ns(), length);
  fwrite(text, 1, (size_t)length, watch->file);
}

// "TID NAME" of each thread; the length.
static long read_threads(int pid, char* text, size_t size) {
  char path[96];
  size_t used = 0;
  snprintf(path, sizeof path, "/proc/%d/task", pid);
  DIR* tasks = opendir(path);
  for (struct dirent* entry; tasks != NULL && (entry = readdir(tasks)) != NULL;) {
    char name[64];
    if (!isdigit((unsigned char)entry->d_name[0])) continue;
    snprintf(path, sizeof path, "/proc/%d/task/%.20s/comm", pid, entry->d_name);
    if (hn_read_file(path, name, sizeof name) <= 0) continue;
    if (used + sizeof name + 32 > size) break;
    used += (size_t)snprintf(text + used, size - used, "%.20s %s", entry->d_name, name);
  }
  if (tasks != NULL) closedir(tasks);
  return (long)used;
}

// Threads of the kernel, for which ids are taken from among the program's. There is nothing else to
// look up about them. A kernel without CONFIG_PROC_CHILDREN does not tell them.
static struct {
  int tids[PROCESSES_MAX];
  size_t count;
  uint64_t hash;
} of_kernel;

static int by_number(const void* one, const void* other) {
  return *(const int*)one - *(const int*)other;
}

static bool is_of_kernel(int tid) {
  return bsearch(&tid, of_kernel.tids, of_kernel.count, sizeof tid, by_number) != NULL;
}

static void look_at_kernel(struct hn_watch* watch) {
  static char text[32 * PROCESSES_MAX];
  char* at = text;
  of_kernel.count = 0;
  if (hn_read_file("/proc/2/task/2/children", text, sizeof text) <= 0) return;
  for (char* end; of_kernel.count < PROCESSES_MAX; at = end) {
    const int tid = (int)strtol(at, &end, 10);
    if (end == at) break;
    of_kernel.tids[of_kernel.count++] = tid;
  }
  qsort(of_kernel.tids, of_kernel.count, sizeof *of_kernel.tids, by_number);
  size_t used = 0;
  for (size_t i = 0; i < of_kernel.count; ++i)
    used += (size_t)snprintf(text + used, sizeof text - used, "%d kernel\n", of_kernel.tids[i]);
  const uint64_t hash = hash_of(text, (long)used);
  if (hash != of_kernel.hash) write_record(watch, "threads", KTHREADD, text, (long)used);
  of_kernel.hash = hash;
}

static void look_at(struct hn_watch* watch, int pid) {
  static char text[TEXT_MAX];
  char path[64];
  snprintf(path, sizeof path, "/proc/%d/maps", pid);
  const long length = hn_read_file(path, text, sizeof text);
  if (length <= 0) return;  // It has just ended.
  // Processes that share a place write more often than need be, no more.
  const int place = pid % PROCESSES_MAX;
  const uint64_t maps = hash_of(text, length);
  const bool fresh = known[place].pid != pid;
  if (fresh || known[place].maps != maps) write_record(watch, "maps", pid, text, length);
  const long names = read_threads(pid, text, sizeof text);
  const uint64_t threads = hash_of(text, names);
  if (names > 0 && (fresh || known[place].threads != threads))
    write_record(watch, "threads", pid, text, names);
  known[place].pid = pid;
  known[place].maps = maps;
  known[place].threads = threads;
}

void hn_watch_open(struct hn_watch* watch, const char* job) {
  char path[HN_PATH_MAX];
  snprintf(path, sizeof path, HN_SESSION "/%s/watch", job);
  *watch = HN_NO_WATCH;
  const int file = open(path, O_WRONLY | O_APPEND | O_CLOEXEC);
  if (file < 0) return;
  watch->file = fdopen(file, "a");
  if (watch->file == NULL) {
    close(file);
    return;
  }
  // A write to the host may take as long as ten looks, and what comes and goes meanwhile is missed.
  watch->buffer = malloc(BUFFER_BYTES);
  if (watch->buffer != NULL) setvbuf(watch->file, watch->buffer, _IOFBF, BUFFER_BYTES);
  memset(known, 0, sizeof known);
  of_kernel.hash = 0;
}

int hn_watch_wait_ms(const struct hn_watch* watch) {
  if (watch->file == NULL) return -1;
  const long left = watch->next_ms - hn_uptime_ms();
  return left > 0 ? (int)left : 0;
}

void hn_watch_look(struct hn_watch* watch) {
  if (hn_watch_wait_ms(watch) != 0) return;
  const long began_ms = hn_uptime_ms();
  look_at_kernel(watch);
  DIR* processes = opendir("/proc");
  for (struct dirent* entry; processes != NULL && (entry = readdir(processes)) != NULL;) {
    const int pid = atoi(entry->d_name);
    if (pid > KTHREADD && !is_of_kernel(pid)) look_at(watch, pid);
  }
  if (processes != NULL) closedir(processes);
  const long ended_ms = hn_uptime_ms();
  const long wait_ms = SOONEST_MS + TIMES_AS_LONG * (ended_ms - began_ms);
  watch->next_ms = ended_ms + (wait_ms < LATEST_MS ? wait_ms : LATEST_MS);
}

void hn_watch_close(struct hn_watch* watch) {
  if (watch->file != NULL) fclose(watch->file);
  free(watch->buffer);
  *watch = HN_NO_WATCH;
}
