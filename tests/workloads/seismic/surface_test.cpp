// The free surface and layers, where their effect is known.
#include <gtest/gtest.h>

#include <algorithm>

#include "run_scene.h"
#include "workloads/seismic/closed_form.h"
#include "workloads/seismic/ladder.h"

namespace homenode::workloads::seismic {
namespace {

TEST(SeismicSurfaceWaves, AFluidReflectsAnExplosionAsItsNegativeMirrorImage) {
  FullSpace problem;
  problem.extent_m = 3000;
  problem.distance_m = 800;
  problem.seconds = 1.12;
  Scene scene = full_space(problem);
  scene.layers = {{0, 1000, 6000, 0}};
  scene.free_surface = true;
  scene.cells[2] -= scene.absorbing_cells + 3;  // The surface, 1200 m above the source.
  const double surface = static_cast<double>(scene.cells[2] - 1);
  auto expected = exact_traces(scene);
  Scene mirrored = scene;
  mirrored.sources[0].point[2] = 2.0 * surface - scene.sources[0].point[2];
  const auto image = exact_traces(mirrored);
  const double without = misfit(image, image);
  ASSERT_EQ(without, 0.0);
  const auto direct = expected;
  for (std::size_t r = 0; r < expected.size(); ++r) {
    for (std::size_t n = 0; n < expected[r].size(); ++n) expected[r][n] -= image[r][n];
  }
  const auto traces = run_scene(scene).traces;
  EXPECT_LT(misfit(traces, expected), 0.01);
  EXPECT_GT(misfit(traces, direct), 0.1);  // The reflection is really there.
}

TEST(SeismicSurfaceWaves, WavesBelowALayerAndASurfaceDieAway) {
  Scene scene;
  scene.cells = {36, 36, 34};
  scene.step_s = 0.007;
  scene.steps = 450;
  scene.free_surface = true;
  scene.layers = {{0, 2600, 4000, 2000}, {1050, 2700, 6000, 3464}};
  scene.frequency_hz = 3;
  scene.sources = {{{18, 18, 20}, double_couple(30, 60, 90), {}}};
  scene.sources[0].time = {TimeFunction::Kind::pulse, 0.4, 0.08};
  scene.energy_every = 50;
  const auto energy = run_scene(scene).energy_j;
  EXPECT_LT(energy.back(), 1e-3 * *std::max_element(energy.begin(), energy.end()));
}

TEST(SeismicMedium, ALayersRoofBetweenTwoPlanesCountsByItsShare) {
  const std::vector<Layer> layers = {{0, 2000, 3000, 0}, {100, 3000, 6000, 3000}};
  const Moduli mean = mean_moduli(layers, 75, 175);
  EXPECT_DOUBLE_EQ(mean.density, 0.25 * 2000 + 0.75 * 3000);
  EXPECT_EQ(mean.mu, 0.0);  // A fluid's part gives way to all shear.
  const Moduli below = mean_moduli(layers, 150, 250);
  EXPECT_DOUBLE_EQ(below.mu, 3000.0 * 3000 * 3000);
  EXPECT_NEAR(below.lambda + 2 * below.mu, 3000.0 * 6000 * 6000, 1.0);
}

}  // namespace
}  // namespace homenode::workloads::seismic
