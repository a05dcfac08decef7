#include "workloads/npb/lu_surface.h"

#include <array>

namespace homenode::workloads::npb {
namespace {

using Point = std::array<std::size_t, 3>;

double pressure_at(const CfdField& field, const Point& point) {
  const std::size_t plane = field.grid.plane;
  const double* const u = field.u + field.grid.row5(point[1], point[2]) + point[0];
  const double momenta =
      u[plane] * u[plane] + u[2 * plane] * u[2 * plane] + u[3 * plane] * u[3 * plane];
  return cfd_c2 * (u[4 * plane] - 0.5 * momenta / u[0]);
}

}  // namespace

double surface_integral(const CfdField& field) {
  const std::size_t n = field.grid.n;
  const Point low{1, 1, 2};
  const Point high{n - 2, n - 3, n - 2};
  double sum = 0.0;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const std::size_t across = axis == 0 ? 1 : 0;
    const std::size_t up = axis == 2 ? 1 : 2;
    for (const std::size_t face : {low[axis], high[axis]}) {
      for (std::size_t b = low[up]; b < high[up]; ++b) {
        for (std::size_t a = low[across]; a < high[across]; ++a) {
          for (std::size_t corner = 0; corner < 4; ++corner) {
            Point point{};
            point[axis] = face;
            point[across] = a + corner % 2;
            point[up] = b + corner / 2;
            sum += pressure_at(field, point);
          }
        }
      }
    }
  }
  const auto steps = static_cast<double>(n - 1);
  return 0.25 * sum / (steps * steps);
}

}  // namespace homenode::workloads::npb
