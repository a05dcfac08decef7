/* Nine arrays gone through together, row by row, as the waves of `bench seismic` go through theirs,
 * with next to nothing to compute: three are updated, each from two of the others. BESIDE of the
 * last rows of those two are read as well; they lie in a cache near by, as those do that
 * differences in space take from the rows around. Usage: streams BESIDE EDGE TIMES, with BESIDE 0,
 * 2, 4 or 6 and EDGE cells along each side of a cube; prints MB/s on the bus, where each line of
 * the nine is read once and of the three also written. Threads and binding are OpenMP's own. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

enum { ARRAYS = 9, UPDATED = 3, FIRST_ROW = 3, LINE = 8 /* doubles */ };

/* One function for all three, so that few instructions read many streams: prefetchers that follow
 * streams by the instruction that reads them do twice as well as with a copy for each. */
typedef void Update(double* restrict to, const double* from, const double* more, long count,
                    long row);
#define DEFINE_UPDATE(beside)                                                              \
  static __attribute__((noinline)) void update_##beside(                                   \
      double* restrict to, const double* from, const double* more, long count, long row) { \
    for (long i = 0; i < count; ++i) {                                                     \
      double sum = to[i] + from[i] + more[i];                                              \
      for (int n = 1; n <= beside / 2; ++n) sum += from[i - n * row] - more[i - n * row];  \
      to[i] = sum;                                                                         \
    }                                                                                      \
  }
DEFINE_UPDATE(0)
DEFINE_UPDATE(2)
DEFINE_UPDATE(4)
DEFINE_UPDATE(6)
static Update* const updates[] = {update_0, update_2, update_4, update_6};

static void run(double* const* array, long edge, long row, int beside) {
  Update* const update = updates[beside / 2];
#pragma omp parallel for schedule(static)
  for (long at = FIRST_ROW; at < edge * edge; ++at) {
    for (int n = 0; n < UPDATED; ++n) {
      update(array[n] + at * row, array[UPDATED + n] + at * row, array[2 * UPDATED + n] + at * row,
             edge, row);
    }
  }
}

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  const int beside = atoi(argv[1]);
  const long edge = atol(argv[2]);
  const int times = atoi(argv[3]);
  if (beside < 0 || beside > 6 || beside % 2 != 0 || edge < 2 || times < 1) return 2;
  const long row = (edge + 2 + LINE - 1) / LINE * LINE; /* As the waves' rows lie. */
  const size_t huge = (size_t)2 << 20;
  const size_t own = (size_t)(row * edge * edge) * sizeof(double);
  const size_t bytes = (own + ARRAYS * 320 + huge - 1) / huge * huge;
  double* array[ARRAYS];
  for (int n = 0; n < ARRAYS; ++n) {
    char* memory = aligned_alloc(huge, bytes);
    if (memory == NULL) return 1;
    madvise(memory, bytes, MADV_HUGEPAGE);
    array[n] = (double*)(memory + n * 320); /* Not all a large power of two apart. */
#pragma omp parallel for schedule(static)
    for (long at = 0; at < edge * edge; ++at) {
      memset(array[n] + at * row, 0, (size_t)row * sizeof(double));
    }
  }
  run(array, edge, row, beside); /* Warms up. */
  const double begin = now();
  for (int time = 0; time < times; ++time) run(array, edge, row, beside);
  const double seconds = now() - begin;
  const double cells = (double)edge * (double)edge * (double)edge * times;
  printf("%.1f\n", (ARRAYS + UPDATED) * sizeof(double) * cells / seconds / 1e6);
  return 0;
}
