/* A program as people write them, with static data in each way that C has, and with functions that
   allocate; it says where each lies (maps.c).
   usage: program; program allocate BYTES */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define CELLS (64 * 1024)

double u[CELLS];               /* .bss */
double work_a[CELLS] = {1, 2}; /* .data */
double work_b[CELLS];
const double table[CELLS] = {3, 4}; /* read-only */
static float hidden[2 * CELLS];     /* local to this file */
extern double in_library[CELLS];
void* allocate_in_library(size_t bytes);
void print_of_library(void);

void print_maps_of(const char* name, void* memory, size_t bytes);

__attribute__((noinline)) void* alloc_3d(size_t bytes) {
  void* memory = malloc(bytes);
  memset(memory, 0, bytes / 2);
  return memory;
}

__attribute__((noinline)) void* alloc_mapping(size_t bytes) {
  void* memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) exit(5);
  return memory;
}

int main(int argc, char** argv) {
  static double in_function[CELLS];
  if (argc == 3 && strcmp(argv[1], "allocate") == 0) {
    size_t bytes = strtoull(argv[2], NULL, 10);
    print_maps_of("alloc_3d", alloc_3d(bytes), bytes);
    print_maps_of("alloc_mapping", alloc_mapping(bytes), bytes);
    print_maps_of("library", allocate_in_library(bytes), bytes);
    print_maps_of("main", malloc(bytes), bytes);
    return 0;
  }
  print_maps_of("u", u, sizeof u);
  print_maps_of("work_a", work_a, sizeof work_a);
  print_maps_of("work_b", work_b, sizeof work_b);
  print_maps_of("hidden", hidden, sizeof hidden);
  print_maps_of("in_function", in_function, sizeof in_function);
  print_maps_of("in_library", in_library, sizeof in_library);
  print_of_library();
  printf("kept %g %g\n", work_a[1], table[1]);
  return 0;
}
