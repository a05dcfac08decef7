// numa-mem with real processes, on whatever machine this is.
#include "trial/numa_mem/run.h"

#include <gtest/gtest.h>
#include <sched.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <optional>

#include "machine/load.h"
#include "os/linux.h"
#include "trial/memory.h"
#include "trial/numa_mem/crew.h"

namespace homenode::trial {
namespace {

/// Three loops over a few pages of each kind.
NumaMemOptions short_numa_mem() {
  NumaMemOptions options;
  options.processes = 2;
  options.threads = 2;
  options.global_mb = 0.25;
  options.process_mb = 0.125;
  options.locked_mb = 0.0625;
  options.thread_mb = 0.125;
  options.loops = 3;
  return options;
}

Result<NumaMemReport> numa_mem_with(const NumaMemOptions& options) {
  os::Linux os;
  const auto machine = machine::load_live();
  if (!machine) return machine.as_unexpected();
  const auto plan = plan_numa_mem(*machine, options, memory_facts(os));
  if (!plan) return plan.as_unexpected();
  return run_numa_mem(os, *plan);
}

TEST(RunNumaMem, DoesAllLoopsOfAllTasksAndVerifiesThem) {
  for (const bool random : {false, true}) {
    for (const auto& [reads, writes] : {std::pair(true, true), {true, false}, {false, true}}) {
      NumaMemOptions options = short_numa_mem();
      options.random = random;
      options.reads = reads;
      options.writes = writes;
      const auto report = numa_mem_with(options);
      ASSERT_TRUE(report) << report.error().message();
      ASSERT_EQ(report->tasks.size(), 4U);
      for (const NumaMemRecord& task : report->tasks) EXPECT_EQ(task.loops, 3U);
      EXPECT_EQ(figures_of(*report).bytes, 4 * 3 * (0.25 + 0.125 + 0.0625 + 0.125) * 1048576);
      EXPECT_EQ(report->memories.size(), 5U);
    }
  }
}

TEST(RunNumaMem, ZeroesThreadMemory) {
  NumaMemOptions options = short_numa_mem();
  options.zero = true;
  options.global_mb = options.process_mb = options.locked_mb = 0;
  const auto report = numa_mem_with(options);
  ASSERT_TRUE(report) << report.error().message();
}

TEST(RunNumaMem, BeginsInEveryWayThatPerfHas) {
  for (int way = 0; way < 5; ++way) {
    NumaMemOptions options = short_numa_mem();
    options.init_names = way != 0;
    options.init_zero = way == 1;
    options.init_cpu0 = way == 2;
    options.serialize = way != 3;
    options.sleep_us = way == 4 ? 1 : 0;
    const auto report = numa_mem_with(options);
    ASSERT_TRUE(report) << way << report.error().message();
  }
}

TEST(RunNumaMem, EndsWhenProcessesHaveConverged) {
  const auto machine = machine::load_live();
  ASSERT_TRUE(machine);
  NumaMemOptions options = short_numa_mem();
  options.loops = 0;
  options.seconds = 0;
  options.until_converged = true;
  options.interval_s = 0.01;
  options.perturb_s = 0.01;
  // One CPU for all is one node for all.
  options.cpus = std::to_string(machine->allowed_cpus.to_vector().front().value()) + "x4";
  const auto report = numa_mem_with(options);
  ASSERT_TRUE(report) << report.error().message();
  ASSERT_FALSE(report->looks.empty());
  EXPECT_TRUE(report->looks.back().converged());
  EXPECT_TRUE(converged_since(report->looks));
}

TEST(RunNumaMem, RunsUnderEveryStrategy) {
  for (const char* strategy : {"first-touch", "parallel-init", "round-robin", "memory-bind"}) {
    NumaMemOptions options = short_numa_mem();
    options.strategy = strategy;
    const auto report = numa_mem_with(options);
    ASSERT_TRUE(report) << strategy << report.error().message();
    for (const NumaMemTask& task : report->plan.tasks) EXPECT_EQ(task.cpus->size(), 1U);
  }
}

TEST(Crew, HearsWhatAProcessRefuses) {
  Crew crew;
  ASSERT_TRUE(crew.start([](CrewVoice voice) {
    voice.say_error(not_supported("it cannot", "do not").take());
    return 1;
  }));
  Result<void> heard;
  while (heard) heard = crew.hear(-1.0);
  EXPECT_EQ(heard.error().code, ErrorCode::not_supported);
  EXPECT_EQ(heard.error().tried, "it cannot");
}

TEST(Crew, NamesAProcessThatDies) {
  Crew crew;
  ASSERT_TRUE(crew.start([](CrewVoice voice) {
    voice.say(crew_ready);
    kill(getpid(), SIGKILL);
    return 0;
  }));
  Result<void> heard;
  while (heard) heard = crew.hear(-1.0);
  EXPECT_NE(heard.error().tried.find("process 0 was ended by signal 9"), std::string::npos)
      << heard.error().message();
}

TEST(Crew, IsGoneAfterwards) {
  pid_t process = 0;
  {
    Crew crew;
    ASSERT_TRUE(crew.start([](CrewVoice) { return pause(); }));
    process = crew.process(0);
  }
  EXPECT_EQ(waitpid(process, nullptr, WNOHANG), -1);
  EXPECT_EQ(kill(process, 0), -1);
}

/// How many children a process has; nothing where the kernel does not list them.
std::optional<std::size_t> children_of(pid_t process) {
  const std::string number = std::to_string(process);
  std::ifstream list("/proc/" + number + "/task/" + number + "/children");
  if (!list) return std::nullopt;
  std::size_t count = 0;
  for (pid_t child = 0; list >> child;) ++count;
  return count;
}

TEST(NumaMem, LeavesNoProcessWhenItIsKilledHalfWay) {
  // All hold the writing end of a pipe, so that its reader sees the end when the last is gone.
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const pid_t program = fork();
  ASSERT_GE(program, 0);
  if (program == 0) {
    close(ends[0]);
    os::Linux os;
    const auto machine = machine::load_live();
    NumaMemOptions options = short_numa_mem();
    options.loops = 0;
    options.seconds = 3600;
    const auto plan = plan_numa_mem(*machine, options, memory_facts(os));
    Crew crew;  // One that says when those of the run are there.
    const pid_t program_itself = getpid();
    const auto started = crew.start([&](CrewVoice) {
      while (children_of(program_itself).value_or(3) < 3) sched_yield();
      const char there = 1;
      return write(ends[1], &there, 1) == 1 ? pause() : 1;
    });
    if (started && plan) (void)run_numa_mem(os, *plan);
    _exit(1);
  }
  close(ends[1]);
  char there = 0;
  EXPECT_EQ(read(ends[0], &there, 1), 1);
  kill(program, SIGKILL);
  waitpid(program, nullptr, 0);
  EXPECT_EQ(read(ends[0], &there, 1), 0);
  close(ends[0]);
}

}  // namespace
}  // namespace homenode::trial
