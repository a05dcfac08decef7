// Waves against the exact motion of a full space, and what becomes of their energy. Sanitizers
// leave these out (CMakePresets.json): solver_test.cpp runs the same code on smaller grids.
#include <gtest/gtest.h>

#include <algorithm>

#include "run_scene.h"
#include "workloads/seismic/closed_form.h"
#include "workloads/seismic/ladder.h"

namespace homenode::workloads::seismic {
namespace {

double misfit_of(const FullSpace& problem, bool single_precision = false) {
  Scene scene = full_space(problem);
  scene.single_precision = single_precision;
  return misfit(run_scene(scene).traces, exact_traces(scene));
}

TEST(SeismicWaves, AnExplosionMovesAFullSpaceAsTheClosedFormSays) {
  const double found = misfit_of({});
  EXPECT_LT(found, 0.01);
  EXPECT_GT(found, 1e-5);  // Differences of fourth order at 7 points are not that good.
}

TEST(SeismicWaves, ADoubleCoupleMovesAFullSpaceAsTheClosedFormSays) {
  FullSpace problem;
  problem.explosion = false;
  EXPECT_LT(misfit_of(problem), 0.01);
}

TEST(SeismicWaves, SinglePrecisionIsAsGoodForWaves) {
  EXPECT_LT(misfit_of({}, true), 0.01);
}

/// How far a source on a grid is from time in steps and space without a grid.
double misfit_in_space(bool explosion, double spacing_m) {
  FullSpace problem;
  problem.explosion = explosion;
  problem.spacing_m = spacing_m;
  const Scene scene = full_space(problem);
  return misfit(run_scene(scene).traces, stepped_traces(scene));
}

TEST(SeismicWaves, DifferencesInSpaceAreOfFourthOrder) {
  for (const bool explosion : {true, false}) {
    const double order =
        order_of(misfit_in_space(explosion, 105), misfit_in_space(explosion, 70), 1.5);
    EXPECT_GT(order, 3.5) << explosion;
    EXPECT_LT(order, 4.5) << explosion;
  }
}

TEST(SeismicWaves, TimeStepsAreOfSecondOrder) {
  FullSpace problem;
  problem.explosion = false;
  problem.extent_m = 800;
  problem.distance_m = 400;
  problem.seconds = 0.7;
  Scene scene = full_space(problem);
  std::vector<std::vector<double>> seen[3];
  for (auto& traces : seen) {
    traces = run_scene(scene).traces;
    scene = with_third_steps(scene);
  }
  const auto middle = every_third(seen[1]);
  const auto fine = every_third(every_third(seen[2]));
  EXPECT_NEAR(order_of(misfit(seen[0], middle), misfit(middle, fine), 3.0), 2.0, 0.05);
}

TEST(SeismicWaves, TheEnergyLeavesThroughTheAbsorbingFaces) {
  FullSpace problem;
  problem.kind = TimeFunction::Kind::pulse;
  problem.seconds = 2.6;
  problem.extent_m = 1600;
  problem.distance_m = 600;
  Scene scene = full_space(problem);
  scene.energy_every = 20;
  const std::vector<double> energy = run_scene(scene).energy_j;
  const double most = *std::max_element(energy.begin(), energy.end());
  EXPECT_GT(most, 0.0);
  EXPECT_LT(energy.back(), 1e-5 * most);
}

TEST(SeismicWaves, RigidWallsKeepTheEnergy) {
  FullSpace problem;
  problem.kind = TimeFunction::Kind::pulse;
  problem.seconds = 2.6;
  Scene scene = full_space(problem);
  scene.absorbing_cells = 0;
  scene.energy_every = 20;
  const std::vector<double> energy = run_scene(scene).energy_j;
  // After the source has ended nothing is added and nothing leaves.
  EXPECT_NEAR(energy.back() / energy[energy.size() / 2], 1.0, 0.05);
}

}  // namespace
}  // namespace homenode::workloads::seismic
