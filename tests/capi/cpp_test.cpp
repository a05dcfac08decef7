// The C++ header over the C interface.
#include <homenode/homenode.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

namespace homenode {
namespace {

static_assert(std::is_nothrow_move_constructible_v<Region> &&
              !std::is_copy_constructible_v<Region>);

TEST(CppRegion, GivesItsMemoryAsASpan) {
  Region region(4 * hn_page_bytes(), "block");
  const auto numbers = region.as<std::uint64_t>();
  EXPECT_EQ(numbers.size() * sizeof(std::uint64_t), region.bytes());
  EXPECT_TRUE(std::all_of(numbers.begin(), numbers.end(), [](auto n) { return n == 0; }));
  const auto nodes = region.nodes();
  EXPECT_EQ(nodes.size(), region.pages());
  EXPECT_EQ(std::count(nodes.begin(), nodes.end(), HN_NO_NODE), 0);
  EXPECT_NE(region.audit_json().find("homenode.audit/1"), std::string::npos);
}

TEST(CppRegion, MovesAndIsPlacedAgain) {
  Region first(4 * hn_page_bytes());
  first.as<char>()[0] = 'x';
  Region second = std::move(first);
  EXPECT_TRUE(second.place("cyclic"));
  EXPECT_EQ(second.as<char>()[0], 'x');
  EXPECT_EQ(second.statistics().pages_as_planned, second.pages());
  EXPECT_EQ(first.bytes(), 0U);  // NOLINT(bugprone-use-after-move): it says that it is empty.
}

TEST(CppRegion, AdoptsMemoryOfTheProgram) {
  std::vector<double> numbers(4096, 2.5);
  Region region = Region::adopt(std::span(numbers));
  EXPECT_TRUE(region.place("block"));
  region.name("numbers");
  EXPECT_THROW(region.name("[heap]"), Error);
  EXPECT_EQ(region.as<double>().size(), numbers.size());
  EXPECT_EQ(std::count(numbers.begin(), numbers.end(), 2.5), 4096);
}

TEST(CppRegion, CutsAnArrayByItsShape) {
  Region region(64 * 64 * sizeof(double));
  const hn_array array{{64, 64, 1, 1}, sizeof(double), 2, HN_ORDER_FORTRAN};
  EXPECT_TRUE(region.place("columns", array));
  EXPECT_THROW(region.place("columns"), Error);
}

TEST(CppErrors, CarryTheStatusAndOneLine) {
  try {
    Region region(4096, "nonsense");
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.status(), HN_BAD_USAGE);
    EXPECT_NE(std::string(error.what()).find("nonsense"), std::string::npos);
  }
  Region region(4096);
  try {
    region.place("nonsense");
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("nonsense"), std::string::npos);
  }
  EXPECT_THROW(Machine("/no/such/file.xml"), Error);
  EXPECT_THROW(threads::bind("x"), Error);
  EXPECT_THROW(threads::bind_rank("x", 0), Error);
  EXPECT_THROW(threads::place("block"), Error);
}

TEST(CppMachine, AnswersAsTheFileDeclares) {
  const Machine machine("synthetic:numa:4 core:2 pu:1");
  EXPECT_EQ(machine.nodes(), (std::vector<int>{0, 1, 2, 3}));
  EXPECT_EQ(machine.cpus(3), (std::vector<int>{6, 7}));
  EXPECT_EQ(machine.node_of_cpu(5), 2);
  EXPECT_GT(machine.memory_bytes(), machine.memory_bytes(1));
}

TEST(CppThreads, SayWhereTheyAre) {
  const auto [cpu, node] = threads::where();
  const auto cpus = threads::cpus();
  EXPECT_NE(std::find(cpus.begin(), cpus.end(), cpu), cpus.end());
  EXPECT_EQ(node, Machine().node_of_cpu(cpu));
}

}  // namespace
}  // namespace homenode
