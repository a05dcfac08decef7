// homenode bench map over two and three dimensions and in phases: what is planned, expected and
// run.
#include <gtest/gtest.h>

#include "fake/fake.h"
#include "support/machines.h"
#include "trial/map/matrix.h"
#include "trial/map/memory.h"
#include "trial/map/patterns.h"
#include "workloads/map/patterns/cube.h"
#include "workloads/map/patterns/line.h"
#include "workloads/map/patterns/matrix.h"
#include "workloads/map/patterns/pattern.h"

namespace homenode::trial {
namespace {

using MapPattern = workloads::map::Pattern;
namespace patterns = workloads::map::patterns;
using workloads::map::Shape;

MapOptions options_in(MapPattern pattern, Method method, const Shape& shape) {
  MapOptions options;
  options.pattern = pattern;
  options.method = method;
  options.shape = shape;
  return options;
}

/// Four nodes at distance 20 from each other.
machine::Machine quad_with_distances() {
  auto machine = quad_machine();
  const auto ids = machine.node_ids().to_vector();
  machine.distances = machine::Distances{Matrix<NodeId, NodeId>(ids, ids, 20.0)};
  for (NodeId id : ids) machine.distances->values.at(id, id) = 10;
  return machine;
}

Result<MapReport> run_on_fake(const MapOptions& options) {
  os::Fake os(quad_kernel());
  const auto machine = quad_with_distances();
  const auto plan = plan_map(machine, options, memory_facts(os));
  if (!plan) return plan.as_unexpected();
  auto report = run_map(os, machine, *plan);
  EXPECT_EQ(os.mappings(), 0U);
  return report;
}

double local_of(MapPattern pattern, Method method, const Shape& shape) {
  const auto report = run_on_fake(options_in(pattern, method, shape));
  EXPECT_TRUE(report) << report.error().message();
  EXPECT_TRUE(report->access);
  return access::local_share(report->access->by_node);
}

double leakage_of(MapPattern pattern, Method method, const Shape& shape) {
  const auto report = run_on_fake(options_in(pattern, method, shape));
  EXPECT_TRUE(report && report->access && report->access->penalty);
  return report->access->penalty->leakage();
}

std::string complaint_about(const MapOptions& options) {
  const auto checked = check(options);
  return checked ? "" : checked.error().message();
}

TEST(ParseShape, ReadsOneTwoOrThreeAxes) {
  EXPECT_EQ(*parse_shape("262144"), Shape(262144));
  EXPECT_EQ(*parse_shape("512x1024"), Shape(512, 1024));
  EXPECT_EQ(*parse_shape("3x5x7"), Shape(3, 5, 7));
  for (const char* text : {"262144", "512x1024", "3x5x7"}) {
    EXPECT_EQ(to_string(*parse_shape(text)), text);
  }
}

TEST(ParseShape, RefusesWhatIsNoneAndWhatCannotBeCounted) {
  for (const char* text : {"", "x", "4x", "x4", "0", "4x0", "4X4", "-4", "4 x 4", "2x2x2x2", "4m",
                           "18446744073709551616", "288230376151711744", "4294967296x4294967296",
                           "100000000x100000000x100000000"}) {
    const auto shape = parse_shape(text);
    ASSERT_FALSE(shape) << text;
    EXPECT_EQ(shape.error().code, ErrorCode::bad_usage);
  }
}

TEST(ParsePhases, ReadsPatternsByName) {
  EXPECT_EQ(*parse_phases("divided,partial"),
            (std::vector<MapPattern>{patterns::divided, patterns::partial}));
  for (const char* text : {"", "divided,", "spiral", "multi-patterns"}) {
    EXPECT_FALSE(parse_phases(text)) << text;
  }
}

TEST(PatternNames, NameEachPatternOnce) {
  for (const std::string& name : pattern_names()) {
    const auto pattern = workloads::map::find_pattern(name);
    ASSERT_TRUE(pattern);
    EXPECT_EQ(pattern->name, name);
    const unsigned dimensions = pattern->dimensions;
    const bool told = name.starts_with(std::to_string(dimensions) + "d-");
    EXPECT_EQ(told, dimensions > 1) << name;
  }
}

TEST(CheckShape, NamesWhatCannotBe) {
  const auto bad = [](MapPattern pattern, const Shape& shape, unsigned threads) {
    MapOptions options = options_in(pattern, Method::standard, shape);
    options.threads = threads;
    return complaint_about(options);
  };
  EXPECT_EQ(bad(patterns::row_bands, Shape(8, 8), 8), "");
  EXPECT_NE(bad(patterns::row_bands, Shape(8, 8), 9).find("9 threads cannot each have a part"),
            std::string::npos);
  EXPECT_NE(bad(patterns::row_bands, Shape(8, 8, 8), 1).find("2 dimensions"), std::string::npos);
  EXPECT_NE(bad(patterns::divided, Shape(8, 8), 1).find("1 dimension,"), std::string::npos);
  EXPECT_NE(bad(patterns::blocks, Shape(2, 2, 2), 9).find("9 threads need 9"), std::string::npos);
  EXPECT_NE(bad(patterns::mesh, Shape(64, 64), 4194301).find("need"), std::string::npos);
}

TEST(CheckShape, WantsPhasesOfOneDimension) {
  MapOptions options;
  options.multi_patterns = true;
  EXPECT_EQ(complaint_about(options), "");
  options.phases = {patterns::row_bands, patterns::divided};
  EXPECT_NE(complaint_about(options).find("dimensions differ"), std::string::npos);
  options.phases.assign(65, patterns::divided);
  EXPECT_NE(complaint_about(options).find("65 phases"), std::string::npos);
}

TEST(Overlap, IsAQuarterInARowAndNoneElsewhereUnlessAskedFor) {
  MapOptions options;
  EXPECT_EQ(overlap_of(options), 25U);
  options.pattern = patterns::mesh;
  EXPECT_EQ(overlap_of(options), 0U);
  options.overlap_percent = 40;
  EXPECT_EQ(overlap_of(options), 40U);
}

TEST(Expected, IsAtHomeForWhatIsOwnedAndEvenForWhatEverybodyUses) {
  const auto machine = quad_with_distances();
  const auto nodes = machine.node_ids().to_vector();
  const std::vector<NodeId> of_thread{NodeId(0), NodeId(0), NodeId(3), NodeId(3)};
  const auto tiles =
      expected_elements(machine, {patterns::mesh, Shape(4, 4), 4, 50}, of_thread, nodes);
  // Tiles of 2 x 2 and one row and column of the neighbours': 9 elements a thread. Threads 0, 1
  // hold the upper half, of which 6 of the 9 are; the others' 3 are across.
  EXPECT_EQ(tiles.at(NodeId(0), NodeId(0)), 12.0);
  EXPECT_EQ(tiles.at(NodeId(0), NodeId(3)), 6.0);
  EXPECT_EQ(tiles.at(NodeId(3), NodeId(3)), 12.0);
  EXPECT_DOUBLE_EQ(*access::penalty_factor(machine, tiles), (24 * 10 + 12 * 20) / (10.0 * 36));
  const auto shared = expected_elements(machine, {patterns::shared_by_columns, Shape(4, 4), 4, 0},
                                        of_thread, nodes);
  EXPECT_EQ(shared.at(NodeId(0), NodeId(0)), 16.0);
  EXPECT_EQ(shared.at(NodeId(0), NodeId(3)), 16.0);
  EXPECT_EQ(shared.at(NodeId(0), NodeId(1)), 0.0);
}

TEST(Expected, GoesToTheNearestMemoryOfANodeThatHasNone) {
  const auto machine = lopsided_machine();
  const auto nodes = machine.node_ids().to_vector();
  const auto bands = expected_elements(machine, {patterns::row_bands, Shape(2, 8), 2, 0},
                                       {NodeId(0), NodeId(5)}, nodes);
  EXPECT_EQ(bands.at(NodeId(0), NodeId(8)), 8.0);
  EXPECT_EQ(bands.at(NodeId(5), NodeId(5)), 8.0);
  EXPECT_DOUBLE_EQ(*access::penalty_factor(machine, bands), (14 + 10) / 20.0);
}

TEST(PenaltyFactor, IsUnknownWithoutTheDistancesThatItNeeds) {
  const auto machine = quad_machine();
  const auto nodes = machine.node_ids().to_vector();
  access::ElementMatrix matrix(nodes, nodes);
  EXPECT_FALSE(access::penalty_factor(machine, matrix));
  matrix.at(NodeId(1), NodeId(1)) = 3;
  EXPECT_DOUBLE_EQ(*access::penalty_factor(machine, matrix), 1.0);
  matrix.at(NodeId(1), NodeId(2)) = 1;
  EXPECT_FALSE(access::penalty_factor(machine, matrix));
}

TEST(Shapes, AreHealedByPagesOnlyWhereAPageHasOneOwner) {
  const Shape long_rows(64, 512);   // A row is 8 pages: one for each thread's columns.
  const Shape short_rows(512, 16);  // A page is 4 rows.
  EXPECT_DOUBLE_EQ(local_of(patterns::row_bands, Method::api, short_rows), 1.0);
  EXPECT_DOUBLE_EQ(local_of(patterns::column_bands, Method::api, long_rows), 1.0);
  EXPECT_DOUBLE_EQ(local_of(patterns::column_bands, Method::api, short_rows), 0.25);
  EXPECT_DOUBLE_EQ(local_of(patterns::column_bands, Method::rewrite, short_rows), 1.0);
  EXPECT_DOUBLE_EQ(leakage_of(patterns::column_bands, Method::rewrite, short_rows), 0.0);
  EXPECT_DOUBLE_EQ(leakage_of(patterns::column_bands, Method::api, short_rows), 0.75);
  const Shape cube(16, 16, 64);  // A page is a row along x.
  EXPECT_DOUBLE_EQ(local_of(patterns::slabs_y, Method::api, cube), 1.0);
  EXPECT_LT(local_of(patterns::slabs_x, Method::api, cube), 0.3);
  EXPECT_DOUBLE_EQ(local_of(patterns::slabs_x, Method::rewrite, cube), 1.0);
  EXPECT_DOUBLE_EQ(local_of(patterns::blocks, Method::rewrite, cube), 1.0);
}

TEST(Shapes, SpreadPagesThatNobodyHasMostOf) {
  const auto report = run_on_fake(options_in(patterns::column_bands, Method::api, Shape(512, 16)));
  ASSERT_TRUE(report);
  EXPECT_DOUBLE_EQ(access::column_concentration(report->access->by_node), 0.25);
}

// The fake puts pages where a map says; where policies put them is the lab's to show.
TEST(Shapes, LeaveSharedArraysFlatAtBest) {
  for (MapPattern pattern : {patterns::shared_by_columns, patterns::shared_at_random,
                             patterns::shared_along_y, patterns::shared_along_z}) {
    const bool flat = pattern.dimensions == 2;
    const Shape shape = flat ? Shape(64, 64) : Shape(16, 16, 16);
    EXPECT_NEAR(local_of(pattern, Method::rewrite, shape), 0.25, 1e-12);
    EXPECT_NEAR(leakage_of(pattern, Method::rewrite, shape), 0.0, 1e-12);
  }
}

MapOptions three_phases(Method method) {
  MapOptions options;
  options.multi_patterns = true;
  options.method = method;
  options.shape = Shape(64, 512);
  return options;
}

TEST(MultiPatterns, ActBeforeEachPhaseAndSayWhatThatTook) {
  for (Method method : {Method::api, Method::rewrite}) {
    const auto report = run_on_fake(three_phases(method));
    ASSERT_TRUE(report) << report.error().message();
    ASSERT_EQ(report->phases.size(), 3U);
    EXPECT_FALSE(report->phases[0].change);
    for (std::size_t at : {0U, 1U}) {
      EXPECT_DOUBLE_EQ(access::local_share(report->phases[at].access->by_node), 1.0);
    }
    for (std::size_t at : {1U, 2U}) {
      const auto& change = report->phases[at].change;
      ASSERT_TRUE(change);
      EXPECT_EQ(change->laid_out_anew, method == Method::rewrite);
    }
    EXPECT_GT(report->phases[1].change->pages, 0U);
    if (method == Method::api) continue;
    EXPECT_DOUBLE_EQ(access::column_concentration(report->phases[2].access->by_node), 0.25);
    EXPECT_NEAR(report->access->penalty->leakage(), 0.0, 1e-12);
  }
}

TEST(MultiPatterns, StayWhereTheyAreByTheOtherMethods) {
  const auto report = run_on_fake(three_phases(Method::standard));
  ASSERT_TRUE(report);
  ASSERT_EQ(report->phases.size(), 3U);
  for (const PhaseReport& phase : report->phases) EXPECT_FALSE(phase.change);
}

TEST(MultiPatterns, CountTwoLayoutsAgainstTheMemory) {
  MapOptions options = three_phases(Method::rewrite);
  MemoryFacts facts;
  facts.available = Bytes{3_MiB};  // One array is 2 MiB.
  EXPECT_FALSE(plan_map(quad_machine(), options, facts));
  options.method = Method::api;
  EXPECT_TRUE(plan_map(quad_machine(), options, facts));
}

}  // namespace
}  // namespace homenode::trial
