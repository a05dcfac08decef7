#include "check.h"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static atomic_int failures;

bool check(bool holds, const char* condition, const char* file, int line) {
  enum { told = 20 };
  if (!holds && atomic_fetch_add(&failures, 1) < told) {
    char text[512];
    int length = snprintf(text, sizeof text, "%s:%d: does not hold: %s\n", file, line, condition);
    (void)!write(STDERR_FILENO, text, (size_t)length);
  }
  return holds;
}

bool check_failed(void) {
  return atomic_load(&failures) != 0;
}

static bool wanted(int argc, char** argv, const char* name) {
  for (int i = 1; i < argc; i++) {
    if (strcmp(argv[i], name) == 0) return true;
  }
  return argc < 2;
}

static bool known(const char* name, const struct section* sections, size_t count) {
  for (size_t i = 0; i < count; i++) {
    if (strcmp(sections[i].name, name) == 0) return true;
  }
  return false;
}

// Whether the section ended well. A child of its own: the parent has one thread and stays clean.
static bool passes(const struct section* section) {
  enum { enough_s = 240 };
  pid_t child = fork();
  if (child == 0) {
    alarm(enough_s);
    section->run();
    _exit(check_failed() ? 1 : 0);
  }
  int status = 0;
  if (child < 0 || waitpid(child, &status, 0) != child) return false;
  if (WIFSIGNALED(status)) {
    fprintf(stderr, "%s: killed by signal %d\n", section->name, WTERMSIG(status));
  }
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

int run_sections(int argc, char** argv, const struct section* sections, size_t count) {
  for (int i = 1; i < argc; i++) {
    if (known(argv[i], sections, count)) continue;
    fprintf(stderr, "usage: %s [SECTION...]\nsections:", argv[0]);
    for (size_t s = 0; s < count; s++) fprintf(stderr, " %s", sections[s].name);
    fprintf(stderr, "\n");
    return 2;
  }
  bool passed = true;
  for (size_t i = 0; i < count; i++) {
    if (!wanted(argc, argv, sections[i].name)) continue;
    if (passes(&sections[i])) continue;
    fprintf(stderr, "failed: %s\n", sections[i].name);
    passed = false;
  }
  return passed ? 0 : 1;
}

uint64_t next_random(uint64_t* state) {
  uint64_t x = *state;
  x ^= x >> 12;
  x ^= x << 25;
  x ^= x >> 27;
  *state = x;
  return x * 2685821657736338717ULL;
}

static uint64_t word(uint64_t pattern, size_t index) {
  return (pattern + index) * 0x9e3779b97f4a7c15ULL;
}

void fill(void* block, size_t size, uint64_t pattern) {
  unsigned char* bytes = block;
  size_t index = 0;
  for (; size >= sizeof(uint64_t); size -= sizeof(uint64_t), bytes += sizeof(uint64_t)) {
    uint64_t value = word(pattern, index++);
    memcpy(bytes, &value, sizeof value);
  }
  uint64_t rest = word(pattern, index);
  memcpy(bytes, &rest, size);
}

bool holds(const void* block, size_t size, uint64_t pattern) {
  const unsigned char* bytes = block;
  size_t index = 0;
  for (; size >= sizeof(uint64_t); size -= sizeof(uint64_t), bytes += sizeof(uint64_t)) {
    uint64_t value = word(pattern, index++);
    if (memcmp(bytes, &value, sizeof value) != 0) return false;
  }
  uint64_t rest = word(pattern, index);
  return memcmp(bytes, &rest, size) == 0;
}

bool is_zero(const void* block, size_t size) {
  const unsigned char* bytes = block;
  return size == 0 || (bytes[0] == 0 && memcmp(bytes, bytes + 1, size - 1) == 0);
}

// Field `index` of /proc/self/statm, in MiB.
static size_t statm_mib(int index) {
  char text[256];
  int file = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
  ssize_t length = file < 0 ? -1 : read(file, text, sizeof text - 1);
  if (file >= 0) close(file);
  if (length <= 0) return 0;
  text[length] = 0;
  unsigned long fields[2] = {0, 0};
  if (sscanf(text, "%lu %lu", &fields[0], &fields[1]) != 2) return 0;
  return fields[index] * (size_t)sysconf(_SC_PAGESIZE) >> 20;
}

size_t resident_mib(void) {
  return statm_mib(1);
}
size_t mapped_mib(void) {
  return statm_mib(0);
}

size_t allowed_cpus(int* cpus, size_t most) {
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  CHECK(sched_getaffinity(0, sizeof allowed, &allowed) == 0);
  size_t count = 0;
  for (int cpu = 0; cpu < CPU_SETSIZE && count < most; cpu++) {
    if (CPU_ISSET(cpu, &allowed)) cpus[count++] = cpu;
  }
  return count;
}

void run_on(int cpu) {
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(cpu, &one);
  CHECK(sched_setaffinity(0, sizeof one, &one) == 0);
}
