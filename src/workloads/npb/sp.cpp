#include "workloads/npb/sp.h"

#include <array>

#include "workloads/npb/cfd_program.h"
#include "workloads/npb/sp_lines.h"

namespace homenode::workloads::npb {
namespace {

constexpr std::array sp_arrays{CfdArray{"u", &CfdField::u, 5},
                               CfdArray{"rhs", &CfdField::rhs, 5},
                               CfdArray{"forcing", &CfdField::forcing, 5},
                               CfdArray{"us", &CfdField::us, 1},
                               CfdArray{"vs", &CfdField::vs, 1},
                               CfdArray{"ws", &CfdField::ws, 1},
                               CfdArray{"qs", &CfdField::qs, 1},
                               CfdArray{"rho_i", &CfdField::rho_i, 1},
                               CfdArray{"speed", &CfdField::speed, 1},
                               CfdArray{"square", &CfdField::square, 1}};

/// As NPB counts them in a step.
double sp_operations(std::size_t points) {
  const auto n = static_cast<double>(points);
  return 881.174 * n * n * n - 4683.91 * n * n + 11484.5 * n - 19272.4;
}

class Sp final : public CfdProgram {
 public:
  explicit Sp(Class size)
      : CfdProgram(sp_reference(size), sp_arrays, sp_operations(sp_reference(size).points)) {}

 protected:
  [[nodiscard]] std::size_t scratch_doubles() const override {
    return sp_scratch_doubles * grid().pitch;
  }

  void step(const CfdWorker& worker) override {
    const CfdField& field = *worker.field;
    const SpLinesKernel& lines = sp_lines_kernel_here();
    step_by_lines(
        worker,
        [&](std::size_t k) {
          lines.enter(field, k);
          lines.along_x(field, k, worker.scratch);
          lines.along_y(field, k, worker.scratch);
        },
        [&](std::size_t j) { lines.along_z(field, j, worker.scratch); });
  }
};

}  // namespace

std::unique_ptr<Program> make_sp(Class size) {
  return std::make_unique<Sp>(size);
}

}  // namespace homenode::workloads::npb
