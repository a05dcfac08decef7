#include "placement/policies/list_syntax.h"

#include <gtest/gtest.h>

#include "base/id_list.h"

namespace homenode::placement {
namespace {

using machine::Machine;

/// Nodes 0, 1, 8, 9 with two CPUs each but the last; 1 has no memory. The cpuset allows nodes 1, 8
/// and 9 and CPUs 3 to 5.
Machine limited() {
  Machine machine;
  machine.nodes = {{NodeId(0), *parse_cpu_list("0-1"), 1_MiB, {}},
                   {NodeId(1), *parse_cpu_list("2-3"), Bytes{0}, {}},
                   {NodeId(8), *parse_cpu_list("4-5"), 1_MiB, {}},
                   {NodeId(9), {}, 1_MiB, {}}};
  machine.allowed_cpus = *parse_cpu_list("3-5");
  machine.allowed_nodes = *parse_node_list("1,8-9");
  return machine;
}

/// The set as a list, or what is wrong.
template <class Set>
std::string words(const Result<Set>& result) {
  return result ? to_list(*result) : "error: " + result.error().message();
}
std::string nodes(std::string_view text, bool all = false) {
  return words(parse_nodes(limited(), text, {}, all));
}
std::string cpu_nodes(std::string_view text, CpuReach reach = CpuReach::usable) {
  return words(parse_cpu_nodes(limited(), text, {}, reach));
}
std::string cpus(std::string_view text, bool all = false) {
  return words(parse_cpus(limited(), text, {}, all));
}

TEST(NodeLists, NumbersAndRanges) {
  EXPECT_EQ(nodes("8"), "8");
  EXPECT_EQ(nodes("8,1"), "1,8");
  EXPECT_EQ(nodes("8-9"), "8-9");
  EXPECT_EQ(nodes("9,8-9,1,1"), "1,8-9");
}

TEST(NodeLists, NumbersInCNotation) {
  EXPECT_EQ(nodes("0x8"), "8");
  EXPECT_EQ(nodes("010"), "8") << "octal, as numactl has it";
  EXPECT_EQ(nodes("01"), "1");
}

TEST(NodeLists, AllIsEveryAllowedNodeWithMemory) {
  EXPECT_EQ(nodes("all"), "8-9");
  EXPECT_EQ(nodes("all", true), "0,8-9");
  EXPECT_EQ(nodes("1,all"), "8-9") << "as numactl has it";
}

TEST(NodeLists, InvertedCountsWithinTheAllowedOnes) {
  EXPECT_EQ(nodes("!8"), "1,9");
  EXPECT_EQ(nodes("!8", true), "0-1,9");
  EXPECT_EQ(nodes("!all"), "1");
}

TEST(NodeLists, RelativeNumbersCountWithinTheCpuset) {
  EXPECT_EQ(nodes("+0"), "1");
  EXPECT_EQ(nodes("+0-1"), "1,8");
  EXPECT_EQ(nodes("+0,2"), "1,9");
  EXPECT_EQ(nodes("+0", true), "0");
  EXPECT_EQ(nodes("!+0"), "8-9");
}

TEST(NodeLists, SameIsTheEarlierList) {
  const NodeSet earlier = *parse_node_list("8-9");
  EXPECT_EQ(words(parse_nodes(limited(), "same", earlier)), "8-9");
  EXPECT_EQ(nodes("same").find("error: 'same' needs an earlier node list"), 0U);
}

TEST(NodeLists, RefusesNodesByName) {
  EXPECT_EQ(nodes("2-3,8"),
            "error: cannot use '2-3,8': this machine has no nodes 2-3; its nodes are 0-1,8-9");
  EXPECT_EQ(nodes("0"),
            "error: cannot use '0': the cpuset of this process does not allow node 0; allowed are "
            "1,8-9");
  EXPECT_EQ(nodes("0", true), "0");
  EXPECT_EQ(nodes("8-10"),
            "error: cannot use '8-10': this machine has no node 10; its nodes are 0-1,8-9");
  EXPECT_EQ(nodes("+3"), "error: cannot use '+3': this process may use 3 nodes; count from +0");
}

TEST(NodeLists, RefusesWhatIsNoList) {
  for (const char* text :
       {"",     " ",    ",",      "8,",     ",8",         "8,,9",  "8-",
        "-8",   "9-8",  "8 9",    "a",      "0x",         "x8",    "!",
        "+",    "!!8",  "++0",    "+!0",    "all,8",      "ALL",   "alls",
        "8,+0", "8,!9", "8-9-10", "8:1",    "08",         "65536", "99999999999999999999",
        "1.5",  "8;9",  "!same",  "same,8", "netdev:eth0"}) {
    const auto result = parse_nodes(limited(), text);
    ASSERT_FALSE(result) << '"' << text << '"';
    EXPECT_EQ(result.error().code, ErrorCode::bad_usage) << text;
    EXPECT_FALSE(result.error().next.empty()) << text;
  }
}

TEST(NodeLists, RefusesAListThatLeavesNothing) {
  EXPECT_EQ(nodes("!1,8-9"), "error: the node list '!1,8-9' selects no node; allowed are 1,8-9");
}

TEST(CpuNodeLists, NodesStandForTheirCpus) {
  EXPECT_EQ(cpu_nodes("all"), "1,8") << "1 has no memory, 9 no CPUs, 0 no allowed CPU";
  EXPECT_EQ(cpu_nodes("1"), "1");
  EXPECT_EQ(cpu_nodes("!1"), "8");
  EXPECT_EQ(cpu_nodes("+1"), "8");
  EXPECT_EQ(cpu_nodes("all", CpuReach::machine), "0-1,8");
  EXPECT_EQ(cpu_nodes("9"),
            "error: cannot use '9': this process may use no CPU of node 9; allowed are 1,8");
}

TEST(CpuNodeLists, AnAffinityDoesNotNarrowWhatNumactlMayBindTo) {
  Machine machine = limited();
  machine.allowed_cpus = *parse_cpu_list("2-3");
  const auto bound = [&](std::string_view text) {
    return words(parse_cpu_nodes(machine, text, {}, CpuReach::cpuset));
  };
  EXPECT_EQ(bound("all"), "1,8") << "8's memory is allowed, 1 has an allowed CPU, 9 has none";
  EXPECT_EQ(bound("8"), "8");
  EXPECT_EQ(bound("+1"), "8");
  EXPECT_EQ(bound("!1"), "8");
  EXPECT_EQ(bound("0"),
            "error: cannot use '0': this process may use no CPU of node 0; allowed are "
            "1,8");
  EXPECT_EQ(words(parse_cpu_nodes(machine, "all")), "1");
}

TEST(CpuLists, FollowTheSameRules) {
  EXPECT_EQ(cpus("all"), "3-5");
  EXPECT_EQ(cpus("all", true), "0-5");
  EXPECT_EQ(cpus("3,5"), "3,5");
  EXPECT_EQ(cpus("!4"), "3,5");
  EXPECT_EQ(cpus("+0-1"), "3-4");
  EXPECT_EQ(cpus("!+0"), "4-5");
  EXPECT_EQ(
      cpus("2"),
      "error: cannot use '2': affinity or cpuset of this process do not allow CPU 2; allowed are "
      "3-5");
  EXPECT_EQ(cpus("2", true), "2");
  EXPECT_EQ(cpus("7-8"), "error: cannot use '7-8': this machine has no CPUs 7-8; its CPUs are 0-5");
  EXPECT_EQ(words(parse_cpus(limited(), "same", CpuSet{CpuId(4)})), "4");
}

}  // namespace
}  // namespace homenode::placement
