// Memory that runs out. Before a kernel kills for it, it takes the pages that programs run from and
// reads them again, for seconds or minutes. Here it kills as soon as that is so: when all that
// wants to run waits for memory, and there is none to be had.
#include "guest.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

// Nothing runs in 0.8 s of 2: it waits for memory. A program that moves to a slower node's memory
// waits as long at times, but there is memory left then.
static const char all_wait[] = "full 800000 2000000";
enum { LEAST_PART = 50 };

int hn_open_pressure(void) {
  const int file = open("/proc/pressure/memory", O_RDWR | O_NONBLOCK | O_CLOEXEC);
  if (file >= 0 && write(file, all_wait, sizeof all_wait) > 0) return file;
  if (file >= 0) close(file);
  return -1;
}

static long kib_of(const char* meminfo, const char* name) {
  const char* line = strstr(meminfo, name);
  long kib = -1;
  return line != NULL && sscanf(line + strlen(name), " %ld", &kib) == 1 ? kib : -1;
}

void hn_end_thrashing(void) {
  static char meminfo[4096];
  if (hn_read_file("/proc/meminfo", meminfo, sizeof meminfo) < 0) return;
  const long all = kib_of(meminfo, "MemTotal:");
  const long available = kib_of(meminfo, "MemAvailable:");
  if (available < 0 || available > all / LEAST_PART) return;
  const int file = open("/proc/sysrq-trigger", O_WRONLY | O_CLOEXEC);
  if (file < 0) return;
  // What the kernel does when it finds no memory. It does not answer.
  (void)!write(file, "f", 1);
  close(file);
}
