#include "workloads/seismic/bandwidth.h"

#include <omp.h>

#include <algorithm>
#include <cstdlib>
#include <memory>

#include "workloads/probe/kernels.h"
#include "workloads/program/stopwatch.h"

namespace homenode::workloads::seismic {

double triad_bytes_s(std::size_t bytes, unsigned threads) {
  constexpr int passes = 8;
  constexpr std::size_t alignment = 4096;
  const std::size_t unit = probe::block_elements * threads;
  const std::size_t count = std::max<std::size_t>(bytes / (3 * sizeof(double)) / unit, 1) * unit;
  const std::size_t array_bytes = (count * sizeof(double) + alignment - 1) / alignment * alignment;
  const std::unique_ptr<void, decltype(&std::free)> memory(
      std::aligned_alloc(alignment, 3 * array_bytes), &std::free);
  if (!memory) return 0.0;
  auto* const target = static_cast<double*>(memory.get());
  double* const source = target + array_bytes / sizeof(double);
  double* const second = source + array_bytes / sizeof(double);
  const auto triad = probe::find_kernel_set()->streams[static_cast<int>(probe::Kernel::triad)];
  double best = 0.0;
  omp_set_dynamic(0);
#pragma omp parallel num_threads(threads)
  {
    const auto rank = static_cast<std::size_t>(omp_get_thread_num());
    const std::size_t part = count / threads;  // A whole number of blocks.
    const std::size_t from = rank * part;
    for (double* const array : {target, source, second}) std::fill_n(array + from, part, 1.0);
    for (int pass = 0; pass < passes; ++pass) {
#pragma omp barrier
      const Stopwatch stopwatch;
      triad({target + from, source + from, second + from, part});
#pragma omp barrier
      if (rank == 0) best = std::max(best, static_cast<double>(24 * count) / stopwatch.seconds());
    }
  }
  return best;
}

}  // namespace homenode::workloads::seismic
