/* The shared library of program.c. */
#include <stdlib.h>
#include <string.h>

double in_library[64 * 1024];
double of_library[64 * 1024]; /* The program does not know it. */

void print_maps_of(const char* name, void* memory, size_t bytes);

void print_of_library(void) {
  print_maps_of("of_library", of_library, sizeof of_library);
}

void* allocate_in_library(size_t bytes) {
  void* memory = calloc(1, bytes);
  memset(memory, 0, 1);
  return memory;
}
