// Two threads use the halves of an array, one reads and one writes, for some seconds. Prints the
// array's address and bytes, and the threads' ids.
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

enum { bytes = 1 << 20, line = 64 };

static volatile char* array;
static double seconds;
static int ids[2];

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static void* use(void* number) {
  const long half = (long)number;
  long sum = 0;
  ids[half] = gettid();
  for (const double end = now() + seconds; now() < end;) {
    for (long i = half * bytes / 2; i < (half + 1) * bytes / 2; i += line) {
      if (half == 0) {
        sum += array[i];
      } else {
        array[i] = 1;
      }
    }
  }
  return (void*)sum;
}

int main(int count, char** arguments) {
  seconds = count > 1 ? atof(arguments[1]) : 1;
  array = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  memset((void*)array, 1, bytes);
  pthread_t threads[2];
  for (long i = 0; i < 2; ++i) pthread_create(&threads[i], NULL, use, (void*)i);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  printf("%lu %d %d %d\n", (unsigned long)array, bytes, ids[0], ids[1]);
  return 0;
}
