// The solver against the exact motion of a full space, and what must hold of any run.
#include "workloads/seismic/solver.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "run_scene.h"
#include "workloads/seismic/ladder.h"

namespace homenode::workloads::seismic {
namespace {

FullSpace small_space() {
  FullSpace problem;
  problem.extent_m = 2400;
  problem.distance_m = 900;
  problem.seconds = 0.8;
  return problem;
}

double misfit_of(const FullSpace& problem, bool single_precision = false) {
  Scene scene = full_space(problem);
  scene.single_precision = single_precision;
  return misfit(run_scene(scene).traces, exact_traces(scene));
}

TEST(SeismicSolver, AnExplosionMovesAFullSpaceAsTheClosedFormSays) {
  const double found = misfit_of(small_space());
  EXPECT_LT(found, 0.01);
  EXPECT_GT(found, 1e-5);  // Differences of fourth order at 7 points are not that good.
}

TEST(SeismicSolver, ADoubleCoupleMovesAFullSpaceAsTheClosedFormSays) {
  FullSpace problem = small_space();
  problem.explosion = false;
  problem.seconds = 0.9;
  EXPECT_LT(misfit_of(problem), 0.01);
}

TEST(SeismicSolver, SinglePrecisionIsAsGoodForWaves) {
  EXPECT_LT(misfit_of(small_space(), true), 0.01);
}

TEST(SeismicSolver, AFinerGridIsBetter) {
  FullSpace coarse = small_space();
  coarse.spacing_m = 150;
  FullSpace fine = coarse;
  fine.spacing_m = 100;
  EXPECT_GT(misfit_of(coarse), 1.9 * misfit_of(fine));  // (3/2)^2 = 2.25 in the limit.
}

TEST(SeismicSolver, TheEnergyLeavesThroughTheAbsorbingFaces) {
  FullSpace problem = small_space();
  problem.kind = TimeFunction::Kind::pulse;
  problem.seconds = 2.5;
  problem.extent_m = 1600;
  problem.distance_m = 600;
  Scene scene = full_space(problem);
  scene.energy_every = 20;
  const std::vector<double> energy = run_scene(scene).energy_j;
  const double most = *std::max_element(energy.begin(), energy.end());
  EXPECT_GT(most, 0.0);
  EXPECT_LT(energy.back(), 1e-5 * most);
}

TEST(SeismicSolver, RigidWallsKeepTheEnergy) {
  FullSpace problem = small_space();
  problem.kind = TimeFunction::Kind::pulse;
  problem.extent_m = 2400;
  problem.seconds = 2.5;
  Scene scene = full_space(problem);
  scene.absorbing_cells = 0;
  scene.energy_every = 20;
  const std::vector<double> energy = run_scene(scene).energy_j;
  // After the source has ended nothing is added and nothing leaves.
  EXPECT_NEAR(energy.back() / energy[energy.size() / 2], 1.0, 0.05);
}

/// Everything that a run gives back, in a grid whose faces, surface and layers all differ.
Recording mixed_run(unsigned threads, bool single_precision) {
  Scene scene;
  scene.cells = {37, 42, 33};
  scene.step_s = 0.006;
  scene.steps = 20;
  scene.absorbing_cells = 6;
  scene.free_surface = true;
  scene.single_precision = single_precision;
  scene.layers = {{0, 2000, 3000, 1500}, {900, 2700, 6000, 3460}};
  Source source{{18.3, 20.5, 20.0}, double_couple(50, 20, 30), {}};
  source.time = {TimeFunction::Kind::brune, 0.0, 0.02};
  scene.sources = {source, {{12.5, 17, 14}, explosion, source.time}};
  for (const Component component : {Component::vx, Component::vz, Component::sxy}) {
    scene.receivers.push_back({component, {10.3, 11.2, 28.6}});
    scene.receivers.push_back({component, {25, 30, 16.5}});
  }
  return run_scene(scene, threads, {{1, 20, -1}, {2, 32, 0}, {0, 3, 5}});
}

void expect_same(const Recording& one, const Recording& other) {
  EXPECT_EQ(one.traces, other.traces);
  EXPECT_EQ(one.energy_j, other.energy_j);
  ASSERT_EQ(one.pictures.size(), other.pictures.size());
  for (std::size_t n = 0; n < one.pictures.size(); ++n) {
    EXPECT_EQ(one.pictures[n].values, other.pictures[n].values);
  }
}

TEST(SeismicSolver, EveryNumberOfThreadsGivesTheSameBits) {
  for (const bool single_precision : {false, true}) {
    const Recording one = mixed_run(1, single_precision);
    EXPECT_GT(one.energy_j.back(), 0.0);
    for (const unsigned threads : {2U, 3U}) {
      expect_same(one, mixed_run(threads, single_precision));
    }
    if (single_precision) expect_same(one, mixed_run(38, true));  // One without any plane.
  }
}

TEST(SeismicSolver, APictureShowsTheCellsOfItsPlane) {
  const Recording run = mixed_run(1, false);
  EXPECT_EQ(run.pictures[0].width, 37U);
  EXPECT_EQ(run.pictures[0].height, 33U);
  EXPECT_EQ(run.pictures[2].width, 42U);
  EXPECT_TRUE(std::ranges::all_of(run.pictures[0].values, [](float v) { return v >= 0.0F; }));
  EXPECT_TRUE(std::ranges::any_of(run.pictures[0].values, [](float v) { return v > 0.0F; }));
}

}  // namespace
}  // namespace homenode::workloads::seismic
