#include "workloads/npb/mg_kernel.h"

#include <math.h>
#include <omp.h>

#include "workloads/npb/mg_stencil.h"

namespace homenode::workloads::npb::HN_ISA {
namespace {

inline Cube solution(const MgLevel& level) {
  return {level.u, level.n};
}
inline Cube rest(const MgLevel& level) {
  return {level.r, level.n};
}

/// The residual down to the coarsest grid, and a correction up again, smoothed on each level; on
/// the finest, what is then left.
void v_cycle(const MgJob& job) {
  const std::size_t finest = job.level_count - 1;
  for (std::size_t k = finest; k > 0; --k)
    restrict_to(rest(job.levels[k]), rest(job.levels[k - 1]));
  clear(solution(job.levels[0]));
  smooth(rest(job.levels[0]), solution(job.levels[0]), job.smooth);
  for (std::size_t k = 1; k < finest; ++k) {
    const MgLevel& level = job.levels[k];
    clear(solution(level));
    add_interpolated_and_take_residual(solution(job.levels[k - 1]), solution(level), level.r,
                                       rest(level));
    smooth(rest(level), solution(level), job.smooth);
  }
  const MgLevel& last = job.levels[finest];
  add_interpolated_and_take_residual(solution(job.levels[finest - 1]), solution(last), job.v,
                                     rest(last));
  smooth_and_take_residual(solution(last), job.v, rest(last), job.smooth);
}

double solve(const MgJob& job) {
  const MgLevel& finest = job.levels[job.level_count - 1];
#pragma omp parallel num_threads(job.threads)
  {
    take_residual(solution(finest), job.v, rest(finest));
    for (int cycle = 0; cycle < job.cycles; ++cycle) v_cycle(job);
    job.shares[omp_get_thread_num()].value = squares(rest(finest));
  }
  double sum = 0.0;
  for (unsigned rank = 0; rank < job.threads; ++rank) sum += job.shares[rank].value;
  const auto n = static_cast<double>(finest.n);
  return ::sqrt(sum / (n * n * n));
}

void clear_cube(double* cube, std::size_t n, unsigned threads) {
#pragma omp parallel num_threads(threads)
  clear({cube, n});
}

}  // namespace

constinit const MgKernel mg_kernel{clear_cube, solve};

}  // namespace homenode::workloads::npb::HN_ISA
