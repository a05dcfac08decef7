// What proves the solver: problems in a full space whose motion is known exactly, and how far a
// simulation is from it.
#pragma once

#include <cstddef>
#include <vector>

#include "workloads/seismic/scene.h"
#include "workloads/seismic/solver.h"

namespace homenode::workloads::seismic {

/// A homogeneous full space with one source in the middle, of the published test's rock, and
/// receivers around it.
struct FullSpace {
  double extent_m = 2000;  ///< Of the inner grid, without the absorbing faces, along each axis.
  double spacing_m = 100;
  double seconds = 1.02;  ///< Until S waves have passed.
  std::size_t absorbing_cells = 10;
  double reflection = 1e-4;  ///< Of a face, and as much as ten cells can do.
  double distance_m = 900;   ///< Of the receivers, the same places on every grid.
  double width_s = 0.08;     ///< Of the source: 7 cells of 100 m to the shortest S wave in it.
  double courant = 0.45;     ///< Cells that P waves cross in a time step.
  bool explosion = true;     ///< Else a double couple, Mxy.
  TimeFunction::Kind kind = TimeFunction::Kind::gaussian;
};
Scene full_space(const FullSpace& problem);

/// Puts one source in the middle of a grid and receivers of the velocity at `distance_m`, for P and
/// S waves in all directions, where its exact motion can be compared.
void place_full_space_points(Scene& scene, const Source& source, double distance_m);

/// What receivers of a velocity record of the exact motion, for the first source in the first
/// layer: between nodes the same mean as a simulation's, so that this is no part of what differs.
std::vector<std::vector<double>> exact_traces(const Scene& scene);

/// The same where time goes in steps and space has no grid (full_space_steps).
std::vector<std::vector<double>> stepped_traces(const Scene& scene);

/// The root of the summed squares of what differs, over that of what is expected.
double misfit(const std::vector<std::vector<double>>& traces,
              const std::vector<std::vector<double>>& expected);

/// The order of convergence that two errors show, of steps that differ by `ratio`.
double order_of(double coarse_error, double fine_error, double ratio = 2.0);

/// The same grid with three steps for each of before: every third of its records, from the second
/// on, is at the time of one of before.
Scene with_third_steps(Scene scene);
std::vector<std::vector<double>> every_third(const std::vector<std::vector<double>>& traces);

}  // namespace homenode::workloads::seismic
