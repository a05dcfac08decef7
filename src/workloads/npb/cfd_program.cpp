#include "workloads/npb/cfd_program.h"

#include <algorithm>
#include <cassert>
#include <cstdlib>
#include <new>
#include <string>

#include "workloads/program/program.h"
#include "workloads/program/team.h"

namespace homenode::workloads::npb {
namespace {

using Scratch = std::unique_ptr<double[], void (*)(void*)>;

Scratch scratch_of(std::size_t doubles) {
  const std::size_t lines = doubles / cfd_line_doubles + 1;
  auto* const memory =
      static_cast<double*>(std::aligned_alloc(64, lines * cfd_line_doubles * sizeof(double)));
  if (memory == nullptr) throw std::bad_alloc();
  return {memory, std::free};
}

CfdRange inside_of(CfdRange planes, std::size_t n) {
  return {std::max<std::size_t>(planes.begin, 1), std::min(planes.end, n - 1)};
}

}  // namespace

/// What the threads of one run share.
struct CfdProgram::Run {
  unsigned threads = 1;
  pthread_barrier_t barrier{};
  std::vector<Scratch> scratch;
  std::vector<CfdState> residual;  // By plane.
  std::vector<CfdState> error;
  TimedPart part;
  double seconds = 0.0;
};

CfdRange equal_part(CfdRange range, unsigned rank, unsigned threads) {
  const std::size_t items = range.end - range.begin;
  return {range.begin + items * rank / threads, range.begin + items * (rank + 1) / threads};
}

void derive_slab(const CfdWorker& worker) {
  for (std::size_t k = worker.planes.begin; k < worker.planes.end; ++k) {
    cfd_rhs_kernel_here().derive(*worker.field, k);
  }
}

CfdProgram::CfdProgram(const CfdReference& reference, std::span<const CfdArray> arrays,
                       double operations)
    : reference_(reference), arrays_(arrays), operations_(operations) {
  field_.grid = cfd_grid(reference.points);
  field_.constants = cfd_constants(reference.points, reference.dt);
  weights_ = fourth_differences(reference.points, field_.grid.pitch);
  field_.weights = weights_.data();
}

std::vector<ArrayNeed> CfdProgram::arrays() const {
  std::vector<ArrayNeed> needs;
  for (const CfdArray& array : arrays_) {
    const std::size_t doubles = array.components * points() * grid().plane;
    // A line more than they need, so that none is a whole number of pages and all can begin at
    // different places in theirs (trial/program/arrays.cpp).
    constexpr std::size_t line_bytes = 64;
    needs.push_back({array.name, doubles * sizeof(double) + line_bytes, Sharing::parts});
  }
  return needs;
}

void CfdProgram::start(const CfdWorker& worker) const {
  const CfdField& f = *worker.field;
  const CfdRange slab{worker.planes.begin * 5 * grid().plane, worker.planes.end * 5 * grid().plane};
  std::fill(f.rhs + slab.begin, f.rhs + slab.end, 0.0);
  std::fill(f.forcing + slab.begin, f.forcing + slab.end, 0.0);
  for (std::size_t k = worker.planes.begin; k < worker.planes.end; ++k) set_exact(f, k);
}

/// Minus what the exact solution changes by.
void CfdProgram::set_forcing(const CfdWorker& worker) const {
  const CfdField& f = *worker.field;
  derive_slab(worker);
  worker.wait();
  for (std::size_t k = worker.inner_planes.begin; k < worker.inner_planes.end; ++k) {
    cfd_rhs_kernel_here().rhs(f, k, -1.0);
    const std::size_t begin = f.grid.row5(0, k);
    std::copy_n(f.rhs + begin, 5 * f.grid.plane, f.forcing + begin);
  }
  worker.wait();
}

void CfdProgram::sum_squares(const CfdWorker& worker, Run& run) const {
  const CfdField& f = *worker.field;
  derive_slab(worker);
  worker.wait();
  for (std::size_t k = worker.planes.begin; k < worker.planes.end; ++k) {
    const bool inside = k >= worker.inner_planes.begin && k < worker.inner_planes.end;
    if (inside || borders_count()) run.error[k] = error_squares(f, k, borders_count());
    if (!inside) continue;
    cfd_rhs_kernel_here().rhs(f, k, 1.0);
    run.residual[k] = residual_squares(f, k);
  }
  worker.wait();
}

void CfdProgram::take_part(Run& run, unsigned rank) {
  const CfdRange planes = equal_part({0, points()}, rank, run.threads);
  const CfdWorker worker{rank,
                         run.threads,
                         &field_,
                         planes,
                         inside_of(planes, points()),
                         run.scratch[rank].get(),
                         &run.barrier};
  const auto set_all = [&] {
    for (std::size_t k = planes.begin; k < planes.end; ++k) set_initial(field_, k);
    worker.wait();
  };
  start(worker);
  worker.wait();
  set_forcing(worker);
  set_all();
  step(worker);  // Untimed: pages and caches are warm afterwards.
  set_all();
  if (rank == 0) run.part.begin();
  worker.wait();
  for (std::size_t i = 0; i < reference_.steps; ++i) step(worker);
  if (rank == 0) run.seconds = run.part.end();
  sum_squares(worker, run);
}

bool CfdProgram::run_team(Run& run) {
  pthread_barrier_init(&run.barrier, nullptr, run.threads);
  const bool took_part = run_openmp_team(run.threads, [&](unsigned rank) { take_part(run, rank); });
  pthread_barrier_destroy(&run.barrier);
  return took_part;
}

ProgramOutcome CfdProgram::run(std::span<void* const> memory, unsigned threads) {
  assert(memory.size() == arrays_.size());
  for (std::size_t i = 0; i < arrays_.size(); ++i) {
    field_.*arrays_[i].where = static_cast<double*>(memory[i]);
  }
  prepare(threads);
  Run run;
  run.threads = threads;
  for (unsigned rank = 0; rank < threads; ++rank) {
    run.scratch.push_back(scratch_of(scratch_doubles()));
  }
  run.residual.resize(points());
  run.error.resize(points());
  return run_team(run) ? outcome_of(run) : ProgramOutcome{};
}

ProgramOutcome CfdProgram::outcome_of(const Run& run) const {
  constexpr double tolerance = 1e-8;
  ProgramOutcome outcome;
  outcome.seconds = run.seconds;
  outcome.operations = operations_ * static_cast<double>(reference_.steps);
  outcome.unit = "Mop/s";
  const CfdState residual = norm_of(run.residual.data(), points());
  const CfdState error = norm_of(run.error.data(), points());
  for (std::size_t m = 0; m < 5; ++m) {
    outcome.checks.push_back(
        {"residual " + std::to_string(m + 1), residual[m], reference_.residual[m], tolerance});
  }
  for (std::size_t m = 0; m < 5; ++m) {
    outcome.checks.push_back(
        {"error " + std::to_string(m + 1), error[m], reference_.error[m], tolerance});
  }
  add_checks(field_, outcome.checks);
  return outcome;
}

}  // namespace homenode::workloads::npb
