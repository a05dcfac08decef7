// BT and SP: the same step, right-hand side and then lines in three directions, with other systems
// along the lines.
#include <algorithm>
#include <array>
#include <string_view>

#include "workloads/npb/cfd_kernels.h"
#include "workloads/npb/cfd_program.h"
#include "workloads/npb/table.h"

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

/// All but the speed of sound.
constexpr auto bt_arrays = [] {
  std::array<CfdArray, sp_arrays.size() - 1> arrays{};
  std::copy_if(sp_arrays.begin(), sp_arrays.end(), arrays.begin(),
               [](const CfdArray& each) { return each.where != &CfdField::speed; });
  return arrays;
}();

/// Operations of a step as NPB counts them.
double bt_operations(std::size_t points) {
  const auto n = static_cast<double>(points);
  return 3478.8 * n * n * n - 17655.7 * n * n + 28023.7 * n;
}

double sp_operations(std::size_t points) {
  const auto n = static_cast<double>(points);
  return 881.174 * n * n * n - 4683.91 * n * n + 11484.5 * n - 19272.4;
}

/// What makes one of the two.
struct LineSolver {
  std::span<const CfdArray> arrays;
  const LinesKernel& (*kernel)();
  std::size_t scratch_doubles;  ///< For each place of a line.
};

class LineProgram final : public CfdProgram {
 public:
  LineProgram(const CfdReference& reference, const LineSolver& solver, double operations)
      : CfdProgram(reference, solver.arrays, operations), solver_(solver) {}

 protected:
  [[nodiscard]] std::size_t scratch_doubles() const override {
    return solver_.scratch_doubles * grid().pitch;
  }

  void step(const CfdWorker& worker) override {
    const CfdField& field = *worker.field;
    const LinesKernel& lines = solver_.kernel();
    step_by_lines(
        worker,
        [&](std::size_t k) {
          if (lines.enter != nullptr) lines.enter(field, k);
          lines.along_x(field, k, worker.scratch);
          lines.along_y(field, k, worker.scratch);
        },
        [&](std::size_t j) { lines.along_z(field, j, worker.scratch); });
  }

 private:
  LineSolver solver_;
};

std::unique_ptr<Program> make_bt(Class size) {
  const CfdReference& reference = bt_reference(size);
  return std::make_unique<LineProgram>(
      reference, LineSolver{bt_arrays, bt_lines_kernel_here, bt_scratch_doubles},
      bt_operations(reference.points));
}

std::unique_ptr<Program> make_sp(Class size) {
  const CfdReference& reference = sp_reference(size);
  return std::make_unique<LineProgram>(
      reference, LineSolver{sp_arrays, sp_lines_kernel_here, sp_scratch_doubles},
      sp_operations(reference.points));
}

}  // namespace

constinit const Benchmark bt_benchmark{
    "bt", "flow in a cube: block-tridiagonal systems (5 x 5) along lines",
    "own planes, and lines along z through the planes of all threads", make_bt};
constinit const Benchmark sp_benchmark{"sp", "flow in a cube: pentadiagonal systems along lines",
                                       "own planes, and lines along z through the planes of all "
                                       "threads",
                                       make_sp};

}  // namespace homenode::workloads::npb
