// Every benchmark of the table against the official values of the smallest class.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "support/sanitized.h"
#include "workloads/npb/random.h"
#include "workloads/npb/table.h"

namespace homenode::workloads::npb {
namespace {

/// Memory as a caller might give it: aligned to a page, and full of what is no number.
class DirtyMemory {
 public:
  explicit DirtyMemory(const Program& program) {
    for (const ArrayNeed& need : program.arrays()) {
      constexpr std::size_t page = 4096;
      const std::size_t bytes = (need.bytes + page - 1) / page * page;
      void* const memory = std::aligned_alloc(page, bytes);
      std::memset(memory, 0xff, bytes);
      owned_.emplace_back(memory, std::free);
      memory_.push_back(memory);
    }
  }
  [[nodiscard]] std::span<void* const> span() const { return memory_; }

 private:
  std::vector<std::unique_ptr<void, void (*)(void*)>> owned_;
  std::vector<void*> memory_;
};

class EveryBenchmark : public testing::TestWithParam<Benchmark> {};

TEST_P(EveryBenchmark, GivesTheOfficialValuesWithAnyNumberOfThreads) {
  const auto program = GetParam().make(Class::S);
  const DirtyMemory memory(*program);
  // The last one: again in used memory.
  const auto teams = sanitized ? std::vector{3U, 2U} : std::vector{1U, 2U, 3U, 8U, 2U};
  for (const unsigned threads : teams) {
    const ProgramOutcome outcome = program->run(memory.span(), threads);
    EXPECT_FALSE(outcome.checks.empty());
    for (const Check& check : outcome.checks) {
      EXPECT_TRUE(check.passed()) << threads << " threads, " << check.name << ": " << check.value
                                  << " instead of " << check.expected;
    }
    EXPECT_GT(outcome.rate(), 0.0);
  }
}

TEST_P(EveryBenchmark, NamesItsArraysInEachClass) {
  std::size_t smaller = 0;
  for (const Class size : classes) {
    std::size_t bytes = 0;
    for (const ArrayNeed& need : GetParam().make(size)->arrays()) {
      EXPECT_FALSE(need.name.empty());
      EXPECT_GT(need.bytes, 0U);
      bytes += need.bytes;
    }
    EXPECT_GE(bytes, smaller);
    smaller = bytes;
  }
}

INSTANTIATE_TEST_SUITE_P(Npb, EveryBenchmark, testing::ValuesIn(benchmarks()),
                         [](const auto& entry) { return std::string(entry.param.name); });

double bytes_of(std::string_view name, Class size) {
  double bytes = 0.0;
  for (const ArrayNeed& need : find_benchmark(name)->make(size)->arrays()) {
    bytes += static_cast<double>(need.bytes);
  }
  return bytes;
}

TEST(NpbFootprint, IsThatOfTheSpecifiedArrays) {
  // FT: two complex fields and a real one.
  EXPECT_EQ(bytes_of("ft", Class::B), 40.0 * 512 * 256 * 256);
  EXPECT_EQ(bytes_of("ft", Class::C), 40.0 * 512 * 512 * 512);
  // IS: the keys twice, and a count for each value.
  EXPECT_EQ(bytes_of("is", Class::B), 4.0 * (2 * 33'554'432 + 2'097'152));
  EXPECT_EQ(bytes_of("is", Class::C), 4.0 * (2 * 134'217'728 + 8'388'608));
  // MG: u, r and v with a layer around them, and an eighth of u and r for each coarser grid.
  const auto mg = [](double n) { return 8.0 * n * n * n * (3.0 + 2.0 / 7.0); };
  EXPECT_NEAR(bytes_of("mg", Class::B) / mg(256 + 2), 1.0, 0.01);
  EXPECT_NEAR(bytes_of("mg", Class::C) / mg(512 + 2), 1.0, 0.01);
  // CG: a value and a column for each entry that there may be, six vectors, and what is drawn.
  const auto cg = [](double n, double drawn) {
    return n * (12.0 * drawn * drawn + 6 * 8 + 16.0 * drawn);
  };
  EXPECT_NEAR(bytes_of("cg", Class::B) / cg(75'000, 13 + 1), 1.0, 0.001);
  EXPECT_NEAR(bytes_of("cg", Class::C) / cg(150'000, 15 + 1), 1.0, 0.001);
  // EP keeps sums alone.
  EXPECT_LT(bytes_of("ep", Class::D), 1e6);
}

TEST(NpbTable, FindsNamesInSmallAndCapitalLetters) {
  ASSERT_NE(find_benchmark("ep"), nullptr);
  EXPECT_EQ(find_benchmark("EP"), find_benchmark("ep"));
  EXPECT_EQ(find_benchmark("e"), nullptr);
  EXPECT_EQ(find_benchmark("epp"), nullptr);
}

TEST(NpbClass, IsReadByItsLetter) {
  EXPECT_EQ(class_of("S"), Class::S);
  EXPECT_EQ(class_of("d"), Class::D);
  EXPECT_EQ(class_of("E"), std::nullopt);
  EXPECT_EQ(class_of("AA"), std::nullopt);
  EXPECT_EQ(class_of(""), std::nullopt);
}

TEST(NpbRandom, JumpsToWhereStepsLead) {
  std::uint64_t state = random_seed;
  for (std::uint64_t steps = 0; steps < 1000; ++steps) {
    ASSERT_EQ(random_after(random_seed, steps), state);
    const double value = random_next(state);
    ASSERT_GT(value, 0.0);
    ASSERT_LT(value, 1.0);
  }
}

TEST(NpbRandom, MultipliesModulo46Bits) {
  // (2^46 - 1)^2 = 1 modulo 2^46, and the exact product does not fit 64 bits.
  EXPECT_EQ(random_power(2, random_mask), 1U);
  EXPECT_EQ(random_power(3, random_mask), random_mask);
}

}  // namespace
}  // namespace homenode::workloads::npb
