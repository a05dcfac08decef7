// CG as a program: the smallest eigenvalue of a sparse random matrix (NAS-91-002).
#include <array>
#include <cassert>

#include "workloads/npb/cg_kernel.h"
#include "workloads/npb/table.h"
#include "workloads/program/program.h"

namespace homenode::workloads::npb {
namespace {

struct CgValues {
  std::size_t n;
  std::size_t nonzeros;
  int iterations;
  double shift;
  double zeta;
};

constexpr std::array<CgValues, classes.size()> cg_values{{
    {1400, 7, 15, 10.0, 8.5971775078648},
    {7000, 8, 15, 12.0, 10.362595087124},
    {14000, 11, 15, 20.0, 17.130235054029},
    {75000, 13, 75, 60.0, 22.712745482631},
    {150000, 15, 75, 110.0, 28.973605592845},
    {1500000, 21, 100, 500.0, 52.514532105794},
}};

class Cg final : public Program {
 public:
  explicit Cg(Class size) : values_(cg_values[index_of(size)]) {}

  [[nodiscard]] std::vector<ArrayNeed> arrays() const override {
    const std::size_t values = cg_most_values(values_.n, values_.nonzeros);
    const std::size_t drawn = cg_most_in_vectors(values_.n, values_.nonzeros);
    const std::size_t vector_bytes = values_.n * sizeof(double);
    return {{"a", values * sizeof(double), Sharing::parts},
            {"colidx", values * sizeof(std::int32_t), Sharing::parts},
            {"rowstr", (values_.n + 1) * sizeof(std::int64_t), Sharing::parts},
            {"x", vector_bytes, Sharing::parts},
            {"z", vector_bytes, Sharing::parts},
            {"p", vector_bytes, Sharing::all},
            {"q", vector_bytes, Sharing::parts},
            {"r", vector_bytes, Sharing::parts},
            {"aelt", drawn * sizeof(double), Sharing::all},
            {"acol", drawn * sizeof(std::int32_t), Sharing::all},
            {"arow", drawn * sizeof(std::int32_t), Sharing::all}};
  }

  ProgramOutcome run(std::span<void* const> memory, unsigned threads) override {
    assert(memory.size() == 11);
    const auto doubles = [&](std::size_t i) { return static_cast<double*>(memory[i]); };
    const auto numbers = [&](std::size_t i) { return static_cast<std::int32_t*>(memory[i]); };
    std::vector<CgShare> shares(3 * std::size_t{threads});
    CgJob job;
    job.matrix = {values_.n,  values_.nonzeros, values_.shift,
                  doubles(0), numbers(1),       static_cast<std::int64_t*>(memory[2])};
    job.x = doubles(3);
    job.z = doubles(4);
    job.p = doubles(5);
    job.q = doubles(6);
    job.r = doubles(7);
    job.shares = shares.data();
    job.threads = threads;
    make_cg_matrix(job.matrix, {doubles(8), numbers(9), numbers(10)}, threads);

    job.iterations = 1;  // Once untimed, as specified.
    cg_kernel_here().iterate(job);
    job.iterations = values_.iterations;
    TimedPart part;
    part.begin();
    const double zeta = cg_kernel_here().iterate(job);
    ProgramOutcome outcome;
    outcome.seconds = part.end();
    const auto row = static_cast<double>(values_.nonzeros * (values_.nonzeros + 1));
    outcome.operations = 2.0 * values_.iterations * static_cast<double>(values_.n) *
                         (3.0 + row + 25.0 * (5.0 + row) + 3.0);
    outcome.unit = "Mop/s";
    outcome.checks = {{"zeta", zeta, values_.zeta, 1e-10}};
    return outcome;
  }

 private:
  const CgValues& values_;
};

std::unique_ptr<Program> make_cg(Class size) {
  return std::make_unique<Cg>(size);
}

}  // namespace

constinit const Benchmark cg_benchmark{"cg", "smallest eigenvalue of a sparse random matrix",
                                       "own rows, and every thread reads all of one vector",
                                       make_cg};

}  // namespace homenode::workloads::npb
