/* Heat in a plate by Jacobi's method on several processes: each rank has rows of its own, and one
 * row more on either side, a halo, which its neighbours send before every sweep.
 *
 *   mpicc -O2 -g -fopenmp halo.c $(pkg-config --cflags homenode) -o halo
 *   mpirun -n RANKS ./halo SIZE SWEEPS [COMMAND]
 *
 * The threads of a rank share the sweep over its rows; its first thread fills them. Rank 0 prints
 * the sum of all temperatures; before that it runs COMMAND, while all ranks are there. */
#include <homenode/roi.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static int rank, ranks;
static long size, rows;

static double* new_rows(void) {
  double* plate = malloc(sizeof *plate * (size_t)((rows + 2) * size));
  if (plate == NULL) MPI_Abort(MPI_COMM_WORLD, 1);
  for (long i = 0; i < (rows + 2) * size; ++i) plate[i] = rank == 0 && i < size ? 100 : 0;
  return plate;
}

static void exchange(double* plate) {
  const int above = rank > 0 ? rank - 1 : MPI_PROC_NULL;
  const int below = rank + 1 < ranks ? rank + 1 : MPI_PROC_NULL;
  const int width = (int)size;
  double* last = plate + rows * size;
  MPI_Sendrecv(plate + size, width, MPI_DOUBLE, above, 0, last + size, width, MPI_DOUBLE, below, 0,
               MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Sendrecv(last, width, MPI_DOUBLE, below, 1, plate, width, MPI_DOUBLE, above, 1,
               MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void sweep(const double* from, double* to) {
#pragma omp parallel for schedule(static)
  for (long row = 1; row <= rows; ++row) {
    for (long column = 1; column < size - 1; ++column) {
      const double* here = from + row * size + column;
      to[row * size + column] = 0.25 * (here[-size] + here[-1] + here[1] + here[size]);
    }
  }
}

int main(int count, char** words) {
  MPI_Init(&count, &words);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (count < 3 || (size = atol(words[1])) < ranks) MPI_Abort(MPI_COMM_WORLD, 2);
  rows = size / ranks;
  double* plates[2] = {new_rows(), new_rows()};
  const long sweeps = atol(words[2]);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) hn_roi_begin_all();
  MPI_Barrier(MPI_COMM_WORLD);
  for (long i = 0; i < sweeps; ++i) {
    exchange(plates[i % 2]);
    sweep(plates[i % 2], plates[(i + 1) % 2]);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) hn_roi_end();
  double part = 0, sum = 0;
  for (long i = size; i < (rows + 1) * size; ++i) part += plates[sweeps % 2][i];
  MPI_Reduce(&part, &sum, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) {
    if (count > 3 && system(words[3]) < 0) return 1;
    printf("sum %.6f\n", sum);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  return 0;
}
