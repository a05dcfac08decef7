// The seismogram that Ondes3D ships with, computed anew: a double couple below a free surface. Its
// data are not ours to ship: HOMENODE_ONDES3D names the folder with essai.hist and obs1.dat.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <limits>
#include <string>

#include "run_scene.h"
#include "workloads/seismic/ladder.h"

namespace homenode::workloads::seismic {
namespace {

/// Numbers of a text after some lines of words.
std::vector<double> numbers_of(const std::string& path, int lines_of_words) {
  std::ifstream file(path);
  for (int n = 0; n < lines_of_words; ++n) {
    file.ignore(std::numeric_limits<std::streamsize>::max(), '\n');
  }
  std::vector<double> numbers;
  for (double number = 0.0; file >> number;) numbers.push_back(number);
  return numbers;
}

TEST(SeismicOndes3D, ItsSeismogramIsOurs) {
  const char* const folder = std::getenv("HOMENODE_ONDES3D");
  if (folder == nullptr) GTEST_SKIP() << "HOMENODE_ONDES3D names no folder with its data";
  const std::vector<double> history = numbers_of(std::string(folder) + "/essai.hist", 5);
  const std::vector<double> table = numbers_of(std::string(folder) + "/obs1.dat", 2);
  constexpr std::size_t steps = 200;
  ASSERT_EQ(history.size(), 500U);
  ASSERT_EQ(table.size(), steps * component_count);

  Scene scene;
  scene.cells = {198 + 20, 201 + 20, 102 + 10};
  scene.step_s = 0.008;
  scene.steps = steps + 1;
  scene.free_surface = true;
  scene.layers = {Layer{}};
  Source source;
  source.point = {97 + 10 - 20, 100 + 10, 100 + 10 - 40};
  const Moment north = double_couple(50, 20, 30);  // There x is east and y is north.
  source.moment_nm = {north[1], north[0], north[2], -north[3], -north[5], north[4]};
  source.forces = true;
  source.time.kind = TimeFunction::Kind::held;
  source.time.start_s = -scene.step_s;
  source.time.sample_s = scene.step_s;
  source.time.samples = history;
  scene.sources = {source};
  for (std::size_t c = 0; c < component_count; ++c) {
    scene.receivers.push_back({static_cast<Component>(c), {87, 110, 40}});
  }
  const auto traces = run_scene(scene, 2).traces;
  for (std::size_t c = 0; c < component_count; ++c) {
    const std::size_t later = c < 3 ? 1 : 0;  // A row has velocities half a step after stresses.
    std::vector<double> ours, theirs;
    for (std::size_t n = 0; n < steps; ++n) {
      ours.push_back(traces[c][n + later]);
      theirs.push_back(table[n * component_count + c]);
    }
    const double found = misfit({ours}, {theirs});
    EXPECT_LT(found, 1e-3) << "component " << c;
    RecordProperty("misfit_" + std::to_string(c), std::to_string(found));
  }
}

}  // namespace
}  // namespace homenode::workloads::seismic
