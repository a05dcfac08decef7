// How a guest comes up: the modules and the CPUs that a boot needs, and what a guest cannot know
// when it wakes up from a snapshot that was taken at some earlier time, and is shared by other
// guests: what time it is, and randomness of its own.
#include "guest.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <linux/random.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static void load_module(const char* path) {
  int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) hn_die("open the module", path);
  if (syscall(SYS_finit_module, file, "", 0) != 0 && errno != EEXIST)
    hn_die("load the module", path);
  close(file);
}

void hn_load_modules(void) {
  static char list[HN_PATH_MAX];
  if (hn_read_file("/modules", list, sizeof list) < 0) return;
  char* rest = list;
  for (char* path; (path = strsep(&rest, "\n")) != NULL;)
    if (*path != '\0') load_module(path);
}

// Starts the CPUs but the first, which the kernel was told to leave alone. While only one runs, all
// that the kernel does to its own page tables and to a module's code need not wait for the others:
// under emulation, with more CPUs than the host has, that is most of a boot.
void hn_start_cpus(void) {
  for (int number = 1;; ++number) {
    char path[64];
    snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/online", number);
    if (hn_write_file(path, "1")) continue;
    if (errno == ENOENT) return;
    hn_die("start the CPU by", path);
  }
}

void hn_keep_fault_event(void) {
  struct perf_event_attr faults = {.type = PERF_TYPE_SOFTWARE,
                                   .size = sizeof faults,
                                   .config = PERF_COUNT_SW_PAGE_FAULTS,
                                   .disabled = 1};
  syscall(SYS_perf_event_open, &faults, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

void hn_set_time(const char* text) {
  char* rest;
  struct timespec now = {.tv_sec = strtoll(text, &rest, 10)};
  if (*rest == '.') now.tv_nsec = strtol(rest + 1, NULL, 10);
  if (clock_settime(CLOCK_REALTIME, &now) != 0) hn_die("set the time to", text);
}

void hn_add_randomness(const char* seed) {
  int file = hn_open_with("/dev/urandom", seed);
  if (file < 0) hn_die("write to", "/dev/urandom");
  // Without this the kernel would draw from what it had in the snapshot for up to a minute. Kernels
  // before 4.14 do not know it.
  if (ioctl(file, RNDRESEEDCRNG) != 0 && errno != EINVAL && errno != ENODATA)
    hn_die("reseed", "/dev/urandom");
  close(file);
}
