// What the lab counts of a program of one's own, in C: the sum alone, not how the array is filled.
// cc own_program.c $(pkg-config --cflags homenode) -o own_program
// homenode lab run --machine quad-4x2 --stats -- ./own_program
#include <homenode/roi.h>
#include <stdio.h>
#include <stdlib.h>

enum { elements = 1 << 20 };

int main(void) {
  double* const array = malloc(sizeof(double) * elements);
  if (array == NULL) return 1;
  for (int i = 0; i < elements; ++i) array[i] = i % 2;

  double sum = 0;
  hn_roi_begin();
  for (int i = 0; i < elements; ++i) sum += array[i];
  hn_roi_end();

  printf("sum %.0f\n", sum);
  free(array);
  return 0;
}
