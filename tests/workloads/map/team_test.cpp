#include "workloads/map/team.h"

#include <gtest/gtest.h>
#include <omp.h>
#include <pthread.h>

#include <atomic>
#include <cerrno>
#include <vector>

#include "workloads/map/kernels.h"
#include "workloads/map/patterns/line.h"

namespace homenode::workloads::map {
namespace {

using RunTeam = Outcome (*)(const Job&);

/// Every behaviour holds for both versions of the team.
class Team : public testing::TestWithParam<RunTeam> {
 protected:
  static Outcome run(const Job& job) { return GetParam()(job); }
};

Job idle_job(unsigned threads) {
  return {threads, 1, [](unsigned) { return true; }, [](unsigned) {}, [](unsigned) {}};
}

TEST_P(Team, RunsEveryRankOnceAndEveryPass) {
  for (unsigned threads : {1U, 2U, 5U, 32U}) {
    std::vector<unsigned> prepared(threads, 0);
    std::vector<unsigned> passed(threads, 0);
    std::vector<unsigned> finished(threads, 0);
    Job job = idle_job(threads);
    job.passes = 3;
    job.prepare = [&](unsigned rank) { return ++prepared[rank] == 1; };
    job.pass = [&](unsigned rank) { ++passed[rank]; };
    job.finish = [&](unsigned rank) { ++finished[rank]; };
    const Outcome outcome = run(job);
    EXPECT_EQ(outcome.start_errno, 0);
    EXPECT_TRUE(outcome.prepared);
    EXPECT_GT(outcome.seconds, 0.0);
    EXPECT_EQ(prepared, std::vector<unsigned>(threads, 1));
    EXPECT_EQ(passed, std::vector<unsigned>(threads, 3));
    EXPECT_EQ(finished, std::vector<unsigned>(threads, 1));
  }
}

TEST_P(Team, PreparesAllBeforeAnyPassAndFinishesAfterAllPasses) {
  constexpr unsigned threads = 8;
  std::atomic<unsigned> prepared{0};
  std::atomic<unsigned> passed{0};
  std::atomic<bool> in_order{true};
  Job job = idle_job(threads);
  job.prepare = [&](unsigned) { return ++prepared > 0; };
  job.pass = [&](unsigned) {
    if (prepared != threads) in_order = false;
    ++passed;
  };
  job.finish = [&](unsigned) {
    if (passed != threads) in_order = false;
  };
  ASSERT_TRUE(run(job).prepared);
  EXPECT_TRUE(in_order);
}

TEST_P(Team, RunsNothingWhenOneThreadCannotBePrepared) {
  std::atomic<unsigned> passed{0};
  Job job = idle_job(4);
  job.prepare = [](unsigned rank) { return rank != 2; };
  job.pass = [&](unsigned) { ++passed; };
  job.finish = job.pass;
  const Outcome outcome = run(job);
  EXPECT_FALSE(outcome.prepared);
  EXPECT_EQ(outcome.start_errno, 0);
  EXPECT_EQ(passed, 0U);
}

TEST_P(Team, GivesTheCallerRankZero) {
  const pthread_t caller = pthread_self();
  std::atomic<unsigned> mistakes{0};
  Job job = idle_job(4);
  job.pass = [&](unsigned rank) {
    const bool is_caller = pthread_equal(pthread_self(), caller) != 0;
    if (is_caller != (rank == 0)) ++mistakes;
  };
  ASSERT_TRUE(run(job).prepared);
  EXPECT_EQ(mistakes, 0U);
}

TEST_P(Team, SharesElementsWithoutADataRace) {
  std::vector<Element> array(64, Element{});
  const Problem problem{patterns::shared, array.size(), 4, 0};
  for (Operation operation : {Operation::read, Operation::write, Operation::readwrite}) {
    Job job = idle_job(problem.threads);
    job.pass = [&](unsigned rank) {
      run_pass({array.data(), spans(problem, rank), Order::random, operation, rank, rank + 1});
    };
    ASSERT_TRUE(run(job).prepared);
  }
  for (const Element& element : array) {
    EXPECT_GE(element.value, 1U);
    EXPECT_LE(element.value, problem.threads);
  }
}

INSTANTIATE_TEST_SUITE_P(Versions, Team, testing::Values(&run_with_pthreads, &run_with_openmp),
                         [](const auto& version) {
                           return version.index == 0 ? "Pthreads" : "OpenMp";
                         });

TEST(Teams, AgreeOnWhatIsWritten) {
  const Problem problem{patterns::partial, 5003, 8, 0};
  std::vector<std::vector<std::uint64_t>> results;
  for (RunTeam run : {&run_with_pthreads, &run_with_openmp}) {
    std::vector<Element> array(problem.elements(), Element{});
    Job job = idle_job(problem.threads);
    job.pass = [&](unsigned rank) {
      run_pass({array.data(), spans(problem, rank), Order::random, Operation::write, rank, rank});
    };
    ASSERT_TRUE(run(job).prepared);
    auto& values = results.emplace_back();
    for (const Element& element : array) values.push_back(element.value);
  }
  EXPECT_EQ(results[0], results[1]);
  for (std::size_t i = 0; i < problem.elements(); ++i) {
    ASSERT_EQ(results[0][i], owner(problem, i));
  }
}

TEST(OpenMpTeam, SaysSoWhenTheRuntimeGivesFewerThreads) {
  // Inside a parallel region without nesting the runtime gives one thread.
  omp_set_max_active_levels(1);
  Outcome outcome;
#pragma omp parallel num_threads(2)
  {
#pragma omp master
    outcome = run_with_openmp(idle_job(4));
  }
  EXPECT_EQ(outcome.start_errno, EAGAIN);
  EXPECT_FALSE(outcome.prepared);
}

}  // namespace
}  // namespace homenode::workloads::map
