// BT, SP and LU as programs: the course of a run that they have in common. Each adds what it does
// in a step. Slabs of planes belong to threads, so that equal parts of an array do; only lines
// along z, and LU's sweeps, go across them.
#pragma once

#include <pthread.h>

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "workloads/npb/cfd_field.h"
#include "workloads/npb/cfd_kernels.h"
#include "workloads/npb/cfd_reference.h"
#include "workloads/npb/cfd_solution.h"
#include "workloads/program/program.h"

namespace homenode::workloads::npb {

/// From begin up to but without end.
struct CfdRange {
  std::size_t begin = 0;
  std::size_t end = 0;
};

/// The rank-th of as many equal parts of `range` as there are threads.
CfdRange equal_part(CfdRange range, unsigned rank, unsigned threads);

/// Where an array is in the field, and under which name.
struct CfdArray {
  const char* name;
  double* CfdField::*where;
  std::size_t components;
};

/// One thread of the team that computes.
struct CfdWorker {
  unsigned rank = 0;
  unsigned threads = 1;
  const CfdField* field = nullptr;
  CfdRange planes;            ///< Its slab,
  CfdRange inner_planes;      ///< and what of it is inside the cube.
  double* scratch = nullptr;  ///< Of its own, scratch_doubles() long, aligned to a cache line.
  pthread_barrier_t* barrier = nullptr;

  void wait() const { pthread_barrier_wait(barrier); }
};

class CfdProgram : public Program {
 public:
  /// `operations` is what a step counts for. The spans are constants.
  CfdProgram(const CfdReference& reference, std::span<const CfdArray> arrays, double operations);

  [[nodiscard]] std::vector<ArrayNeed> arrays() const override;
  ProgramOutcome run(std::span<void* const> memory, unsigned threads) override;

 protected:
  [[nodiscard]] std::size_t points() const { return reference_.points; }
  [[nodiscard]] const CfdGrid& grid() const { return field_.grid; }
  [[nodiscard]] const CfdReference& reference() const { return reference_; }

  /// What each thread needs for its lines.
  [[nodiscard]] virtual std::size_t scratch_doubles() const = 0;
  /// Before the team starts; `threads` it will have.
  virtual void prepare(unsigned /*threads*/) {}
  /// Takes u one step on. Begins and ends with all threads at one place.
  virtual void step(const CfdWorker& worker) = 0;
  /// What is checked besides the two norms, after the last step.
  virtual void add_checks(const CfdField& /*field*/, std::vector<Check>& /*checks*/) const {}
  /// Whether points on the borders belong to the error's norm.
  [[nodiscard]] virtual bool borders_count() const { return true; }

 private:
  struct Run;
  void take_part(Run& run, unsigned rank);
  void start(const CfdWorker& worker) const;
  void set_forcing(const CfdWorker& worker) const;
  void sum_squares(const CfdWorker& worker, Run& run) const;
  ProgramOutcome outcome_of(const Run& run) const;
  bool run_team(Run& run);

  const CfdReference& reference_;
  std::span<const CfdArray> arrays_;
  double operations_;
  std::vector<double> weights_;
  CfdField field_;
};

/// derive() in the worker's slab.
void derive_slab(const CfdWorker& worker);

/// A step that solves along lines: the right-hand side of each of the worker's planes and, while it
/// is in cache, in_plane(k); then along_z(j) for an equal part of the rows.
template <class InPlane, class AlongZ>
void step_by_lines(const CfdWorker& worker, InPlane in_plane, AlongZ along_z) {
  const CfdField& field = *worker.field;
  derive_slab(worker);
  worker.wait();
  for (std::size_t k = worker.inner_planes.begin; k < worker.inner_planes.end; ++k) {
    cfd_rhs_kernel_here().rhs(field, k, field.constants.dt);
    in_plane(k);
  }
  worker.wait();
  const CfdRange rows = equal_part({1, field.grid.n - 1}, worker.rank, worker.threads);
  for (std::size_t j = rows.begin; j < rows.end; ++j) along_z(j);
  worker.wait();
}

}  // namespace homenode::workloads::npb
