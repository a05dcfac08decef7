#include "workloads/npb/cfd_solution.h"

#include <array>
#include <cmath>

namespace homenode::workloads::npb {
namespace {

/// By component: the constant, then factors of x, y, z, of their squares, cubes, fourth powers.
constexpr double coefficients[5][13] = {
    {2.0, 0.0, 0.0, 4.0, 5.0, 3.0, 0.5, 0.02, 0.01, 0.03, 0.5, 0.4, 0.3},
    {1.0, 0.0, 0.0, 0.0, 1.0, 2.0, 3.0, 0.01, 0.03, 0.02, 0.4, 0.3, 0.5},
    {2.0, 2.0, 0.0, 0.0, 0.0, 2.0, 3.0, 0.04, 0.03, 0.05, 0.3, 0.5, 0.4},
    {2.0, 2.0, 0.0, 0.0, 0.0, 2.0, 3.0, 0.03, 0.05, 0.04, 0.2, 0.1, 0.3},
    {5.0, 4.0, 3.0, 2.0, 0.1, 0.4, 0.3, 0.05, 0.04, 0.03, 0.1, 0.3, 0.2}};

constexpr CfdState still_air{1.0, 0.0, 0.0, 0.0, 1.0};

double coordinate(const CfdField& field, std::size_t p) {
  return static_cast<double>(p) / static_cast<double>(field.grid.n - 1);
}

void set_point(const CfdField& field, std::size_t at5, const CfdState& state) {
  for (std::size_t m = 0; m < 5; ++m) field.u[at5 + m * field.grid.plane] = state[m];
}

/// Between two opposite faces.
double between(double low, double high, double place) {
  return place * high + (1.0 - place) * low;
}

CfdState interpolated(double x, double y, double z) {
  const CfdState west = exact_solution(0, y, z);
  const CfdState east = exact_solution(1, y, z);
  const CfdState south = exact_solution(x, 0, z);
  const CfdState north = exact_solution(x, 1, z);
  const CfdState bottom = exact_solution(x, y, 0);
  const CfdState top = exact_solution(x, y, 1);
  CfdState state;
  for (std::size_t m = 0; m < 5; ++m) {
    const double a = between(west[m], east[m], x);
    const double b = between(south[m], north[m], y);
    const double c = between(bottom[m], top[m], z);
    state[m] = a + b + c - a * b - a * c - b * c + a * b * c;
  }
  return state;
}

void add_squares(CfdState& sum, const CfdState& state) {
  for (std::size_t m = 0; m < 5; ++m) sum[m] += state[m] * state[m];
}

CfdState point_of(const double* values, std::size_t at5, std::size_t plane) {
  CfdState state;
  for (std::size_t m = 0; m < 5; ++m) state[m] = values[at5 + m * plane];
  return state;
}

using Point = std::array<std::size_t, 3>;

double pressure_at(const CfdField& field, const Point& point) {
  const std::size_t plane = field.grid.plane;
  const double* const u = field.u + field.grid.row5(point[1], point[2]) + point[0];
  const double momenta =
      u[plane] * u[plane] + u[2 * plane] * u[2 * plane] + u[3 * plane] * u[3 * plane];
  return cfd_c2 * (u[4 * plane] - 0.5 * momenta / u[0]);
}

}  // namespace

CfdState exact_solution(double x, double y, double z) {
  CfdState state;
  for (std::size_t m = 0; m < 5; ++m) {
    const double* const c = coefficients[m];
    state[m] = c[0] + x * (c[1] + x * (c[4] + x * (c[7] + x * c[10]))) +
               y * (c[2] + y * (c[5] + y * (c[8] + y * c[11]))) +
               z * (c[3] + z * (c[6] + z * (c[9] + z * c[12])));
  }
  return state;
}

void set_exact(const CfdField& field, std::size_t k) {
  const CfdGrid& g = field.grid;
  for (std::size_t j = 0; j < g.n; ++j) {
    for (std::size_t i = 0; i < g.pitch; ++i) {
      set_point(
          field, g.row5(j, k) + i,
          i < g.n ? exact_solution(coordinate(field, i), coordinate(field, j), coordinate(field, k))
                  : still_air);
    }
  }
}

void set_initial(const CfdField& field, std::size_t k) {
  const CfdGrid& g = field.grid;
  const auto end = [&g](std::size_t p) { return p == 0 || p == g.n - 1; };
  for (std::size_t j = 0; j < g.n; ++j) {
    for (std::size_t i = 0; i < g.pitch; ++i) {
      const double x = coordinate(field, i);
      const double y = coordinate(field, j);
      const double z = coordinate(field, k);
      const bool on_face = end(i) || end(j) || end(k);
      set_point(field, g.row5(j, k) + i,
                i >= g.n  ? still_air
                : on_face ? exact_solution(x, y, z)
                          : interpolated(x, y, z));
    }
  }
}

CfdState residual_squares(const CfdField& field, std::size_t k) {
  const CfdGrid& g = field.grid;
  CfdState sum{};
  for (std::size_t j = 1; j + 1 < g.n; ++j) {
    for (std::size_t i = 1; i + 1 < g.n; ++i) {
      add_squares(sum, point_of(field.rhs, g.row5(j, k) + i, g.plane));
    }
  }
  return sum;
}

CfdState error_squares(const CfdField& field, std::size_t k, bool borders) {
  const CfdGrid& g = field.grid;
  const std::size_t from = borders ? 0 : 1;
  CfdState sum{};
  for (std::size_t j = from; j + from < g.n; ++j) {
    for (std::size_t i = from; i + from < g.n; ++i) {
      CfdState error = point_of(field.u, g.row5(j, k) + i, g.plane);
      const CfdState exact =
          exact_solution(coordinate(field, i), coordinate(field, j), coordinate(field, k));
      for (std::size_t m = 0; m < 5; ++m) error[m] -= exact[m];
      add_squares(sum, error);
    }
  }
  return sum;
}

CfdState norm_of(const CfdState* squares_by_plane, std::size_t n) {
  CfdState norm{};
  for (std::size_t k = 0; k < n; ++k) {
    for (std::size_t m = 0; m < 5; ++m) norm[m] += squares_by_plane[k][m];
  }
  const auto interior = static_cast<double>(n - 2);
  for (double& value : norm) value = std::sqrt(value / (interior * interior * interior));
  return norm;
}

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
