// What must hold of any run of the solver, on small grids.
#include "workloads/seismic/solver.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "run_scene.h"

namespace homenode::workloads::seismic {
namespace {

/// Everything that a run gives back, in a grid whose faces, surface and layers all differ.
Recording mixed_run(unsigned threads, bool single_precision, const TimeBlock& block = {},
                    bool free_surface = true) {
  Scene scene;
  scene.cells = {37, 42, 33};
  scene.step_s = 0.006;
  scene.steps = 12;
  scene.absorbing_cells = 6;
  scene.free_surface = free_surface;
  scene.energy_every = 8;
  scene.single_precision = single_precision;
  scene.layers = {{0, 2000, 3000, 1500}, {900, 2700, 6000, 3460}};
  Source source{{18.3, 20.5, 20.0}, double_couple(50, 20, 30), {}};
  source.time = {TimeFunction::Kind::brune, 0.0, 0.02};
  scene.sources = {source, {{12.5, 17, 14}, explosion, source.time}, source};
  scene.sources.back().forces = true;
  for (const Component component : {Component::vx, Component::vz, Component::sxy}) {
    scene.receivers.push_back({component, {10.3, 11.2, 28.6}});
    scene.receivers.push_back({component, {25, 30, 16.5}});
  }
  scene.receivers.push_back({Component::sxz, {25, 30, 32.3}});  // Mirror images, if a surface.
  return run_scene(scene, threads, {{1, 20, -1}, {2, 32, 0}, {0, 3, 5}}, block);
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

TEST(SeismicSolver, StepsThatAreRunTogetherGiveTheSameBits) {
  for (const bool free_surface : {true, false}) {
    const Recording one = mixed_run(1, false, {}, free_surface);
    ASSERT_EQ(one.energy_j.size(), 2U);  // Blocks end where the energy is asked for.
    expect_same(one, mixed_run(3, false, {2, 5}, free_surface));
    expect_same(one, mixed_run(1, false, {4, 16}, free_surface));
    expect_same(one, mixed_run(2, false, {12, 1}, free_surface));
  }
  expect_same(mixed_run(1, true), mixed_run(50, true, {3, 7}));  // More threads than tiles.
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
