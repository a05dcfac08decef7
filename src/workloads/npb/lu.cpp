// LU as a program: sweeps from corner to corner (NAS-91-002).
#include <array>
#include <atomic>
#include <thread>

#include "workloads/npb/cfd_program.h"
#include "workloads/npb/lu_sweep.h"
#include "workloads/npb/table.h"

namespace homenode::workloads::npb {
namespace {

constexpr std::array lu_arrays{CfdArray{"u", &CfdField::u, 5}, CfdArray{"rsd", &CfdField::rhs, 5},
                               CfdArray{"frct", &CfdField::forcing, 5},
                               CfdArray{"qs", &CfdField::qs, 1},
                               CfdArray{"rho_i", &CfdField::rho_i, 1}};

/// As NPB counts them in a step.
double lu_operations(std::size_t points) {
  const auto n = static_cast<double>(points);
  return 1984.77 * n * n * n - 10923.3 * n * n + 27770.9 * n - 144010;
}

/// How many planes a thread has swept, for its neighbours to see.
struct alignas(64) LuProgress {
  std::atomic<std::size_t> planes{0};

  void wait_for(std::size_t count) const {
    for (unsigned tries = 0; planes.load(std::memory_order_acquire) < count; ++tries) {
      if (tries > 1000) std::this_thread::yield();
    }
  }
};

class Lu final : public CfdProgram {
 public:
  explicit Lu(Class size)
      : CfdProgram(lu_reference(size), lu_arrays, lu_operations(lu_reference(size).points)) {}

 protected:
  [[nodiscard]] std::size_t scratch_doubles() const override {
    return lu_scratch_doubles * grid().pitch;
  }

  void prepare(unsigned threads) override { progress_ = std::vector<LuProgress>(threads); }

  void step(const CfdWorker& worker) override {
    const CfdField& field = *worker.field;
    derive_slab(worker);
    worker.wait();
    for (std::size_t k = worker.inner_planes.begin; k < worker.inner_planes.end; ++k) {
      cfd_rhs_kernel_here().rhs(field, k, field.constants.dt);
    }
    worker.wait();
    sweep_up(worker);
    worker.wait();
    sweep_down(worker);
    worker.wait();
    for (std::size_t k = worker.inner_planes.begin; k < worker.inner_planes.end; ++k) {
      lu_sweep_kernel_here().advance(field, k);
    }
    worker.wait();
  }

  void add_checks(const CfdField& field, std::vector<Check>& checks) const override {
    checks.push_back({"surface", surface_integral(field), reference().surface, 1e-8});
  }

  [[nodiscard]] bool borders_count() const override { return false; }

 private:
  /// Rows belong to threads in the sweeps, in whole blocks: the same ones for any number of them.
  [[nodiscard]] CfdRange blocks_of(const CfdWorker& worker) const {
    const std::size_t rows = lu_sweep_kernel_here().rows;
    return equal_part({0, (points() - 2 + rows - 1) / rows}, worker.rank, worker.threads);
  }

  /// Through planes and rows from low to high; each thread follows the one below it.
  void sweep_up(const CfdWorker& worker) {
    const CfdRange blocks = blocks_of(worker);
    std::atomic<std::size_t>& done = progress_[worker.rank].planes;
    std::size_t count = done.load(std::memory_order_relaxed);
    for (std::size_t k = 1; k + 1 < points(); ++k) {
      ++count;
      if (worker.rank > 0) progress_[worker.rank - 1].wait_for(count);
      for (std::size_t b = blocks.begin; b < blocks.end; ++b) {
        lu_sweep_kernel_here().lower(*worker.field, k, b, worker.scratch);
      }
      done.store(count, std::memory_order_release);
    }
  }

  /// And back; each thread follows the one above it.
  void sweep_down(const CfdWorker& worker) {
    const CfdRange blocks = blocks_of(worker);
    std::atomic<std::size_t>& done = progress_[worker.rank].planes;
    std::size_t count = done.load(std::memory_order_relaxed);
    for (std::size_t k = points() - 2; k > 0; --k) {
      ++count;
      if (worker.rank + 1 < worker.threads) progress_[worker.rank + 1].wait_for(count);
      for (std::size_t b = blocks.end; b-- > blocks.begin;) {
        lu_sweep_kernel_here().upper(*worker.field, k, b, worker.scratch);
      }
      done.store(count, std::memory_order_release);
    }
  }

  std::vector<LuProgress> progress_;
};

std::unique_ptr<Program> make_lu(Class size) {
  return std::make_unique<Lu>(size);
}

}  // namespace

constinit const Benchmark lu_benchmark{
    "lu", "flow in a cube: sweeps from corner to corner",
    "own planes, and in the sweeps own rows, each thread after its neighbour", make_lu};

}  // namespace homenode::workloads::npb
