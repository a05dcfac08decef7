// What `bench seismic` makes of its options, and the files that it writes.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "cli/bench/seismic.h"
#include "support/golden.h"

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

SeismicSpeed speed_beside(Bytes caches) {
  SeismicSpeed speed;
  speed.rate = 15e6;
  speed.bytes = 216;
  speed.triad = 32.4e9;
  speed.triad_form = "avx2 x8";
  speed.footprint = 64_MiB;
  speed.caches = caches;
  return speed;
}

TEST(BenchSeismicSpeed, IsAShareOfTheTriadWhereBothGoToMemory) {
  SeismicOptions options;
  options.size = "64";
  const auto plan = plan_seismic(options);
  ASSERT_TRUE(plan);
  for (const Bytes caches : {Bytes{}, 16_MiB}) {
    const SeismicSpeed speed = speed_beside(caches);
    ASSERT_TRUE(speed.share());
    EXPECT_DOUBLE_EQ(*speed.share(), 0.1);
    const std::string text = speed_text(speed, *plan);
    EXPECT_NE(text.find("3.24 GB/s, 10.0 % of the\ntriad's 32.40 GB/s on the bus here and now "
                        "(avx2 x8)"),
              std::string::npos)
        << text;
    EXPECT_EQ(text.find("share each pass"), std::string::npos) << text;
    EXPECT_EQ(text.find("caches"), std::string::npos) << text;
  }
  auto blocked = *plan;
  blocked.block.steps = 4;
  EXPECT_NE(speed_text(speed_beside(16_MiB), blocked).find("; 4 steps share each pass over memory"),
            std::string::npos);
  SeismicSpeed unknown = speed_beside(16_MiB);
  unknown.triad = 0;
  EXPECT_FALSE(unknown.share());
}

TEST(BenchSeismicSpeed, HasNoShareOfATriadThatCachesServe) {
  SeismicOptions options;
  options.size = "64";
  const SeismicSpeed speed = speed_beside(17_MiB);
  EXPECT_FALSE(speed.share());
  const std::string text = speed_text(speed, *plan_seismic(options));
  EXPECT_EQ(text.find('%'), std::string::npos) << text;
  // Nine fields of 8 bytes: 68 MiB need a side of 99.7.
  EXPECT_NE(text.find("64 MiB are less than 4 times the 17 MiB of\nlast-level caches"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("--size 100 is large enough"), std::string::npos) << text;
}

TEST(BenchSeismicRecords, ASnapshotHoldsThePlaneAndWhatLiesInIt) {
  SeismicOptions options;
  options.size = "64x50x60";
  options.free_surface = true;
  options.layers = {"0:2600:4000:2000", "1000:2700:6000:3464"};
  const auto plan = plan_seismic(options);
  workloads::seismic::Picture picture{64, 60, std::vector<float>(64 * 60, 0.0F)};
  picture.values[5] = 2.0F;
  picture.values[6] = NAN;
  const std::string text = snapshot_json({plan->scene, plan->slices[0], picture});
  const auto json = nlohmann::json::parse(text);
  EXPECT_EQ(json["values"].size(), 64U * 60U);
  EXPECT_EQ(json["values"][5], 2.0);
  EXPECT_TRUE(json["values"][6].is_null());
  EXPECT_EQ(json["component"], "vz");
  EXPECT_EQ(json["unit"], "m/s");
  EXPECT_EQ(json["layer_depths_m"], (std::vector<double>{0, 1000}));
  EXPECT_EQ(json["free_surface"], true);
  // tests/python/draw draws this file.
  expect_golden(text, "draw/snapshot.json");
}

TEST(BenchSeismicRecords, TracesHaveALineForEachStepOrAListForEachReceiver) {
  SeismicOptions options;
  options.size = "64";
  const auto plan = plan_seismic(options);
  const std::size_t receivers = plan->scene.receivers.size();
  const std::vector<std::vector<double>> traces(receivers,
                                                std::vector<double>(plan->scene.steps, 0.5));
  const std::vector<std::vector<double>> none;
  const std::string table = seismogram_csv({plan->scene, traces, none});
  EXPECT_EQ(std::ranges::count(table, '\n'), 151);
  EXPECT_EQ(static_cast<std::size_t>(std::ranges::count(table, ',')), 151 * receivers);
  const std::string text = seismogram_json({plan->scene, traces, traces});
  const auto json = nlohmann::json::parse(text);
  ASSERT_EQ(json["receivers"].size(), receivers);
  EXPECT_EQ(json["receivers"][0]["velocity_m_per_s"].size(), 150U);
  EXPECT_EQ(json["receivers"][0]["exact_m_per_s"], json["receivers"][0]["velocity_m_per_s"]);
  EXPECT_TRUE(nlohmann::json::parse(
                  seismogram_json({plan->scene, traces, none}))["receivers"][0]["exact_m_per_s"]
                  .is_null());
  // tests/python/draw draws this file.
  expect_golden(text, "draw/seismogram.json");
}

}  // namespace
}  // namespace homenode::cli
