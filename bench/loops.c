/* STREAM's triad as anybody would write it in C, to compare `homenode measure` with. Each thread
 * touches its part first. Usage: triad MIB TIMES; MIB is for all three arrays together; prints MB/s
 * as STREAM counts bytes. Threads and binding are OpenMP's own (OMP_NUM_THREADS, OMP_PLACES). */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const size_t count = (strtoul(argv[1], NULL, 10) << 20) / 3 / sizeof(double) / 512 * 512;
  const int times = atoi(argv[2]);
  const size_t huge = (size_t)2 << 20;
  const size_t bytes = (count * sizeof(double) + huge - 1) / huge * huge;
  double* const a = aligned_alloc(huge, bytes);
  double* const b = aligned_alloc(huge, bytes);
  double* const c = aligned_alloc(huge, bytes);
  if (a == NULL || b == NULL || c == NULL) return 1;
  madvise(a, bytes, MADV_HUGEPAGE);
  madvise(b, bytes, MADV_HUGEPAGE);
  madvise(c, bytes, MADV_HUGEPAGE);
#pragma omp parallel for schedule(static)
  for (size_t i = 0; i < count; ++i) {
    a[i] = 0.0;
    b[i] = 1.0;
    c[i] = 2.0;
  }
  double begin = 0.0;
  for (int time = -1; time < times; ++time) {
    if (time == 0) begin = omp_get_wtime(); /* The first round warms up. */
#pragma omp parallel for schedule(static)
    for (size_t i = 0; i < count; ++i) a[i] = b[i] + 3.0 * c[i];
  }
  const double seconds = omp_get_wtime() - begin;
  printf("%.1f\n", 24.0 * (double)count * times / seconds / 1e6);
  return a[count / 2] != 7.0;
}
