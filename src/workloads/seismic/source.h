// Point sources and where they and receivers act on a staggered grid. Pure.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "workloads/seismic/kernels.h"

namespace homenode::workloads::seismic {

/// How the moment of a source grows, for one unit of moment.
struct TimeFunction {
  enum class Kind {
    gaussian,  ///< A bell: the moment goes from 0 to 1 around `start_s`, within some `width_s`.
    pulse,     ///< The bell's slope times width: the moment comes and goes, nothing stays.
    brune,     ///< From start_s on: t / width^2 exp(-t / width).
    held,      ///< Given: the n-th sample holds from start_s + n sample_s on for sample_s.
  };
  Kind kind = Kind::gaussian;
  double start_s = 0;
  double width_s = 0;
  double sample_s = 0;
  std::vector<double> samples = {};

  [[nodiscard]] double moment(double time_s) const;
  /// The derivative of moment, in 1/s.
  [[nodiscard]] double rate(double time_s) const;
  /// The derivative of rate, in 1/s^2; 0 for samples.
  [[nodiscard]] double slope(double time_s) const;
};

/// A symmetric tensor in N m: xx, yy, zz, xy, xz, yz.
using Moment = std::array<double, 6>;
inline constexpr Moment explosion = {1, 1, 1, 0, 0, 0};
inline constexpr Moment strike_slip = {0, 0, 0, 1, 0, 0};

/// The double couple of a slip on a fault, angles in degrees, x north, y west, z up. Aki and
/// Richards, Quantitative Seismology, box 4.4, whose y points east and z down.
Moment double_couple(double strike_deg, double dip_deg, double rake_deg);

/// In units of the spacing from the node of cell (0,0,0).
using Point = std::array<double, 3>;

/// Where in its cell a component is.
Point offset_of(Component component);
/// The node of a component in a cell.
Point node_of(Component component, std::array<std::ptrdiff_t, 3> cell);

struct Tap {
  std::array<std::ptrdiff_t, 3> cell = {};
  double weight = 0;
};

/// The nodes of a component around a point and their linear weights: one where the point is one.
/// They come lowest first.
std::vector<Tap> taps(Component component, const Point& point);

struct Source {
  Point point = {};
  Moment moment_nm = explosion;
  TimeFunction time = {};
  /// As pairs of forces a cell apart, as Ondes3D has it, rather than as stresses; both are a point
  /// to waves much longer than a cell.
  bool forces = false;
};

/// What a source adds to one node in each step: a stress's weight is in N m and goes with the rate,
/// a velocity's is N m per cell and goes with the moment.
struct Injection {
  Component component = Component::sxx;
  Tap tap = {};
};
std::vector<Injection> injections(const Source& source);

/// A velocity or stress that is recorded in every step.
struct Receiver {
  Component component = Component::vx;
  Point point = {};
};

}  // namespace homenode::workloads::seismic
