// Latencies and bandwidths between nodes: from hwloc's memory attributes, and back.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "captured.h"
#include "machine/json.h"

namespace homenode::machine {
namespace {

/// A file that lives as long as this does.
class XmlFile {
 public:
  explicit XmlFile(const std::string& text)
      : path_(std::filesystem::temp_directory_path() /
              fmt::format("homenode-pairs-{}.xml", getpid())) {
    std::ofstream(path_) << text;
  }
  XmlFile(const XmlFile&) = delete;
  XmlFile& operator=(const XmlFile&) = delete;
  ~XmlFile() { std::filesystem::remove(path_); }
  [[nodiscard]] std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

std::string source_of(const std::string& name) {
  return (captured_machines / (name + ".xml")).string();
}

/// Each pair has a value of its own: 100 × row + column, counted by position.
PairValues numbered(const Machine& machine, MatrixKind kind, double first, Provenance provenance) {
  PairValues matrix{
      kind,
      {machine.nodes_with_cpus().to_vector(), machine.nodes_with_memory().to_vector()},
      provenance};
  double row = 0;
  for (NodeId from : matrix.values.rows()) {
    double column = 0;
    for (NodeId to : matrix.values.columns()) {
      matrix.values.at(from, to) = first + 10 * row + column++;
    }
    ++row;
  }
  return matrix;
}

Machine loaded(const std::string& xml) {
  const XmlFile file(xml);
  const auto machine = load_xml(file.path());
  EXPECT_TRUE(machine) << (machine ? "" : machine.error().message());
  return machine ? *machine : Machine{};
}

TEST(PairValues, ComeBackFromTheXmlAsTheyWere) {
  for (const char* name : {"duo-2x4", "cxl-3", "memoryless-4x2", "sparse-power"}) {
    const Machine before = captured(name);
    const std::vector<PairValues> matrices = {
        numbered(before, MatrixKind::latency, 90, Provenance::firmware),
        numbered(before, MatrixKind::read_latency, 91, Provenance::measured),
        numbered(before, MatrixKind::write_bandwidth, 5000, Provenance::declared)};
    const auto xml = export_xml(source_of(name), matrices);
    ASSERT_TRUE(xml) << xml.error().message();
    Machine after = loaded(*xml);
    EXPECT_TRUE(is_valid(after));
    EXPECT_EQ(after.pair_values, matrices) << name;
    after.pair_values.clear();
    after.name = before.name;
    EXPECT_EQ(after, before) << name << ": nothing else changes";
  }
}

TEST(PairValues, ReplaceThoseOfTheSameKindAndLeaveOthers) {
  const Machine machine = captured("duo-2x4");
  const PairValues old_latency = numbered(machine, MatrixKind::latency, 90, Provenance::declared);
  const PairValues bandwidth = numbered(machine, MatrixKind::bandwidth, 9000, Provenance::firmware);
  const auto first = export_xml(source_of("duo-2x4"), {old_latency, bandwidth});
  ASSERT_TRUE(first);
  const XmlFile file(*first);
  PairValues fresh = numbered(machine, MatrixKind::latency, 200, Provenance::measured);
  fresh.values.at(NodeId(0), NodeId(1)) = std::nan("");
  const auto second = export_xml(file.path(), {fresh});
  ASSERT_TRUE(second) << second.error().message();
  EXPECT_EQ(loaded(*second).pair_values, (std::vector{fresh, bandwidth}));
}

TEST(PairValues, AreAbsentWhereNobodyGivesAny) {
  EXPECT_TRUE(captured("duo-2x4").pair_values.empty());
  EXPECT_EQ(captured("duo-2x4").find(MatrixKind::latency), nullptr);
}

TEST(PairValues, OfTheRunningSystemAreTheFirmwares) {
  const SysfsTree tree("cpuset-4x2");
  const std::string access = "/sys/devices/system/node/node2/access1/initiators";
  tree.set(access + "/read_latency", "112");
  tree.set(access + "/write_latency", "114");
  tree.set(access + "/read_bandwidth", "21000");
  tree.set(access + "/write_bandwidth", "17000");
  std::filesystem::create_directory_symlink(tree.path("/sys/devices/system/node/node2"),
                                            tree.path(access + "/node2"));
  const auto machine = load_live();
  ASSERT_TRUE(machine) << machine.error().message();
  const PairValues* reads = machine->find(MatrixKind::read_latency);
  ASSERT_NE(reads, nullptr);
  EXPECT_EQ(reads->provenance, Provenance::firmware);
  EXPECT_EQ(reads->values.at(NodeId(2), NodeId(2)), 112);
  EXPECT_TRUE(std::isnan(reads->values.at(NodeId(0), NodeId(2)))) << "the firmware does not say";
  ASSERT_NE(machine->find(MatrixKind::write_bandwidth), nullptr);
  EXPECT_EQ(machine->find(MatrixKind::write_bandwidth)->values.at(NodeId(2), NodeId(2)), 17000);

  const auto xml = export_xml("live");
  ASSERT_TRUE(xml) << xml.error().message();
  const Machine copy = loaded(*xml);
  EXPECT_EQ(copy.pair_values, machine->pair_values);
  EXPECT_EQ(copy.distances, machine->distances) << "they stay the firmware's";
}

TEST(PairValues, StandInJsonWithNullForTheUnknown) {
  Machine machine = captured("cxl-3");
  PairValues matrix = numbered(machine, MatrixKind::read_bandwidth, 1000, Provenance::measured);
  matrix.values.at(NodeId(0), NodeId(2)) = std::nan("");
  machine.pair_values = {matrix};
  const auto json = nlohmann::json::parse(to_json(machine));
  const nlohmann::json expected = {
      {"kind", "read_bandwidth"}, {"unit", "MiB/s"},
      {"provenance", "measured"}, {"from", {0, 1}},
      {"to", {0, 1, 2}},          {"values", {{1000, 1001, nullptr}, {1010, 1011, 1012}}}};
  EXPECT_EQ(json["pair_values"][0], expected);
}

TEST(PairValues, MustCoverTheNodesOfTheMachine) {
  Machine machine = captured("cxl-3");
  machine.pair_values = {numbered(machine, MatrixKind::latency, 90, Provenance::declared)};
  EXPECT_TRUE(is_valid(machine));
  Machine twice = machine;
  twice.pair_values.push_back(twice.pair_values[0]);
  EXPECT_FALSE(is_valid(twice));
  machine.pair_values[0].values = {machine.pair_values[0].values.columns(),
                                   machine.pair_values[0].values.columns()};
  EXPECT_FALSE(is_valid(machine)) << "node 2 has no CPUs";
}

TEST(ExportXml, WritesInfosThatAreReadBackAsTheyWere) {
  const std::string value = "medians of 5 runs: \"read\" < write & more";
  const auto xml = export_xml(source_of("duo-2x4"), {}, {{"homenode:Source.Test", value}});
  ASSERT_TRUE(xml) << xml.error().message();
  const Machine machine = loaded(*xml);
  const std::pair<std::string, std::string> expected{"Source.Test", value};
  EXPECT_EQ(std::count(machine.info.begin(), machine.info.end(), expected), 1);
}

}  // namespace
}  // namespace homenode::machine
