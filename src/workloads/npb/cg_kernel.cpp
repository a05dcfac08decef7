#include "workloads/npb/cg_kernel.h"

#include <math.h>
#include <omp.h>

namespace homenode::workloads::npb::HN_ISA {
namespace {

constexpr int cg_steps = 25;

/// A thread's rows, and its place among the others. All threads call everything alike.
class Worker {
 public:
  explicit Worker(const CgJob& job)
      : job_(job),
        rank_(static_cast<std::size_t>(omp_get_thread_num())),
        begin_(job.matrix.n * rank_ / job.threads),
        end_(job.matrix.n * (rank_ + 1) / job.threads) {}

  void fill_with_ones() const {
    for (std::size_t i = begin_; i < end_; ++i) job_.x[i] = 1.0;
  }

  /// z = A^-1 x, nearly. Ends without a barrier: a thread has its own rows of z.
  void solve() {
    double square = 0.0;
#pragma omp simd reduction(+ : square)
    for (std::size_t i = begin_; i < end_; ++i) {
      const double x = job_.x[i];
      job_.z[i] = 0.0;
      job_.r[i] = x;
      job_.p[i] = x;
      square += x * x;
    }
    double rho = sum(square, 0.0).value[0];  // The sum waits for all, so p is whole.
    for (int step = 0; step < cg_steps; ++step) {
      const double alpha = rho / sum(multiply(), 0.0).value[0];
      const double last_rho = rho;
      rho = sum(advance(alpha), 0.0).value[0];
      const double beta = rho / last_rho;
      double* const p = job_.p;
      const double* const r = job_.r;
#pragma omp simd
      for (std::size_t i = begin_; i < end_; ++i) p[i] = r[i] + beta * p[i];
#pragma omp barrier
    }
  }

  /// The specification has |x - A z| computed each time, though nothing depends on it.
  double residual() {
    double square = 0.0;
    // p is free now, and A z needs all of z.
    for (std::size_t i = begin_; i < end_; ++i) job_.p[i] = job_.z[i];
#pragma omp barrier
    multiply();
    for (std::size_t i = begin_; i < end_; ++i) {
      const double difference = job_.x[i] - job_.q[i];
      square += difference * difference;
    }
    return ::sqrt(sum(square, 0.0).value[0]);
  }

  /// x = z / |z|; gives x z of before.
  double normalise() {
    double product = 0.0;
    double square = 0.0;
#pragma omp simd reduction(+ : product, square)
    for (std::size_t i = begin_; i < end_; ++i) {
      product += job_.x[i] * job_.z[i];
      square += job_.z[i] * job_.z[i];
    }
    const CgShare all = sum(product, square);
    const double scale = 1.0 / ::sqrt(all.value[1]);
    for (std::size_t i = begin_; i < end_; ++i) job_.x[i] = scale * job_.z[i];
    return all.value[0];
  }

 private:
  /// q = A p for the thread's rows; gives their part of p q. Four sums a row, so that additions do
  /// not wait for each other.
  double multiply() {
    const double* const value = job_.matrix.value;
    const std::int32_t* const column = job_.matrix.column;
    const double* const p = job_.p;
    double product = 0.0;
    std::int64_t k = job_.matrix.row_begin[begin_];
    for (std::size_t i = begin_; i < end_; ++i) {
      const std::int64_t end = job_.matrix.row_begin[i + 1];
      double sums[4] = {};
      for (; k + 4 <= end; k += 4) {
        sums[0] += value[k] * p[column[k]];
        sums[1] += value[k + 1] * p[column[k + 1]];
        sums[2] += value[k + 2] * p[column[k + 2]];
        sums[3] += value[k + 3] * p[column[k + 3]];
      }
      for (; k < end; ++k) sums[0] += value[k] * p[column[k]];
      const double row = (sums[0] + sums[1]) + (sums[2] + sums[3]);
      job_.q[i] = row;
      product += row * p[i];
    }
    return product;
  }

  /// A step along p; gives the thread's part of r r.
  double advance(double alpha) {
    double* const z = job_.z;
    double* const r = job_.r;
    const double* const p = job_.p;
    const double* const q = job_.q;
    double square = 0.0;
#pragma omp simd reduction(+ : square)
    for (std::size_t i = begin_; i < end_; ++i) {
      z[i] += alpha * p[i];
      const double rest = r[i] - alpha * q[i];
      r[i] = rest;
      square += rest * rest;
    }
    return square;
  }

  /// The sums over all threads, added in the order of ranks by each of them. Three rows of shares
  /// in turn: nobody writes to a row before all have read it, with one barrier for each sum.
  CgShare sum(double first, double second) {
    CgShare* const row = job_.shares + turn_ * job_.threads;
    turn_ = (turn_ + 1) % 3;
    row[rank_].value[0] = first;
    row[rank_].value[1] = second;
#pragma omp barrier
    CgShare all{};
    for (unsigned rank = 0; rank < job_.threads; ++rank) {
      all.value[0] += row[rank].value[0];
      all.value[1] += row[rank].value[1];
    }
    return all;
  }

  const CgJob& job_;
  std::size_t rank_;
  std::size_t begin_;
  std::size_t end_;
  std::size_t turn_ = 0;
};

double iterate(const CgJob& job) {
  double product = 1.0;
#pragma omp parallel num_threads(job.threads)
  {
    Worker worker(job);
    worker.fill_with_ones();
    double mine = 1.0;
    for (int iteration = 0; iteration < job.iterations; ++iteration) {
      worker.solve();
      worker.residual();
      mine = worker.normalise();
    }
#pragma omp master
    product = mine;
  }
  return job.matrix.shift + 1.0 / product;
}

}  // namespace

constinit const CgKernel cg_kernel{iterate};

}  // namespace homenode::workloads::npb::HN_ISA
