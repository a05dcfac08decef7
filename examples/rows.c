// Rows of a matrix where the threads are that work on them, in C with OpenMP.
// cc -fopenmp rows.c $(pkg-config --cflags --libs homenode) -o rows && ./rows rows 0-7
#include <homenode/homenode.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

enum { rows = 1024, columns = 1024, most_nodes = 1024 };

/// Takes the place of the error, because C does not say which argument of a call comes first.
static void check(int status, char** error) {
  if (status == HN_OK) return;
  fprintf(stderr, "%s\n", *error != NULL ? *error : "no memory for the error");
  hn_string_free(*error);
  if (status != HN_INCOMPLETE) exit(1);
}

static void show(const hn_region* region) {
  const size_t pages = hn_region_pages(region);
  int* const nodes = malloc(pages * sizeof *nodes);
  if (nodes == NULL) exit(1);
  char* error = NULL;
  check(hn_region_audit(region, nodes, pages, NULL, &error), &error);
  size_t on_node[most_nodes] = {0};
  for (size_t page = 0; page < pages; ++page) {
    if (nodes[page] >= 0 && nodes[page] < most_nodes) ++on_node[nodes[page]];
  }
  for (int node = 0; node < most_nodes; ++node) {
    if (on_node[node] > 0) printf("node %d: %zu pages\n", node, on_node[node]);
  }
  free(nodes);
}

int main(int argc, char** argv) {
  const char* const rule = argc > 1 ? argv[1] : "rows";
  const char* const thread_map = argc > 2 ? argv[2] : NULL;
  hn_region* region = NULL;
  char* error = NULL;
  check(hn_region_allocate(sizeof(double) * rows * columns, NULL, &region, &error), &error);
  const hn_array shape = {{rows, columns}, sizeof(double), 2, HN_ORDER_C};
  check(hn_region_place_array(region, &shape, rule, &error), &error);

  double(*const matrix)[columns] = hn_region_address(region);
  double sum = 0;
#pragma omp parallel
  {
    char* refusal = NULL;
    if (thread_map != NULL) {
      check(hn_thread_bind_rank(thread_map, (size_t)omp_get_thread_num(), &refusal), &refusal);
    }
#pragma omp for reduction(+ : sum) schedule(static)
    for (int i = 0; i < rows; ++i) {
      for (int j = 0; j < columns; ++j) {
        matrix[i][j] += 1.0;
        sum += matrix[i][j];
      }
    }
  }
  printf("sum %.0f\n", sum);
  show(region);
  hn_region_free(region);
  return 0;
}
