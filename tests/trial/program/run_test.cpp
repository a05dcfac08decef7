#include "trial/program/run.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "fake/fake.h"
#include "os/linux.h"
#include "support/machines.h"
#include "trial/program/arrays.h"

namespace homenode::trial {
namespace {

using workloads::Sharing;

/// Counts what its threads wrote; says something else in one run, if told so.
class Counter : public workloads::Program {
 public:
  explicit Counter(unsigned wrong_run = 0) : wrong_run_(wrong_run) {}

  [[nodiscard]] std::vector<workloads::ArrayNeed> arrays() const override {
    return {{"cells", 64 * 4096, Sharing::parts}, {"table", 4096, Sharing::all}};
  }

  workloads::ProgramOutcome run(std::span<void* const> memory, unsigned threads) override {
    auto* const cells = static_cast<unsigned char*>(memory[0]);
    constexpr int count = 64 * 4096;
    int sum = 0;
#pragma omp parallel for num_threads(threads) reduction(+ : sum)
    for (int i = 0; i < count; ++i) {
      cells[i] = 1;
      sum += cells[i];
    }
    std::fill_n(static_cast<unsigned char*>(memory[1]), 4096, static_cast<unsigned char>(1));
    workloads::ProgramOutcome outcome;
    outcome.seconds = 2.0;
    outcome.operations = 6e6;
    outcome.unit = "Mop/s";
    outcome.checks = {{"cells", ++run_ == wrong_run_ ? 1.0 : sum, count, 0.0}};
    return outcome;
  }

