#include "placement/threads/expression.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "base/id_list.h"
#include "support/sanitized.h"

namespace homenode::placement {
namespace {

/// What a machine is made of: `cores` cores of `threads` hardware threads in each of `packages`
/// packages of one node each. Hardware threads are numbered as Linux does on most x86 machines: the
/// first ones of all cores, then the second ones.
struct Shape {
  unsigned packages = 1;
  unsigned cores = 1;
  unsigned threads = 1;
};

machine::Machine make_machine(const Shape& shape) {
  machine::Machine machine;
  const unsigned all_cores = shape.packages * shape.cores;
  for (unsigned package = 0; package < shape.packages; ++package) {
    CpuSet cpus;
    for (unsigned core = 0; core < shape.cores; ++core) {
      CpuSet of_core;
      for (unsigned thread = 0; thread < shape.threads; ++thread) {
        of_core.insert(CpuId(package * shape.cores + core + thread * all_cores));
      }
      machine.caches.push_back({1, 32_KiB, 8, 64, of_core});
      cpus = cpus | of_core;
    }
    machine.caches.push_back({3, 8_MiB, 16, 64, cpus});
    machine.nodes.push_back({NodeId(package * 4), cpus, 1_MiB, package});
    machine.packages.push_back({package, cpus});
    machine.allowed_cpus = machine.allowed_cpus | cpus;
    machine.allowed_nodes.insert(NodeId(package * 4));
  }
  return machine;
}

/// The machine of likwid-pin(1): S0 is 0,4,1,5 and S1 is 2,6,3,7. Its nodes are 0 and 4.
machine::Machine of_likwids_manual() {
  return make_machine({.packages = 2, .cores = 2, .threads = 2});
}

std::string read(const machine::Machine& machine, std::string_view text) {
  const auto map = parse_thread_expression(machine, text);
  return map ? to_string(*map) : map.error().message();
}

TEST(Likwid, ReadsTheExamplesOfItsManual) {
  const machine::Machine machine = of_likwids_manual();
  EXPECT_EQ(read(machine, "L:N:0-2"), "0,1,2");
  EXPECT_EQ(read(machine, "E:N:4:1:2"), "0,1,2,3");
  EXPECT_EQ(read(machine, "E:N:4:2:4"), "0,4,2,6");
  EXPECT_EQ(read(machine, "S:scatter"), "0,2,1,3,4,6,5,7");
  EXPECT_EQ(read(make_machine({.cores = 60, .threads = 4}), "E:N:60:1:4"),
            read(make_machine({.cores = 60, .threads = 4}), "0-59"));
}

TEST(Likwid, CountsWithinADomainCoresFirst) {
  const machine::Machine machine = of_likwids_manual();
  EXPECT_EQ(read(machine, "S0:0-3@S1:0-3"), "0,1,4,5,2,3,6,7");
  EXPECT_EQ(read(machine, "S1:3-2,0"), "7,6,2");
  EXPECT_EQ(read(machine, "L:1,3"), "1,3");
  EXPECT_EQ(read(machine, "D1:0@C0:1"), "2,1");
  EXPECT_EQ(read(machine, "M4:0-1"), "2,3");
}

TEST(Likwid, TakesWholeDomainsCoreByCore) {
  EXPECT_EQ(read(of_likwids_manual(), "S1@M0"), "2,6,3,7,0,4,1,5");
  EXPECT_EQ(read(of_likwids_manual(), "E:S0"), "0,4,1,5");
}

TEST(Likwid, StartsAgainAtTheEndOfADomain) {
  EXPECT_EQ(read(of_likwids_manual(), "E:S0:6:1:2"), "0,1,0,1,0,1");
  EXPECT_EQ(read(of_likwids_manual(), "E:S0:3:1:2:1"), "4,5,4");
}

TEST(Likwid, SpreadsOverDomains) {
  const machine::Machine machine = of_likwids_manual();
  EXPECT_EQ(read(machine, "M:scatter:3"), "0,2,1");
  EXPECT_EQ(read(machine, "S:balanced:4"), "0,4,2,6");
  EXPECT_EQ(read(machine, "S:balanced:3"), "0,4,2");
  EXPECT_EQ(read(machine, "S:cbalanced:4"), "0,1,2,3");
  EXPECT_EQ(read(machine, "S:cbalanced:6"), "0,4,1,2,6,3");
  EXPECT_EQ(read(machine, "S:cbalanced:3"), "0,1,2");
  EXPECT_EQ(read(machine, "M:cbalanced"), "0,4,1,5,2,6,3,7");
}

TEST(Likwid, CountsWithinTheCpuset) {
  machine::Machine machine = of_likwids_manual();
  machine.allowed_cpus = {CpuId(1), CpuId(2), CpuId(5)};
  EXPECT_EQ(read(machine, "S0:0-1@S1:0"), "1,5,2");
  EXPECT_EQ(read(machine, "S:scatter"), "1,2,5");
  EXPECT_NE(read(machine, "S0:2").find("S0 has places 0 to 1"), std::string::npos);
  EXPECT_NE(read(machine, "0@1").find("not allowed"), std::string::npos);
}

/// What likwid-pin 5.2.2 itself printed (-c EXPR -p) on the catalogue's quad-4x2 in the lab.
TEST(Likwid, AgreesWithLikwidPin) {
  const machine::Machine machine = make_machine({.packages = 4, .cores = 2});
  EXPECT_EQ(read(machine, "S0:0-1@S1:0-1"), "0,1,2,3");
  EXPECT_EQ(read(machine, "E:N:4:1:2"), "0,2,4,6");
  EXPECT_EQ(read(machine, "S:scatter"), "0,2,4,6,1,3,5,7");
  EXPECT_EQ(read(machine, "S:scatter:5"), "0,2,4,6,1");
  EXPECT_EQ(read(machine, "S:balanced:4"), "0,2,4,6");
  EXPECT_EQ(read(machine, "S:cbalanced:4"), "0,2,4,6");
  EXPECT_EQ(read(machine, "S:cbalanced"), "0,1,2,3,4,5,6,7");
  EXPECT_EQ(read(machine, "M:cbalanced:5"), "0,1,2,4,6");
  EXPECT_EQ(read(machine, "N:0-3"), "0,1,2,3");
  EXPECT_EQ(read(machine, "0,2-3"), "0,2,3");
  EXPECT_EQ(read(machine, "L:N:1,3"), "1,3");
  EXPECT_EQ(read(machine, "E:S1:3:1:1"), "2,3,2");
}

TEST(Places, ReadsTheExamplesOfTheSpecification) {
  const machine::Machine machine = make_machine({.cores = 16});
  const std::string four = "{0,1,2,3},{4,5,6,7},{8,9,10,11},{12,13,14,15}";
  EXPECT_EQ(read(machine, four), four);
  EXPECT_EQ(read(machine, "{0:4},{4:4},{8:4},{12:4}"), four);
  EXPECT_EQ(read(machine, "{0:4}:4:4"), four);
  EXPECT_EQ(read(machine, "{8}:3:-2,{0:2:5,7}"), "{8},{6},{4},{0,5,7}");
}

/// What libgomp made of the same texts (omp_get_place_proc_ids).
TEST(Places, ExcludesNumbersAndPlaces) {
  const machine::Machine machine = make_machine({.cores = 16});
  EXPECT_EQ(read(machine, "{0},{1},!{0}"), "1");
  EXPECT_EQ(read(machine, "{0},{1},!0"), "1");
  EXPECT_EQ(read(machine, "{0:2,!0}"), "1");
  EXPECT_EQ(read(machine, "{!0,0:2}"), "1");
  EXPECT_EQ(read(machine, "{0:2},{0},!{0:2}"), "0");
  EXPECT_EQ(read(machine, "{0:4,!2}:2:4"), "{0,1,3},{4,5,7}");
  EXPECT_EQ(read(machine, "{0}:4,!{2},9"), "0,1,3,9");
}

TEST(Places, NamesWhatTheMachineHas) {
  const machine::Machine machine = of_likwids_manual();
  EXPECT_EQ(read(machine, "threads"), "0,4,1,5,2,6,3,7");
  EXPECT_EQ(read(machine, "cores"), "{0,4},{1,5},{2,6},{3,7}");
  EXPECT_EQ(read(machine, "cores(3)"), "{0,4},{1,5},{2,6}");
  EXPECT_EQ(read(machine, "sockets"), "{0,1,4,5},{2,3,6,7}");
  EXPECT_EQ(read(machine, "numa_domains"), "{0,1,4,5},{2,3,6,7}");
  EXPECT_EQ(read(machine, "ll_caches(1)"), "{0,1,4,5}");
}

TEST(Charm, ReadsTheExamplesOfItsManual) {
  const machine::Machine machine = make_machine({.cores = 25});
  EXPECT_EQ(read(machine, "0-8:2,16,20-24"), "0,2,4,6,8,16,20,21,22,23,24");
  EXPECT_EQ(read(machine, "0-15:4.3"), "0,1,2,4,5,6,8,9,10,12,13,14");
  EXPECT_EQ(read(machine, "0-11:6.5+12"), "0,12,1,13,2,14,3,15,4,16,6,18,7,19,8,20,9,21,10,22");
  EXPECT_EQ(read(machine, "0-1+8+16"), "0,8,16,1,9,17");
}

TEST(Charm, CountsLogicallyBehindAnL) {
  machine::Machine machine = of_likwids_manual();
  EXPECT_EQ(read(machine, "L0-7"), "0,4,1,5,2,6,3,7");
  EXPECT_EQ(read(machine, "l0-6:2"), "0,1,2,3");
  EXPECT_EQ(read(machine, "L1"), "4");
  EXPECT_EQ(read(machine, "L0-1+4"), "0,2,4,6");
  machine.allowed_cpus = {CpuId(1), CpuId(2), CpuId(5)};
  EXPECT_EQ(read(machine, "L0-2"), "1,5,2");
  EXPECT_NE(read(machine, "L3").find("choose from 0 to 2"), std::string::npos);
}

TEST(Charm, RunsEndWithTheirRange) {
  EXPECT_EQ(*parse_charm_numbers("0-4:4.3"), (std::vector<unsigned>{0, 1, 2, 4}));
}

TEST(ThreadExpression, PlainListsAreCpuNumbers) {
  EXPECT_EQ(read(of_likwids_manual(), "4,0-2,4"), "4,0,1,2,4");
}

TEST(ThreadExpression, NamesWhatIsWrong) {
  const machine::Machine machine = of_likwids_manual();
  for (const char* text : {"S0:",
                           "S0:4",
                           "S0:0-",
                           "S9:0",
                           "S9",
                           "X:0",
                           "E:N:0",
                           "E:N:4:1",
                           "E:N:4:0:1",
                           "E:N:4:1:0",
                           "E:N:4:1:2:8",
                           "E:N:4:1:2:0:0",
                           "M:scatter:",
                           "M:scatter:9",
                           "M:scatter:0",
                           "X:scatter",
                           "S:sideways",
                           "0@",
                           "@",
                           "cores(",
                           "cores()",
                           "cores(0)",
                           "cores(9)",
                           "cores(2",
                           "{",
                           "{}",
                           "{0",
                           "{0}}",
                           "{0},",
                           "{8}",
                           "{0}:0",
                           "{0}:9:1",
                           "{0}:65535:0x",
                           "{0:0}",
                           "{3}:5:-1",
                           "{0:65535}:65535",
                           "!{0}",
                           "0-3:0",
                           "0-3:2.0",
                           "3-0:1",
                           "0+",
                           "0+8",
                           "0-",
                           "0-3:2.1+",
                           "0:2",
                           "1.",
                           "S0:0,,1",
                           "L:",
                           "L:S0:0:1",
                           "L8",
                           "L",
                           "L-1",
                           "L0-",
                           "LL0",
                           "{0},!{1}",
                           "{0},!{0}:2",
                           "{0,!1}",
                           "{0,!0}",
                           "{0},!{0}",
                           "{0,!0:2}",
                           "{0},!",
                           "{!0}",
                           "!{0},{0}",
                           "S:cbalanced:9"}) {
    const auto map = parse_thread_expression(machine, text);
    ASSERT_FALSE(map) << text << " gave " << to_string(*map);
    EXPECT_EQ(map.error().code, ErrorCode::bad_usage);
    EXPECT_NE(map.error().message().find(text), std::string::npos) << map.error().message();
  }
}

TEST(ThreadExpression, ParseAfterPrintIsIdentity) {
  const machine::Machine machine = make_machine({.packages = 3, .cores = 5, .threads = 2});
  const std::vector<CpuId> cpus = machine.allowed_cpus.to_vector();
  std::mt19937 random(7);
  for (int round = 0; round < 300; ++round) {
    ThreadMap map;
    for (auto i = random() % 6 + 1; i > 0; --i) {
      CpuSet place;
      for (auto j = random() % 3 + 1; j > 0; --j) place.insert(cpus[random() % cpus.size()]);
      map.cpus_by_rank.push_back(place);
    }
    const auto read_back = parse_thread_expression(machine, to_string(map));
    ASSERT_TRUE(read_back) << to_string(map);
    EXPECT_EQ(*read_back, map);
    EXPECT_EQ(*parse_places(machine, to_places(map)), map);
  }
}

/// What must hold for any shape: every way of naming all CPUs names each of them once.
TEST(ThreadExpression, WholeMachinesAreCoveredOnce) {
  for (const Shape shape : {Shape{1, 1, 1}, Shape{2, 4, 2}, Shape{3, 5, 1}, Shape{4, 3, 4}}) {
    const machine::Machine machine = make_machine(shape);
    for (const char* text : {"N", "E:N", "S:scatter", "M:scatter", "C:scatter", "N:scatter",
                             "S:balanced", "S:cbalanced", "threads"}) {
      const auto map = parse_thread_expression(machine, text);
      ASSERT_TRUE(map) << text << ": " << map.error().message();
      EXPECT_EQ(map->cpus_by_rank.size(), machine.allowed_cpus.size()) << text;
      CpuSet all;
      for (const CpuSet& cpus : map->cpus_by_rank) all = all | cpus;
      EXPECT_EQ(all, machine.allowed_cpus) << text;
    }
  }
}

TEST(ThreadExpression, FuzzedTextsAreRefusedOrStayWithinTheCpuset) {
  machine::Machine machine = make_machine({.packages = 2, .cores = 4, .threads = 2});
  machine.allowed_cpus = machine.allowed_cpus - CpuSet{CpuId(3), CpuId(8)};
  const std::vector<std::string> words{
      "S0",  "S1",      "N",        "M0", "M4", "C1",    "E:",    "L:",      ":",
      "@",   ",",       "-",        "+",  ".",  "{",     "}",     "scatter", "cbalanced",
      "(2)", "threads", "cores(",   ")",  "0",  "1",     "2",     "4",       "7",
      "15",  "65535",   "99999999", "!",  " ",  "S0:0-", "{0:2}", "0-7:2"};
  std::mt19937 random(20101);
  std::size_t accepted = 0;
  for (unsigned round = 0; round < 60000 / texts_per_trial; ++round) {
    std::string text;
    for (auto i = random() % 7; i > 0; --i) text += words[random() % words.size()];
    const auto map = parse_thread_expression(machine, text);
    if (!map) {
      ASSERT_EQ(map.error().code, ErrorCode::bad_usage) << text;
      continue;
    }
    ++accepted;
    ASSERT_FALSE(map->cpus_by_rank.empty()) << text;
    for (const CpuSet& cpus : map->cpus_by_rank) {
      ASSERT_FALSE(cpus.empty()) << text;
      ASSERT_TRUE(cpus.is_subset_of(machine.allowed_cpus)) << text;
    }
  }
  EXPECT_GT(accepted, 1000 / texts_per_trial);
}

}  // namespace
}  // namespace homenode::placement
