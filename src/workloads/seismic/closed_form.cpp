#include "workloads/seismic/closed_form.h"

#include <cmath>
#include <numbers>

namespace homenode::workloads::seismic {
namespace {

/// The integral of s rate(time - s) over s from `from` to `to`, by Simpson's rule.
double near_integral(const TimeFunction& function, double time_s, double from, double to) {
  constexpr int intervals = 200;
  const double h = (to - from) / intervals;
  double sum = 0.0;
  for (int n = 0; n <= intervals; ++n) {
    const double s = from + n * h;
    const double weight = n == 0 || n == intervals ? 1.0 : (n % 2 == 1 ? 4.0 : 2.0);
    sum += weight * s * function.rate(time_s - s);
  }
  return sum * h / 3.0;
}

}  // namespace

std::array<double, 3> full_space_velocity(const Layer& medium, const Source& source,
                                          const std::array<double, 3>& offset_m, double time_s) {
  const double r = std::hypot(offset_m[0], offset_m[1], offset_m[2]);
  const std::array<double, 3> g = {offset_m[0] / r, offset_m[1] / r, offset_m[2] / r};
  const Moment& m = source.moment_nm;
  // With M g and g M g, sums over both indices of the tensor are a few products.
  const std::array<double, 3> mg = {m[0] * g[0] + m[3] * g[1] + m[4] * g[2],
                                    m[3] * g[0] + m[1] * g[1] + m[5] * g[2],
                                    m[4] * g[0] + m[5] * g[1] + m[2] * g[2]};
  const double gmg = mg[0] * g[0] + mg[1] * g[1] + mg[2] * g[2];
  const double trace = m[0] + m[1] + m[2];
  const double a = medium.p_m_s;
  const double b = medium.s_m_s;
  const double scale = 1.0 / (4.0 * std::numbers::pi * medium.density_kg_m3);
  const TimeFunction& f = source.time;
  const double rate_p = f.rate(time_s - r / a);
  const double slope_p = f.slope(time_s - r / a);
  const bool shears = b > 0.0;
  const double near = shears ? near_integral(f, time_s, r / a, r / b) : 0.0;
  const double rate_s = shears ? f.rate(time_s - r / b) / (b * b) : 0.0;
  const double slope_s = shears ? f.slope(time_s - r / b) / (b * b * b) : 0.0;
  std::array<double, 3> velocity{};
  for (std::size_t n = 0; n < 3; ++n) {
    velocity[n] =
        scale * ((15.0 * g[n] * gmg - 3.0 * g[n] * trace - 6.0 * mg[n]) * near / (r * r * r * r) +
                 (6.0 * g[n] * gmg - g[n] * trace - 2.0 * mg[n]) * rate_p / (a * a * r * r) -
                 (6.0 * g[n] * gmg - g[n] * trace - 3.0 * mg[n]) * rate_s / (r * r) +
                 g[n] * gmg * slope_p / (a * a * a * r) - (g[n] * gmg - mg[n]) * slope_s / r);
  }
  return velocity;
}

}  // namespace homenode::workloads::seismic
