#include "workloads/seismic/source.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace homenode::workloads::seismic {
namespace {

/// The unit bell of a Gaussian.
double bell(double time_s, double width_s) {
  const double x = time_s / width_s;
  return std::exp(-0.5 * x * x) / (width_s * std::sqrt(2.0 * std::numbers::pi));
}

/// The sample that holds at a time.
double held(const TimeFunction& function, double time_s) {
  const double at = std::floor(time_s / function.sample_s);
  const bool inside = at >= 0.0 && at < static_cast<double>(function.samples.size());
  return inside ? function.samples[static_cast<std::size_t>(at)] : 0.0;
}

/// The area below the samples up to a time.
double summed(const TimeFunction& function, double time_s) {
  const double at = time_s / function.sample_s;
  double sum = 0.0;
  for (std::size_t n = 0; n < function.samples.size(); ++n) {
    sum += std::clamp(at - static_cast<double>(n), 0.0, 1.0) * function.samples[n];
  }
  return sum * function.sample_s;
}

/// The pairs of forces that pull at a velocity component along the axes that a tensor names.
void add_forces(const Source& source, Component component, const std::array<double, 3>& moments,
                std::vector<Injection>& all) {
  const Point offset = offset_of(component);
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (moments[axis] == 0.0) continue;
    const double at = source.point[axis] - offset[axis];
    // To the next nodes on both sides: half a cell where the source is between two.
    const double arm = std::abs(at - std::round(at)) > 0.25 ? 0.5 : 1.0;
    for (const double side : {-1.0, 1.0}) {
      Point point = source.point;
      point[axis] += side * arm;
      for (Tap tap : taps(component, point)) {
        tap.weight *= side * moments[axis] / (2.0 * arm);
        all.push_back({component, tap});
      }
    }
  }
}

}  // namespace

double TimeFunction::moment(double time_s) const {
  const double t = time_s - start_s;
  switch (kind) {
    case Kind::gaussian:
      return 0.5 * std::erfc(-t / (width_s * std::numbers::sqrt2));
    case Kind::pulse:
      return width_s * bell(t, width_s);
    case Kind::brune:
      return t > 0.0 ? 1.0 - (1.0 + t / width_s) * std::exp(-t / width_s) : 0.0;
    case Kind::held:
      return summed(*this, t);
  }
  return 0.0;
}

double TimeFunction::rate(double time_s) const {
  const double t = time_s - start_s;
  switch (kind) {
    case Kind::gaussian:
      return bell(t, width_s);
    case Kind::pulse:
      return -t / width_s * bell(t, width_s);
    case Kind::brune:
      return t > 0.0 ? t / (width_s * width_s) * std::exp(-t / width_s) : 0.0;
    case Kind::held:
      return held(*this, t);
  }
  return 0.0;
}

double TimeFunction::slope(double time_s) const {
  const double t = time_s - start_s;
  const double w2 = width_s * width_s;
  switch (kind) {
    case Kind::gaussian:
      return -t / w2 * bell(t, width_s);
    case Kind::pulse:
      return (t * t / w2 - 1.0) / width_s * bell(t, width_s);
    case Kind::brune:
      return t > 0.0 ? (1.0 - t / width_s) / w2 * std::exp(-t / width_s) : 0.0;
    case Kind::held:
      return 0.0;
  }
  return 0.0;
}

Moment double_couple(double strike_deg, double dip_deg, double rake_deg) {
  const double s = strike_deg * std::numbers::pi / 180.0;
  const double d = dip_deg * std::numbers::pi / 180.0;
  const double r = rake_deg * std::numbers::pi / 180.0;
  using std::cos, std::sin;
  const double xx = -(sin(d) * cos(r) * sin(2 * s) + sin(2 * d) * sin(r) * sin(s) * sin(s));
  const double xy = sin(d) * cos(r) * cos(2 * s) + 0.5 * sin(2 * d) * sin(r) * sin(2 * s);
  const double xz = -(cos(d) * cos(r) * cos(s) + cos(2 * d) * sin(r) * sin(s));
  const double yy = sin(d) * cos(r) * sin(2 * s) - sin(2 * d) * sin(r) * cos(s) * cos(s);
  const double yz = -(cos(d) * cos(r) * sin(s) - cos(2 * d) * sin(r) * cos(s));
  const double zz = sin(2 * d) * sin(r);
  return {xx, yy, zz, -xy, -xz, yz};
}

Point offset_of(Component component) {
  switch (component) {
    case Component::vx:
      return {0, 0, 0};
    case Component::vy:
      return {0.5, 0.5, 0};
    case Component::vz:
      return {0.5, 0, 0.5};
    case Component::sxx:
    case Component::syy:
    case Component::szz:
      return {0.5, 0, 0};
    case Component::sxy:
      return {0, 0.5, 0};
    case Component::sxz:
      return {0, 0, 0.5};
    case Component::syz:
      return {0.5, 0.5, 0.5};
  }
  return {};
}

Point node_of(Component component, std::array<std::ptrdiff_t, 3> cell) {
  Point point = offset_of(component);
  for (std::size_t axis = 0; axis < 3; ++axis) point[axis] += static_cast<double>(cell[axis]);
  return point;
}

std::vector<Tap> taps(Component component, const Point& point) {
  const Point offset = offset_of(component);
  std::vector<Tap> all{{{}, 1.0}};
  for (std::size_t axis = 3; axis-- > 0;) {
    const double at = point[axis] - offset[axis];
    const double low = std::floor(at);
    std::vector<Tap> wider;
    for (const Tap& tap : all) {
      for (const double end : {low, low + 1.0}) {
        const double weight = 1.0 - std::abs(at - end);
        if (weight <= 0.0) continue;
        Tap next = tap;
        next.cell[axis] = static_cast<std::ptrdiff_t>(end);
        next.weight *= weight;
        wider.push_back(next);
      }
    }
    all = std::move(wider);
  }
  return all;
}

std::vector<Injection> injections(const Source& source) {
  constexpr std::array<Component, 6> stresses = {Component::sxx, Component::syy, Component::szz,
                                                 Component::sxy, Component::sxz, Component::syz};
  std::vector<Injection> all;
  const Moment& m = source.moment_nm;
  if (source.forces) {
    add_forces(source, Component::vx, {m[0], m[3], m[4]}, all);
    add_forces(source, Component::vy, {m[3], m[1], m[5]}, all);
    add_forces(source, Component::vz, {m[4], m[5], m[2]}, all);
    return all;
  }
  for (std::size_t c = 0; c < stresses.size(); ++c) {
    if (m[c] == 0.0) continue;
    for (Tap tap : taps(stresses[c], source.point)) {
      tap.weight *= m[c];
      all.push_back({stresses[c], tap});
    }
  }
  return all;
}

}  // namespace homenode::workloads::seismic
