// What a machine file may not say, and in which words it is refused.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <iterator>

#include "captured.h"

namespace homenode::machine {
namespace {

/// duo-2x4 with these latencies, bandwidths and provenance, as the text of a file.
struct Figures {
  double latencies_ns[2][2] = {{90, 140}, {140, 90}};
  double bandwidths_mib_per_s[2][2] = {{20000, 9000}, {9000, 20000}};
  Provenance provenance = Provenance::declared;
};

std::string document(const Figures& figures) {
  const std::vector<NodeId> ids{NodeId(0), NodeId(1)};
  PairValues latency{MatrixKind::latency, {ids, ids}, figures.provenance};
  PairValues bandwidth{MatrixKind::read_bandwidth, {ids, ids}, figures.provenance};
  for (unsigned from = 0; from < 2; ++from) {
    for (unsigned to = 0; to < 2; ++to) {
      latency.values.at(NodeId(from), NodeId(to)) = figures.latencies_ns[from][to];
      bandwidth.values.at(NodeId(from), NodeId(to)) = figures.bandwidths_mib_per_s[from][to];
    }
  }
  const auto xml = export_xml((captured_machines / "duo-2x4.xml").string(), {latency, bandwidth});
  EXPECT_TRUE(xml);
  return xml ? *xml : "";
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

/// What is said of a file; empty when it is a machine.
std::string problem_of(const std::string& text) {
  const auto path =
      std::filesystem::temp_directory_path() / fmt::format("homenode-plausible-{}.xml", getpid());
  std::ofstream(path) << text;
  const auto machine = load_xml(path.string());
  std::filesystem::remove(path);
  if (machine) return "";
  EXPECT_EQ(machine.error().code, ErrorCode::failed);
  EXPECT_NE(machine.error().tried.find(path.string()), std::string::npos);
  EXPECT_FALSE(machine.error().next.empty());
  EXPECT_EQ(machine.error().message().find('\n'), std::string::npos);
  return machine.error().tried.substr(machine.error().tried.find(": ") + 2);
}

std::string problem_of(const Figures& figures) {
  return problem_of(document(figures));
}

TEST(Plausible, GoodFiguresAreTaken) {
  EXPECT_EQ(problem_of(Figures{}), "");
}

TEST(Plausible, EachFigureLiesWithinLimits) {
  Figures none;
  none.latencies_ns[0][1] = 0;
  EXPECT_EQ(problem_of(none),
            "its latency from node 0 to node 1 is 0 ns, which is not between 1 and 100000");
  Figures slow;
  slow.latencies_ns[1][1] = 100001;
  EXPECT_EQ(problem_of(slow),
            "its latency from node 1 to node 1 is 100001 ns, which is not between 1 and 100000");
  Figures wide;
  wide.bandwidths_mib_per_s[1][0] = 10485761;
  EXPECT_EQ(problem_of(wide),
            "its read bandwidth from node 1 to node 0 is 10485761 MiB/s, which is not between 1 "
            "and 10485760");
}

TEST(Plausible, DeclaredLatenciesAreAlikeInBothDirections) {
  Figures figures{{{90, 281}, {140, 90}}};
  EXPECT_EQ(problem_of(figures),
            "its latency from node 0 to node 1 is 281 ns, but 140 ns the other way");
  figures.latencies_ns[0][1] = 280;
  EXPECT_EQ(problem_of(figures), "");
}

TEST(Plausible, NoOtherMemoryIsDeclaredNearerThanANodesOwn) {
  const Figures figures{{{141, 140}, {140, 90}}};
  EXPECT_EQ(problem_of(figures),
            "its latency from node 0 to node 1 is 140 ns, less than the 141 ns to its own memory");
}

TEST(Plausible, MeasurementsMayBeOddButNotAbsurd) {
  Figures figures{{{141, 140}, {500, 90}}};
  figures.provenance = Provenance::measured;
  EXPECT_EQ(problem_of(figures), "");
  figures.bandwidths_mib_per_s[0][0] = 0;
  EXPECT_NE(problem_of(figures), "");
}

TEST(Plausible, ValuesThatAreNoNumbersAreNamedWithTheirPlace) {
  const std::string good = document(Figures{});
  for (const char* value : {"-5", "nan", "1e3", "", "99999999999999999999", "12 "}) {
    EXPECT_EQ(problem_of(replaced(good, "value=\"140\"", fmt::format("value=\"{}\"", value))),
              fmt::format("its Latency from CPUs 4-7 to node 0 is '{}', which is not a whole "
                          "number",
                          value));
  }
}

TEST(Plausible, DistancesAndMemoryAreChecked) {
  const std::string good = document(Figures{});
  EXPECT_EQ(problem_of(replaced(good, "10 21 21 10", "10 00 21 10")),
            "its distance from node 0 to node 1 is 0, which is not between 1 and 255");
  EXPECT_EQ(problem_of(replaced(good, "local_memory=\"17179869184\"", "local_memory=\"-1\"")),
            "its node 0 has 18446744073709551615 bytes of memory");
}

TEST(Plausible, AbsurdFirmwareIsForgotten) {
  const SysfsTree tree("cpuset-4x2");
  const std::string node = "/sys/devices/system/node/node2";
  tree.set(node + "/access1/initiators/read_latency", "65535000");
  tree.set(node + "/access1/initiators/read_bandwidth", "21000");
  std::filesystem::create_directory_symlink(tree.path(node),
                                            tree.path(node + "/access1/initiators/node2"));
  const auto machine = load_live();
  ASSERT_TRUE(machine) << machine.error().message();
  EXPECT_EQ(machine->find(MatrixKind::read_latency), nullptr);
  EXPECT_NE(machine->find(MatrixKind::read_bandwidth), nullptr);
}

}  // namespace
}  // namespace homenode::machine
