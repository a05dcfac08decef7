// Memory that runs out. Before a kernel kills for it, it takes the pages that programs run from and
// reads them again, for seconds or minutes. Here it kills as soon as that is so: when all that
// wants to run waits for memory, and there is none to be had.
#include "guest.h"

#include <stdio.h>
#include <string.h>

// Nothing runs in 0.8 s of 2: it waits for memory. A program that moves to a slower node's memory
// waits as long at times, but there is memory left then.
// The kernel takes the last character for the end of the line.
static const char all_wait[] = "full 800000 2000000\n";
enum { LEAST_PART = 50 };

int hn_open_pressure(void) {
  return hn_open_with("/proc/pressure/memory", all_wait);
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
  // What the kernel does when it finds no memory. It does not answer.
  hn_write_file("/proc/sysrq-trigger", "f");
}
