/* STREAM's loops as anybody would write them in C, to compare `homenode measure` with. Each thread
 * touches its part first, in huge pages. Usage: loops KERNEL MIB TIMES; MIB is for all arrays of
 * the kernel together; prints MB/s as STREAM counts bytes. Threads and binding are OpenMP's own
 * (OMP_NUM_THREADS, OMP_PLACES). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

enum { READ, WRITE, COPY, SCALE, ADD, TRIAD, KERNELS };
static const char* const names[KERNELS] = {"read", "write", "copy", "scale", "add", "triad"};
static const int arrays[KERNELS] = {1, 1, 2, 2, 3, 3};

static double run(int kernel, double* restrict a, const double* restrict b,
                  const double* restrict c, size_t count) {
  double sum = 0.0;
#define EACH _Pragma("omp for schedule(static)") for (size_t i = 0; i < count; ++i)
#pragma omp parallel
  switch (kernel) {
    case WRITE:
      EACH a[i] = 3.0;
      break;
    case COPY:
      EACH a[i] = b[i];
      break;
    case SCALE:
      EACH a[i] = 3.0 * b[i];
      break;
    case ADD:
      EACH a[i] = b[i] + c[i];
      break;
    case TRIAD:
      EACH a[i] = b[i] + 3.0 * c[i];
      break;
    default:
      break;
  }
  if (kernel == READ) {
#pragma omp parallel for simd schedule(static) reduction(+ : sum)
    for (size_t i = 0; i < count; ++i) sum += b[i];
  }
  return sum;
}

static double now(int of_cpu) {
  struct timespec t;
  clock_gettime(of_cpu ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int main(int argc, char** argv) {
  if (argc != 4 && argc != 5) return 2;
  const int of_cpu = argc == 5;
  int kernel = 0;
  while (kernel < KERNELS && strcmp(names[kernel], argv[1]) != 0) ++kernel;
  if (kernel == KERNELS) return 2;
  const size_t count =
      (strtoul(argv[2], NULL, 10) << 20) / (size_t)arrays[kernel] / sizeof(double) / 512 * 512;
  const int times = atoi(argv[3]);
  const size_t huge = (size_t)2 << 20;
  const size_t bytes = (count * sizeof(double) + huge - 1) / huge * huge;
  double* array[3] = {NULL, NULL, NULL};
  for (int i = 0; i < 3; ++i) {
    if (i >= arrays[kernel]) { /* One that the kernel does not use is any that it does. */
      array[i] = array[0];
      continue;
    }
    array[i] = aligned_alloc(huge, bytes);
    if (array[i] == NULL) return 1;
    madvise(array[i], bytes, MADV_HUGEPAGE);
#pragma omp parallel for schedule(static)
    for (size_t at = 0; at < count; ++at) array[i][at] = 1.0;
  }
  double begin = 0.0;
  double sum = 0.0;
  for (int time = -1; time < times; ++time) {
    if (time == 0) begin = now(of_cpu); /* The first round warms up. */
    sum += run(kernel, array[0], array[1], array[2], count);
  }
  const double seconds = now(of_cpu) - begin;
  printf("%.1f\n", 8.0 * arrays[kernel] * (double)count * times / seconds / 1e6);
  return kernel == READ && sum < (double)count;
}