 private:
  unsigned wrong_run_;
  unsigned run_ = 0;
};

TEST(ProgramArrays, BeginAtDifferentPlacesOfTheirFirstPages) {
  os::Linux os;
  const std::size_t page = os.page_bytes();
  const std::size_t odd = 3 * page + 64;
  const auto arrays = ProgramArrays::map(os, {{"a", odd}, {"b", odd}, {"c", odd}, {"d", 4 * page}});
  ASSERT_TRUE(arrays) << arrays.error().message();
  std::set<std::size_t> places;
  for (std::size_t i = 0; i < 4; ++i) {
    const actuation::Region region = arrays->regions()[i];
    const auto offset = static_cast<std::size_t>(static_cast<char*>(arrays->addresses()[i]) -
                                                 static_cast<char*>(region.address));
    EXPECT_EQ(region.bytes, 4 * page) << "no array takes a page more";
    EXPECT_LE(offset + (i < 3 ? odd : 4 * page), region.bytes);
    EXPECT_EQ(offset % 64, 0U) << "lines stay whole";
    places.insert(offset);
  }
  EXPECT_EQ(places.size(), 3U);
  EXPECT_EQ(arrays->addresses()[3], arrays->regions()[3].address) << "whole pages leave no room";
}

TEST(CheckSetup, NamesWhatCannotBeBeforeAnythingIsAllocated) {
  const Counter program;
  const auto check = [&](const ProgramSetup& setup, std::optional<Bytes> available) {
    return check_setup(quad_machine(), program, setup, available);
  };
  EXPECT_TRUE(check({8, "none", 1}, std::nullopt));
  EXPECT_TRUE(check({8, "round-robin", 1}, 1_MiB));
  EXPECT_EQ(check({0, "none", 1}, {}).error().code, ErrorCode::bad_usage);
  EXPECT_EQ(check({1, "none", 0}, {}).error().code, ErrorCode::bad_usage);
  EXPECT_EQ(check({1, "nowhere", 1}, {}).error().code, ErrorCode::bad_usage);
  EXPECT_TRUE(check({8 * 64, "none", 1}, {}));
  EXPECT_EQ(check({8 * 64 + 1, "none", 1}, {}).error().code, ErrorCode::bad_usage);
  const auto too_little = check({1, "none", 1}, Bytes{65 * 4096 - 1});
  ASSERT_FALSE(too_little);
  EXPECT_EQ(too_little.error().code, ErrorCode::failed);
}

TEST(CheckSetup, NamesNodesThatCannotHoldWhatIsBoundToThem) {
  class Large final : public Counter {
    [[nodiscard]] std::vector<workloads::ArrayNeed> arrays() const override {
      return {{"cells", (64U << 20U) + 1, Sharing::parts}};
    }
  };
  const auto check = [](unsigned threads, const char* strategy) {
    return check_setup(quad_machine(), Large(), {threads, strategy, 1}, 256_MiB);
  };
  EXPECT_TRUE(check(8, "memory-bind"));
  EXPECT_TRUE(check(3, "memory-bind"));
  EXPECT_TRUE(check(2, "first-touch"));  // What a node has no room for goes to others.
  const auto too_little = check(2, "memory-bind");
  ASSERT_FALSE(too_little);
  EXPECT_EQ(too_little.error().code, ErrorCode::failed);
  EXPECT_NE(too_little.error().tried.find("64 MiB are on the nodes 0 that"), std::string::npos)
      << too_little.error().tried;
}

TEST(RunProgram, PutsPagesAndThreadsWhereTheStrategySays) {
  os::Fake os(quad_kernel());
  Counter program;
  const auto report = run_program(os, quad_machine(), program, {8, "parallel-init", 1});
  ASSERT_TRUE(report) << report.error().message();
  const auto& cells = report->runs.front().arrays.front();
  ASSERT_TRUE(cells.audit);
  for (unsigned node = 0; node < 4; ++node) {
    EXPECT_EQ(cells.audit->pages_on_node.at(NodeId(node)), 16U);
  }
  EXPECT_EQ(report->arrays.front().receipt->as_planned, 64U);
  EXPECT_TRUE(check_verified(*report, "counter"));
}

TEST(RunProgram, PutsEverythingWithTheMainThreadByFirstTouch) {
  os::Fake os(quad_kernel());
  Counter program;
  const auto report = run_program(os, quad_machine(), program, {8, "first-touch", 2});
  ASSERT_TRUE(report) << report.error().message();
  ASSERT_EQ(report->runs.size(), 2U);
  for (const ProgramRun& run : report->runs) {
    EXPECT_EQ(run.arrays.front().audit->pages_on_node,
              (std::map<NodeId, std::size_t>{{NodeId(0), 64}}));
  }
}

TEST(RunProgram, CountsPagesThatAreNotWhereTheStrategyPutThem) {
  os::Fake os(quad_kernel());
  /// Its pages 0 to 2 go to node 1 while it runs.
  class Mover final : public Counter {
   public:
    explicit Mover(os::Os& os) : os_(os) {}
    workloads::ProgramOutcome run(std::span<void* const> memory, unsigned threads) override {
      auto* const cells = static_cast<char*>(memory[0]);
      const std::vector<void*> pages{cells, cells + 4096, cells + 2 * 4096};
      std::vector<int> status(3);
      os_.move_pages(0, pages, std::vector<int>{1, 1, 1}, status, 0);
      return Counter::run(memory, threads);
    }

   private:
    os::Os& os_;
  };
  Mover program(os);
  for (const auto& [strategy, astray] :
       {std::pair{"first-touch", 3U}, {"round-robin", 2U}, {"memory-bind", 0U}, {"none", 0U}}) {
    const auto report = run_program(os, quad_machine(), program, {8, strategy, 1});
    ASSERT_TRUE(report) << report.error().message();
    const auto& arrays = report->runs.front().arrays;
    EXPECT_EQ(arrays.front().astray, astray) << strategy;
    EXPECT_EQ(arrays.back().astray, 0U) << strategy;
  }
}

TEST(RunProgram, StopsAtTheFirstRunThatIsNotVerifiedAndSaysBoth) {
  os::Fake os(quad_kernel());
  Counter program(2);
  unsigned told = 0;
  const auto report = run_program(os, quad_machine(), program, {2, "none", 5},
                                  [&](unsigned number) { EXPECT_EQ(number, told++); });
  ASSERT_TRUE(report) << report.error().message();
  EXPECT_EQ(report->runs.size(), 2U);
  EXPECT_EQ(told, 1U);
  const auto verified = check_verified(*report, "counter");
  ASSERT_FALSE(verified);
  EXPECT_NE(verified.error().tried.find("run 2: cells is 1 instead of 262144"), std::string::npos);
}

}  // namespace
}  // namespace homenode::trial
