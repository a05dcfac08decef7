#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>

#include "cli/measure/records.h"
#include "cli/measure/text.h"
#include "support/measure_report.h"

namespace homenode::cli {
namespace {

using nlohmann::json;

bool contains(const std::string& text, const std::string& words) {
  return text.find(words) != std::string::npos;
}

TEST(MeasureText, ShowsTablesWithNoisyFiguresMarked) {
  const std::string text = measure_text(made_up_report(), false);
  EXPECT_TRUE(contains(text, "3 nodes, "));
  EXPECT_TRUE(contains(text, ", measured\n")) << text;
  EXPECT_TRUE(contains(text, "    node       0         1         4\n")) << text;
  EXPECT_TRUE(contains(text, "       0   100.0     150.0 ░   300.0 █\n")) << text;
  EXPECT_TRUE(contains(text, "       1   150.0 ░   100.0     300.0~█\n")) << text;
  EXPECT_TRUE(contains(text, "       0    1.00      1.50 ░    3.00 █\n")) << text;
  EXPECT_TRUE(contains(text, "       0   20000     10000 ▓    5000 █\n")) << text;
  EXPECT_TRUE(contains(text, "Memory of nodes 0-1: arrays of 64 MiB, huge pages")) << text;
  EXPECT_TRUE(contains(text, "Memory of node 4: arrays of 64 MiB, small pages")) << text;
  EXPECT_TRUE(contains(text, "Note: node 4 has no CPUs"));
}

TEST(MeasureText, ShowsGpusWithTheNearestNode) {
  measure::Report report = made_up_report();
  report.gpus.push_back({"gpu0", "0000:3b:00.0", "A GPU", "CUDA 13.0", NodeSet{NodeId(0)}});
  report.gpus[0].figures = {{NodeId(0), steady(50000), steady(51000), steady(1400)},
                            {NodeId(1), steady(40000), {}, steady(1000)}};
  const std::string text = measure_text(report, false);
  EXPECT_TRUE(contains(text, "  gpu0: A GPU, 0000:3b:00.0, CUDA 13.0\n")) << text;
  EXPECT_TRUE(contains(text, "       0       50000       51000        1400\n")) << text;
  EXPECT_TRUE(contains(text, "       1       40000           -        1000\n")) << text;
  EXPECT_TRUE(contains(text, "nearest as measured: node 1; the firmware says node 0\n")) << text;

  const auto figures = json::parse(measure_json(report))["gpus"][0]["figures"];
  EXPECT_EQ(figures[1]["node"], 1);
  EXPECT_EQ(figures[1]["to_gpu_mib_per_s"]["median"], 40000);
  EXPECT_TRUE(figures[1]["from_gpu_mib_per_s"].is_null());
}

TEST(MeasureCsv, HasALineForEachFigure) {
  measure::Report report = made_up_report();
  report.gpus.push_back({"gpu0", "0000:3b:00.0", "A GPU", "CUDA 13.0", NodeSet{NodeId(0)}});
  report.gpus[0].figures = {{NodeId(1), steady(40000), {}, steady(1000)}};
  const std::string text = measure_csv(report);
  EXPECT_TRUE(text.starts_with("figure,kernel,from,to,cpus,unit,median,spread,least,most,runs,"));
  EXPECT_TRUE(contains(text, "\nread latency,,0,4,1,ns,300,0.01,297,303,3,0,no\n")) << text;
  EXPECT_TRUE(contains(text, "\nread latency,,1,4,1,ns,300,0.2,297,303,3,0,yes\n")) << text;
  EXPECT_TRUE(contains(text, "\nbandwidth,triad,0,0,2,MiB/s,18000,")) << text;
  EXPECT_TRUE(contains(text, "\n\"all nodes, local\",read,,,4,MiB/s,39000,")) << text;
  EXPECT_TRUE(contains(text, "\nload,read,0,0,1,MiB/s,100,")) << text;
  EXPECT_TRUE(contains(text, "\nlatency under that load,,0,0,1,ns,100,")) << text;
  EXPECT_TRUE(contains(text, "\ncore to core,,0,1,2,ns,40,")) << text;
  EXPECT_TRUE(contains(text, "\ncopy to a GPU,,1,gpu0,,MiB/s,40000,")) << text;
  EXPECT_FALSE(contains(text, "copy from a GPU")) << "it was not measured";
}

TEST(MeasureText, CountsBytesTwiceWhereStoresReadFirst) {
  const std::string text = measure_text(made_up_report(), false);
  // Local mean 20000, remote (10000 + 5000 + 10000 + 5000) / 4; a third more with the lines read.
  EXPECT_TRUE(contains(
      text, "     triad   2:1          -         -     18000      6750           -           -\n"))
      << text;
  EXPECT_TRUE(contains(
      text, "                    -         -     24000      9000           -           -\n"))
      << text;
  EXPECT_TRUE(contains(
      text, "      read   1:0       5000      1875     20000      7500       39000       21000\n"))
      << text;
  // Non-temporal stores read nothing first, so that there is no second line.
  EXPECT_TRUE(contains(text,
                       "      copy   1:1          -         -     16000      6000           -      "
                       "     -\n     triad"))
      << text;
}

TEST(MeasureText, NamesTheFormOfEachKernel) {
  measure::Report report = made_up_report();
  const std::string text = measure_text(report, false);
  EXPECT_TRUE(contains(text,
                       "Forms of the kernels, the fastest of a trial:\n"
                       "      read  avx2 x8 (one CPU); avx2 x8 (all CPUs)\n"
                       "  write-nt  sse2 x4, non-temporal (all CPUs)\n"))
      << text;
  report.modelled = true;
  EXPECT_TRUE(contains(measure_text(report, false), "(the model prefers none)"));
}

TEST(MeasureText, ShowsCurvesAndWeights) {
  const std::string text = measure_text(made_up_report(), false);
  EXPECT_TRUE(contains(text, "    0 → 4    100 → 300.0  4000 → 600.0\n")) << text;
  EXPECT_TRUE(contains(text, "    1 → 0    not measurable: the node has one CPU\n")) << text;
  EXPECT_TRUE(contains(text, "  from node 0    0:4 1:2 4:1   100 % (43 %)\n")) << text;
  EXPECT_TRUE(contains(text, "  all nodes      0:4 1:4 4:1   100 % (33 %)\n")) << text;
}

TEST(MeasureText, MarksALoadThatOtherWorkDisturbed) {
  measure::Report report = made_up_report();
  report.loaded[2].points[0].injected_mibs.away = 0.06;
  const std::string text = measure_text(report, false);
  EXPECT_TRUE(contains(text, "    0 → 4    100~ → 300.0  4000 → 600.0\n")) << text;
  const json point = json::parse(measure_json(report))["loaded"][2]["points"][0];
  EXPECT_EQ(point["injected_mib_per_s"]["noisy"], true);
  EXPECT_EQ(point["injected_mib_per_s"]["other_work"], 0.06);
  EXPECT_EQ(point["latency_ns"]["noisy"], false);
}

TEST(MeasureText, SaysThatModelledFiguresAreModelled) {
  measure::Report report = made_up_report();
  report.modelled = true;
  EXPECT_TRUE(contains(measure_text(report, false), "modelled in the lab on made <up>"));
  EXPECT_EQ(json::parse(measure_json(report))["provenance"], "modelled in the lab on made <up>");
}

TEST(MeasureText, ColoursCellsOnATerminal) {
  const std::string text = measure_text(made_up_report(), true);
  EXPECT_TRUE(contains(text, "\033[97;48;5;124m   300.0~\033[0m")) << text;
  EXPECT_FALSE(contains(text, "█"));
}

TEST(MeasureText, NamesTheCpusThatAreNearestAndFarthest) {
  const std::string text = measure_text(made_up_report(), false);
  EXPECT_TRUE(contains(text,
                       "Core to core in ns, mean over the CPUs (row: who reads; column: "
                       "whose cache has modified the line)"));
  EXPECT_TRUE(contains(text,
                       "of all 12 pairs of CPUs: least 40.0 ns (CPU 0 from CPU 1), most "
                       "120.0 ns (CPU 3 from CPU 1)"));
  measure::Report report = made_up_report();
  report.cores.clear();
  EXPECT_FALSE(contains(measure_text(report, false), "Core to core"));
}

TEST(HeatTable, DearerIsDeeper) {
  const auto tables = heat_tables(made_up_report());
  ASSERT_EQ(tables.size(), 6U);
  EXPECT_DOUBLE_EQ(depth_of(tables[0], NodeId(0), NodeId(0)), 0.0);
  EXPECT_DOUBLE_EQ(depth_of(tables[0], NodeId(0), NodeId(1)), 0.25);
  EXPECT_DOUBLE_EQ(depth_of(tables[0], NodeId(0), NodeId(4)), 1.0);
  EXPECT_TRUE(tables[3].more_is_better);
  EXPECT_DOUBLE_EQ(depth_of(tables[3], NodeId(0), NodeId(0)), 0.0);
  EXPECT_DOUBLE_EQ(depth_of(tables[3], NodeId(0), NodeId(4)), 1.0);
  HeatTable flat = tables[0];
  flat.values = {{NodeId(0)}, {NodeId(0), NodeId(1)}, 5.0};
  EXPECT_DOUBLE_EQ(depth_of(flat, NodeId(0), NodeId(1)), 0.0);
  flat.values.at(NodeId(0), NodeId(1)) = std::nan("");
  EXPECT_TRUE(std::isnan(depth_of(flat, NodeId(0), NodeId(1))));
}

TEST(MeasureJson, HoldsEveryFigureWithItsQuality) {
  const json result = json::parse(measure_json(made_up_report()));
  EXPECT_EQ(result["schema"], "homenode.measure/2");
  EXPECT_EQ(result["provenance"], "measured");
  EXPECT_EQ(result["modelled"], false);
  EXPECT_EQ(result["sources"], (std::vector<int>{0, 1}));
  EXPECT_EQ(result["targets"], (std::vector<int>{0, 1, 4}));
  EXPECT_EQ(result["latency"].size(), 12U);
  EXPECT_EQ(result["latency"][0]["latency_ns"]["median"], 100.0);
  EXPECT_EQ(result["latency"][0]["latency_ns"]["runs"], 3);
  EXPECT_EQ(result["latency"][0]["latency_ns"]["noisy"], false);
  EXPECT_EQ(result["latency"][10]["latency_ns"]["noisy"], true);
  const json& matrix = result["matrices"]["read_latency_ns"];
  EXPECT_EQ(matrix["from"], (std::vector<int>{0, 1}));
  EXPECT_EQ(matrix["to"], (std::vector<int>{0, 1, 4}));
  EXPECT_EQ(matrix["values"][1], (std::vector<double>{150, 100, 300}));
  EXPECT_EQ(result["matrices"]["numa_factor"]["values"][0], (std::vector<double>{1, 1.5, 3}));
  EXPECT_EQ(result["matrices"]["read_mib_per_s"]["values"][0],
            (std::vector<double>{20000, 10000, 5000}));
  EXPECT_TRUE(result["matrices"]["write_nt_mib_per_s"].is_object());
  EXPECT_TRUE(result["matrices"].at("scale_mib_per_s").is_null());
  EXPECT_EQ(result["bandwidth"][2]["variant"], "sse2 x4, non-temporal");
  EXPECT_EQ(result["together"][0]["variant"], "avx2 x8");
  EXPECT_EQ(result["machine"]["nodes"][1]["cpus"], (std::vector<int>{2, 3}));
  EXPECT_EQ(result["weights"][0]["from"], nullptr);
  EXPECT_EQ(result["weights"][1]["weights"]["4"], 1);
  EXPECT_EQ(result["loaded"][3]["not_measurable"], "the node has one CPU: none is left to load");
  EXPECT_EQ(result["core_to_core"]["cpus"], (std::vector<int>{0, 1, 2, 3}));
  EXPECT_EQ(result["core_to_core"]["latency_ns"][1], (json{40.0, nullptr, 120.0, 120.0}));
  EXPECT_EQ(result["core_to_core"]["noisy_pairs"], 0);
  EXPECT_EQ(result["memory"][2]["order"], "page-local");
  EXPECT_EQ(result["machine"]["packages"].size(), 0U);
  EXPECT_EQ(result["notes"].size(), 1U);
}

/// tests/python/draw draws this file. HOMENODE_UPDATE_GOLDEN=1 rewrites it.
TEST(MeasureJson, IsWhatTheDrawingsAreTestedWith) {
  const std::string path = HOMENODE_SOURCE_DIR "/tests/golden/draw/measure.json";
  if (std::getenv("HOMENODE_UPDATE_GOLDEN") != nullptr) {
    std::ofstream(path) << measure_json(made_up_report());
  }
  EXPECT_EQ(json::parse(std::ifstream(path)), json::parse(measure_json(made_up_report())));
}

TEST(MeasureJson, CountsBytesTwice) {
  const json result = json::parse(measure_json(made_up_report()));
  for (const json& figure : result["bandwidth"]) {
    const double counted = figure["counted_mib_per_s"]["median"];
    const double moved = figure["moved_mib_per_s"]["median"];
    EXPECT_DOUBLE_EQ(moved / counted, figure["kernel"] == "triad" ? 4.0 / 3.0 : 1.0);
  }
}

TEST(MeasureJson, WhatWasNotMeasuredIsNull) {
  measure::Report report = made_up_report();
  report.latency.erase(report.latency.begin());
  report.bandwidth[0].mibs = {};
  report.bandwidth[0].form = {};
  report.cores.clear();
  const json result = json::parse(measure_json(report));
  EXPECT_TRUE(result["matrices"]["read_latency_ns"]["values"][0][0].is_null());
  EXPECT_TRUE(result["matrices"]["numa_factor"]["values"][0][1].is_null());
  EXPECT_TRUE(result["bandwidth"][0]["counted_mib_per_s"].is_null());
  EXPECT_TRUE(result["bandwidth"][0]["variant"].is_null());
  EXPECT_TRUE(result["core_to_core"].is_null());
}

}  // namespace
}  // namespace homenode::cli
