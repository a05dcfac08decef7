// What `bench seismic` makes of its options, and the files that it writes.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "cli/bench/seismic_options.h"
#include "cli/bench/seismic_picture.h"
#include "cli/bench/seismic_snapshot.h"
#include "cli/bench/seismic_traces.h"

namespace homenode::cli {
namespace {

TEST(BenchSeismicOptions, OneNumberIsACubeAndThreeAreItsSides) {
  SeismicOptions options;
  options.size = "50x60x70";
  const auto sides = plan_seismic(options);
  ASSERT_TRUE(sides);
  EXPECT_EQ(sides->scene.cells, (std::array<std::size_t, 3>{50, 60, 70}));
  EXPECT_TRUE(sides->compare);
  options.size = "64";
  EXPECT_EQ(plan_seismic(options)->scene.cells, (std::array<std::size_t, 3>{64, 64, 64}));
}

TEST(BenchSeismicOptions, WhatCannotBeSimulatedIsNamed) {
  const std::vector<std::string> sizes = {
      "", "x", "12x13", "64 ", "-1", "1e3", "10", "64x", "99999999", "9999999999999999999999"};
  for (const std::string& size : sizes) {
    SeismicOptions options;
    options.size = size;
    const auto plan = plan_seismic(options);
    ASSERT_FALSE(plan) << size;
    EXPECT_EQ(plan.error().code, ErrorCode::bad_usage) << size;
  }
  SeismicOptions still;
  still.steps = 0;
  EXPECT_FALSE(plan_seismic(still));
  const std::vector<std::string> layers = {
      "1:2:3",       "0:2600:4000:nan", "0:0:4000:2000", "0:2600:4000:3900", "5:2600:4000:2000",
      "0:inf:6000:1"};
  for (const std::string& layer : layers) {
    SeismicOptions options;
    options.layers = {layer};
    EXPECT_FALSE(plan_seismic(options)) << layer;
  }
}

TEST(BenchSeismicOptions, ARunThatTheClosedFormDoesNotFitSaysWhy) {
  SeismicOptions options;
  options.size = "64";
  options.steps = 5;
  EXPECT_FALSE(plan_seismic(options)->compare);
  EXPECT_NE(plan_seismic(options)->why_not, "");
  options.steps = 150;
  options.free_surface = true;
  EXPECT_FALSE(plan_seismic(options)->compare);
}

TEST(BenchSeismicPicture, IsAPngWithTheLowestRowLast) {
  workloads::seismic::Picture picture{400, 700, std::vector<float>(400 * 700, 0.0F)};
  const std::string blank = seismic_png(picture);
  EXPECT_EQ(blank.substr(0, 8), "\x89PNG\r\n\x1a\n");
  EXPECT_EQ(blank.substr(16, 8), std::string("\0\0\1\x90\0\0\2\xbc", 8));
  EXPECT_EQ(blank.substr(blank.size() - 8), "IEND\xae\x42\x60\x82");
  picture.values[0] = 1.0F;
  const std::string one = seismic_png(picture);
  ASSERT_EQ(one.size(), blank.size());
  const auto first = std::ranges::mismatch(one, blank).in1 - one.begin();
  EXPECT_GT(static_cast<std::size_t>(first), one.size() - 500);
  picture.values[0] = NAN;
  EXPECT_EQ(seismic_png(picture).size(), blank.size());
}

TEST(BenchSeismicPicture, ADrawingHasAxesAndAScaleWithUnits) {
  SeismicOptions options;
  options.size = "64x50x60";
  options.free_surface = true;
  options.layers = {"0:2600:4000:2000", "1000:2700:6000:3464"};
  const auto plan = plan_seismic(options);
  workloads::seismic::Picture picture{64, 60, std::vector<float>(64 * 60, 0.0F)};
  picture.values[5] = 2.0F;
  const std::string text = seismic_snapshot_svg({plan->scene, plan->slices[0], picture});
  for (const char* const part :
       {">Ground velocity vz, 1.12 s after the start<", ">m/s<", ">depth, km<", ">-2<", ">2<",
        ">x from the source, km<", "class=\"roof\"", "class=\"face\""}) {
    EXPECT_NE(text.find(part), std::string::npos) << part;
  }
  EXPECT_EQ(text.find("nan"), std::string::npos);
  picture.values[5] = 0.0F;  // Nothing moves: no scale to divide by.
  const std::string still = seismic_snapshot_svg({plan->scene, plan->slices[0], picture});
  EXPECT_EQ(still.find("nan"), std::string::npos);
}

TEST(BenchSeismicTraces, TicksAreRoundNumbers) {
  EXPECT_DOUBLE_EQ(tick_unit(1.0), 0.2);
  EXPECT_DOUBLE_EQ(tick_unit(0.35), 0.05);
  EXPECT_DOUBLE_EQ(tick_unit(12.0), 2.0);
  EXPECT_DOUBLE_EQ(tick_unit(70.0), 10.0);
}

TEST(BenchSeismicTraces, ATableHasALineForEachStep) {
  SeismicOptions options;
  options.size = "64";
  const auto plan = plan_seismic(options);
  const std::size_t receivers = plan->scene.receivers.size();
  const std::vector<std::vector<double>> traces(receivers,
                                                std::vector<double>(plan->scene.steps, 0.5));
  const std::vector<std::vector<double>> none;
  const std::string table = seismic_csv({plan->scene, traces, none});
  EXPECT_EQ(std::ranges::count(table, '\n'), 151);
  EXPECT_EQ(static_cast<std::size_t>(std::ranges::count(table, ',')), 151 * receivers);
  const std::string drawing = seismic_svg({plan->scene, traces, traces});
  EXPECT_EQ(drawing.find("nan"), std::string::npos);
  EXPECT_EQ(drawing.substr(drawing.size() - 7), "</svg>\n");
}

}  // namespace
}  // namespace homenode::cli
