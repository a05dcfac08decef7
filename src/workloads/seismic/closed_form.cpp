#include "workloads/seismic/closed_form.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>

namespace homenode::workloads::seismic {
namespace {

/// What one component of the motion at one place is made of: these times, in their order, the
/// rate between P and S wave weighted with time, the rates when each arrives, and their slopes.
struct Terms {
  double near = 0, rate_p = 0, rate_s = 0, slope_p = 0, slope_s = 0;
  double p_s = 0, s_s = 0;  ///< When the waves arrive; as early as P where S never does.
};

Terms terms_of(const Layer& medium, const Moment& m, const std::array<double, 3>& offset_m,
               std::size_t n) {
  const double r = std::hypot(offset_m[0], offset_m[1], offset_m[2]);
  const std::array<double, 3> g = {offset_m[0] / r, offset_m[1] / r, offset_m[2] / r};
  // With M g and g M g, sums over both indices of the tensor are a few products.
  const std::array<double, 3> mg = {m[0] * g[0] + m[3] * g[1] + m[4] * g[2],
                                    m[3] * g[0] + m[1] * g[1] + m[5] * g[2],
                                    m[4] * g[0] + m[5] * g[1] + m[2] * g[2]};
  const double gmg = mg[0] * g[0] + mg[1] * g[1] + mg[2] * g[2];
  const double trace = m[0] + m[1] + m[2];
  const double a = medium.p_m_s;
  const double b = medium.s_m_s;
  const double scale = 1.0 / (4.0 * std::numbers::pi * medium.density_kg_m3 * r);
  Terms terms;
  terms.p_s = terms.s_s = r / a;
  terms.rate_p = scale * (6.0 * g[n] * gmg - g[n] * trace - 2.0 * mg[n]) / (a * a * r);
  terms.slope_p = scale * g[n] * gmg / (a * a * a);
  if (b <= 0.0) return terms;
  terms.s_s = r / b;
  terms.near = scale * (15.0 * g[n] * gmg - 3.0 * g[n] * trace - 6.0 * mg[n]) / (r * r * r);
  terms.rate_s = -scale * (6.0 * g[n] * gmg - g[n] * trace - 3.0 * mg[n]) / (b * b * r);
  terms.slope_s = -scale * (g[n] * gmg - mg[n]) / (b * b * b);
  return terms;
}

/// The integral of s rate(time - s) over s from `from` to `to`, by Simpson's rule.
double near_integral(const TimeFunction& function, double time_s, double from, double to) {
  const bool bell =
      function.kind == TimeFunction::Kind::gaussian || function.kind == TimeFunction::Kind::pulse;
  const double most = 9.0 * function.width_s;  // Farther from its middle a bell is nothing.
  if (bell && (time_s - to > function.start_s + most || time_s - from < function.start_s - most)) {
    return 0.0;
  }
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

using Complex = std::complex<double>;

/// The motion that a moment rate exp(-i w t) makes.
Complex response(const Terms& terms, double w) {
  const Complex slope(0.0, -w);
  const Complex p = std::polar(1.0, w * terms.p_s);
  const Complex s = std::polar(1.0, w * terms.s_s);
  const Complex near = w == 0.0 ? (terms.s_s * terms.s_s - terms.p_s * terms.p_s) / 2.0
                                : (terms.p_s * p - terms.s_s * s) / slope + (s - p) / (w * w);
  return terms.near * near + (terms.rate_p + terms.slope_p * slope) * p +
         (terms.rate_s + terms.slope_s * slope) * s;
}

}  // namespace

std::array<double, 3> full_space_velocity(const Layer& medium, const Source& source,
                                          const std::array<double, 3>& offset_m, double time_s) {
  const TimeFunction& f = source.time;
  std::array<double, 3> velocity{};
  for (std::size_t n = 0; n < 3; ++n) {
    const Terms t = terms_of(medium, source.moment_nm, offset_m, n);
    velocity[n] = t.rate_p * f.rate(time_s - t.p_s) + t.slope_p * f.slope(time_s - t.p_s) +
                  t.rate_s * f.rate(time_s - t.s_s) + t.slope_s * f.slope(time_s - t.s_s);
    if (t.near != 0.0) velocity[n] += t.near * near_integral(f, time_s, t.p_s, t.s_s);
  }
  return velocity;
}

std::vector<double> full_space_steps(const Layer& medium, const Source& source,
                                     const std::array<double, 3>& offset_m, std::size_t component,
                                     const Steps& steps) {
  const Terms terms = terms_of(medium, source.moment_nm, offset_m, component);
  const double width_s = source.time.width_s;
  const bool pulse = source.time.kind == TimeFunction::Kind::pulse;
  // A sum over frequencies repeats in time: long after all waves have passed.
  const double all_s = static_cast<double>(steps.count) * steps.step_s;
  const double unit =
      std::numbers::pi / (std::max(all_s, source.time.start_s + terms.s_s) + 10 * width_s);
  const double last = std::min(9.0 / width_s, std::numbers::pi / steps.step_s);
  std::vector<double> velocity(steps.count);
  for (double n = 0; n * unit < last; n += 1) {
    const double w = n * unit;
    const double in_steps = 2.0 / steps.step_s * std::sin(0.5 * w * steps.step_s);
    Complex wave = std::polar(std::exp(-0.5 * w * w * width_s * width_s), w * source.time.start_s);
    if (pulse) wave *= Complex(0.0, -w * width_s);
    wave *= response(terms, in_steps) * (n > 0 ? 1.0 : 0.5) * unit / std::numbers::pi;
    for (std::size_t step = 0; step < steps.count; ++step) {
      const double time_s = (static_cast<double>(step) + 0.5) * steps.step_s;
      velocity[step] += (wave * std::polar(1.0, -w * time_s)).real();
    }
  }
  return velocity;
}

}  // namespace homenode::workloads::seismic
