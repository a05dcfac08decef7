// What BT, SP and LU have in common as programs: shares of threads, the same bits with any number
// of them, and the memory that they ask for.
#include "workloads/npb/cfd_program.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <memory>
#include <vector>

#include "support/sanitized.h"
#include "workloads/npb/table.h"

namespace homenode::workloads::npb {
namespace {

TEST(EqualPart, LeavesNothingOutAndDiffersByOne) {
  for (const unsigned threads : {1U, 2U, 3U, 8U, 100U}) {
    std::size_t next = 1;
    for (unsigned rank = 0; rank < threads; ++rank) {
      const CfdRange part = equal_part({1, 63}, rank, threads);
      EXPECT_EQ(part.begin, next);
      EXPECT_GE(part.end - part.begin, 62 / threads);
      EXPECT_LE(part.end - part.begin, 62 / threads + 1);
      next = part.end;
    }
    EXPECT_EQ(next, 63U);
  }
}

TEST(FourthDifferences, AreOneSidedNearTheEnds) {
  constexpr std::size_t n = 12;
  constexpr std::size_t pitch = 16;
  const std::vector<double> weights = fourth_differences(n, pitch);
  const auto at = [&](std::size_t p) {
    return std::vector<double>{weights[p], weights[pitch + p], weights[2 * pitch + p],
                               weights[3 * pitch + p], weights[4 * pitch + p]};
  };
  EXPECT_EQ(at(0), std::vector<double>(5, 0.0));
  EXPECT_EQ(at(1), (std::vector<double>{0, 0, 5, -4, 1}));
  EXPECT_EQ(at(2), (std::vector<double>{0, -4, 6, -4, 1}));
  EXPECT_EQ(at(5), (std::vector<double>{1, -4, 6, -4, 1}));
  EXPECT_EQ(at(9), (std::vector<double>{1, -4, 6, -4, 0}));
  EXPECT_EQ(at(10), (std::vector<double>{1, -4, 5, 0, 0}));
  EXPECT_EQ(at(11), std::vector<double>(5, 0.0));
}

using PageMemory = std::unique_ptr<void, void (*)(void*)>;

struct CfdBenchmark {
  const char* name;
  double doubles_by_point;
};

void PrintTo(const CfdBenchmark& benchmark, std::ostream* out) {
  *out << benchmark.name;
}

class CfdPrograms : public testing::TestWithParam<CfdBenchmark> {
 protected:
  [[nodiscard]] static std::unique_ptr<Program> make(Class size) {
    return find_benchmark(GetParam().name)->make(size);
  }
};

TEST_P(CfdPrograms, GiveTheSameBitsWithAnyNumberOfThreads) {
  const auto program = make(Class::S);
  std::vector<PageMemory> owned;
  std::vector<void*> memory;
  for (const ArrayNeed& need : program->arrays()) {
    owned.emplace_back(std::aligned_alloc(4096, (need.bytes + 4095) / 4096 * 4096), std::free);
    memory.push_back(owned.back().get());
  }
  const ProgramOutcome alone = program->run(memory, 1);
  ASSERT_TRUE(alone.verified());
  // The last: more than there are planes.
  const auto teams = sanitized ? std::vector{13U} : std::vector{2U, 5U, 13U};
  for (const unsigned threads : teams) {
    const ProgramOutcome outcome = program->run(memory, threads);
    ASSERT_EQ(outcome.checks.size(), alone.checks.size());
    for (std::size_t i = 0; i < alone.checks.size(); ++i) {
      EXPECT_EQ(outcome.checks[i].value, alone.checks[i].value)
          << threads << " threads, " << alone.checks[i].name;
    }
  }
}

TEST_P(CfdPrograms, AskForLittleMoreThanTheirPoints) {
  for (const auto& [size, points] :
       {std::pair{Class::A, 64.0}, {Class::B, 102.0}, {Class::C, 162.0}}) {
    double bytes = 0.0;
    for (const ArrayNeed& need : make(size)->arrays()) bytes += static_cast<double>(need.bytes);
    const double needed = 8.0 * GetParam().doubles_by_point * std::pow(points, 3);
    EXPECT_GE(bytes, needed);
    EXPECT_LE(bytes, 1.05 * needed);
  }
}

INSTANTIATE_TEST_SUITE_P(Cfd, CfdPrograms,
                         testing::Values(CfdBenchmark{"bt", 21}, CfdBenchmark{"lu", 17},
                                         CfdBenchmark{"sp", 22}),
                         [](const auto& entry) { return std::string(entry.param.name); });

}  // namespace
}  // namespace homenode::workloads::npb
