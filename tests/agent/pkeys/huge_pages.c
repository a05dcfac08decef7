// Uses memory of huge pages for some seconds. Prints how many KiB of it were huge pages before and
// after that, and its address and bytes.
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

enum { huge = 2 << 20, bytes = 8 * huge, line = 64 };

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static long huge_kib(void) {
  FILE* file = fopen("/proc/self/smaps_rollup", "r");
  char text[256];
  long kib = -1;
  while (fgets(text, sizeof text, file)) sscanf(text, "AnonHugePages: %ld", &kib);
  fclose(file);
  return kib;
}

int main(int count, char** arguments) {
  const double seconds = count > 1 ? atof(arguments[1]) : 1;
  char* room = mmap(NULL, bytes + huge, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  volatile char* array = room + (huge - (unsigned long)room % huge) % huge;
  madvise((void*)array, bytes, MADV_HUGEPAGE);
  memset((void*)array, 1, bytes);
  const long before = huge_kib();
  for (const double end = now() + seconds; now() < end;) {
    for (long i = 0; i < bytes; i += line) array[i] = 1;
  }
  printf("%ld %ld %lu %d\n", before, huge_kib(), (unsigned long)array, bytes);
  return 0;
}
