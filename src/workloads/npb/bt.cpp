#include "workloads/npb/bt.h"

#include <array>

#include "workloads/npb/bt_lines.h"
#include "workloads/npb/cfd_program.h"

namespace homenode::workloads::npb {
namespace {

constexpr std::array bt_arrays{CfdArray{"u", &CfdField::u, 5},
                               CfdArray{"rhs", &CfdField::rhs, 5},
                               CfdArray{"forcing", &CfdField::forcing, 5},
                               CfdArray{"us", &CfdField::us, 1},
                               CfdArray{"vs", &CfdField::vs, 1},
                               CfdArray{"ws", &CfdField::ws, 1},
                               CfdArray{"qs", &CfdField::qs, 1},
                               CfdArray{"rho_i", &CfdField::rho_i, 1},
                               CfdArray{"square", &CfdField::square, 1}};

/// As NPB counts them in a step.
double bt_operations(std::size_t points) {
  const auto n = static_cast<double>(points);
  return 3478.8 * n * n * n - 17655.7 * n * n + 28023.7 * n;
}

class Bt final : public CfdProgram {
 public:
  explicit Bt(Class size)
      : CfdProgram(bt_reference(size), bt_arrays, bt_operations(bt_reference(size).points)) {}

 protected:
  [[nodiscard]] std::size_t scratch_doubles() const override {
    return bt_scratch_doubles * grid().pitch;
  }

  void step(const CfdWorker& worker) override {
    const CfdField& field = *worker.field;
    const BtLinesKernel& lines = bt_lines_kernel_here();
    step_by_lines(
        worker,
        [&](std::size_t k) {
          lines.along_x(field, k, worker.scratch);
          lines.along_y(field, k, worker.scratch);
        },
        [&](std::size_t j) { lines.along_z(field, j, worker.scratch); });
  }
};

}  // namespace

std::unique_ptr<Program> make_bt(Class size) {
  return std::make_unique<Bt>(size);
}

}  // namespace homenode::workloads::npb
