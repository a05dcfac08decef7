// Rows of a matrix where the threads are that work on them, in C++20 with OpenMP.
// c++ -std=c++20 -fopenmp rows.cpp $(pkg-config --cflags --libs homenode) -o rows && ./rows rows
// 0-7
#include <omp.h>
#include <homenode/homenode.hpp>

#include <cstdio>
#include <exception>
#include <map>
#include <string>

namespace {

constexpr std::size_t rows = 1024;
constexpr std::size_t columns = 1024;

/// No exception may leave a parallel region: threads that cannot be bound run where they are.
void bind(const std::string& thread_map) noexcept {
  try {
    if (thread_map.empty()) return;
    homenode::threads::bind_rank(thread_map, static_cast<std::size_t>(omp_get_thread_num()));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
  }
}

void work(const std::string& rule, const std::string& thread_map) {
  homenode::Region region(rows * columns * sizeof(double));
  region.place(rule, {{rows, columns, 1, 1}, sizeof(double), 2, HN_ORDER_C});

  const auto matrix = region.as<double>();
  double sum = 0;
#pragma omp parallel
  {
    bind(thread_map);
#pragma omp for reduction(+ : sum) schedule(static)
    for (std::size_t i = 0; i < rows; ++i) {
      for (std::size_t j = 0; j < columns; ++j) {
        matrix[i * columns + j] += 1.0;
        sum += matrix[i * columns + j];
      }
    }
  }
  std::printf("sum %.0f\n", sum);
  std::map<int, int> pages;
  for (const int node : region.nodes()) ++pages[node];
  for (const auto& [node, count] : pages) std::printf("node %d: %d pages\n", node, count);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    work(argc > 1 ? argv[1] : "rows", argc > 2 ? argv[2] : "");
  } catch (const homenode::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  return 0;
}
