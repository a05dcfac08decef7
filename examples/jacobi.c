/* Heat in a plate by Jacobi's method, as many programs are written: the first thread fills the
 * arrays, then all threads sweep over rows of their own. On a machine with several nodes all pages
 * so lie on the first thread's node.
 *
 *   cc -O2 -g -fopenmp jacobi.c -o jacobi
 *   ./jacobi SIZE SWEEPS [parallel]
 *
 * With "parallel" each thread fills the rows that it will sweep over. Prints the sum of all
 * temperatures, which is the same either way. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static long size;

static void fill_row(double* plate, long row) {
  for (long column = 0; column < size; ++column) plate[row * size + column] = row == 0 ? 100 : 0;
}

static double* new_plate(void) {
  double* plate = malloc(sizeof *plate * (size_t)(size * size));
  if (plate == NULL) exit(1);
  return plate;
}

static void sweep(const double* from, double* to) {
#pragma omp parallel for schedule(static)
  for (long row = 1; row < size - 1; ++row) {
    for (long column = 1; column < size - 1; ++column) {
      const double* here = from + row * size + column;
      to[row * size + column] = 0.25 * (here[-size] + here[-1] + here[1] + here[size]);
    }
  }
}

int main(int count, char** words) {
  if (count < 3 || (size = atol(words[1])) < 3) return 2;
  const long sweeps = atol(words[2]);
  const int parallel = count > 3 && strcmp(words[3], "parallel") == 0;
  double* plates[2] = {new_plate(), new_plate()};
#pragma omp parallel for schedule(static) if (parallel)
  for (long row = 0; row < size; ++row) {
    fill_row(plates[0], row);
    fill_row(plates[1], row);
  }
  for (long i = 0; i < sweeps; ++i) sweep(plates[i % 2], plates[(i + 1) % 2]);
  double sum = 0;
  for (long i = 0; i < size * size; ++i) sum += plates[sweeps % 2][i];
  printf("sum %.6f\n", sum);
  return 0;
}
