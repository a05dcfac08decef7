// Each rank sends blocks of growing size round a ring, and all add up; rank 0 prints the sum.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char** argv) {
  int rank = 0, ranks = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  double sum = 0;
  for (int count = 1; count < 1000000; count = count * 3 + 1) {
    double* out = malloc((size_t)count * sizeof *out);
    double* in = malloc((size_t)count * sizeof *in);
    if (out == NULL || in == NULL) MPI_Abort(MPI_COMM_WORLD, 1);
    for (int i = 0; i < count; i++) out[i] = rank + i % 7;
    MPI_Sendrecv(out, count, MPI_DOUBLE, (rank + 1) % ranks, 0, in, count, MPI_DOUBLE,
                 (rank + ranks - 1) % ranks, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int i = 0; i < count; i++) sum += in[i];
    free(out);
    free(in);
  }
  double all = 0;
  MPI_Reduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("%d ranks: %.0f\n", ranks, all);
  MPI_Finalize();
  return 0;
}
