#include "trial/stress/run.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>

#include "fake/fake.h"
#include "machine/load.h"
#include "os/linux.h"
#include "trial/memory.h"
#include "trial/stress/perturber.h"

namespace homenode::trial {
namespace {

using workloads::stress::Pattern;

/// Two cycles over a few pages, and no wait for anything but the threads themselves.
StressOptions short_run(Pattern pattern, bool writes) {
  StressOptions options;
  options.pattern = pattern;
  options.block = 64_KiB;
  options.cycles = 2;
  options.hold_s = 0.0;
  options.interval_s = 1000.0;
  options.writes = writes;
  return options;
}

Result<StressReport> stress_on(os::Os& os, const machine::Machine& machine,
                               const StressOptions& options) {
  const auto plan = plan_stress(machine, options, memory_facts(os));
  if (!plan) return plan.as_unexpected();
  return run_stress(os, machine, *plan);
}

TEST(RunStress, DoesAllCyclesAndVerifiesEveryPattern) {
  os::Linux os;
  const auto machine = machine::load_live();
  ASSERT_TRUE(machine);
  for (Pattern pattern : {Pattern::neighbour, Pattern::random, Pattern::shared}) {
    for (bool writes : {false, true}) {
      const auto report = stress_on(os, *machine, short_run(pattern, writes));
      ASSERT_TRUE(report) << report.error().message();
      EXPECT_EQ(report->cycles, std::vector<std::uint64_t>(report->plan.team.threads(), 2));
      EXPECT_EQ(report->samples.size(), 2U);
      EXPECT_EQ(report->local_shares.size(), 2U);
      EXPECT_EQ(report->sampled_pages.size(), report->plan.bytes() / report->plan.page_bytes);
    }
  }
}

TEST(RunStress, TouchesFirstAsTold) {
  os::Linux os;
  const auto machine = machine::load_live();
  ASSERT_TRUE(machine);
  for (FirstTouch touch : {FirstTouch::thread, FirstTouch::main}) {
    StressOptions options = short_run(Pattern::neighbour, false);
    options.first_touch = touch;
    const auto report = stress_on(os, *machine, options);
    ASSERT_TRUE(report) << report.error().message();
    for (const auto& node : report->samples.front().node_of_page) {
      EXPECT_TRUE(node || machine->nodes.size() == 1);  // Kernels without NUMA say nothing.
    }
  }
}

/// One node of two CPUs, as the model has it.
machine::Machine modelled_machine() {
  machine::Machine machine;
  machine.nodes.push_back(
      {.id = NodeId(0), .cpus = {CpuId(0), CpuId(1)}, .memory = 64_MiB, .package = {}});
  machine.allowed_nodes = {NodeId(0)};
  machine.allowed_cpus = machine.nodes[0].cpus;
  return machine;
}

TEST(RunStress, NamesWhatIsRefusedAndLeavesNoMapping) {
  struct Refusal {
    const char* call;
    int errno_value;
  };
  for (const Refusal refusal : {Refusal{"sched_setaffinity", EPERM}, Refusal{"map_memory", ENOMEM},
                                Refusal{"mbind", EPERM}, Refusal{"advise_memory", EBADF}}) {
    os::FakeMachine model;
    model.node_of_cpu = {{CpuId(0), NodeId(0)}, {CpuId(1), NodeId(0)}};
    os::Fake os(model);
    os.fail_call(refusal.call, 1, refusal.errno_value);
    StressOptions options = short_run(Pattern::neighbour, false);
    options.first_touch = FirstTouch::bound;
    const auto report = stress_on(os, modelled_machine(), options);
    EXPECT_FALSE(report) << refusal.call;
    EXPECT_EQ(os.mappings(), 0U) << refusal.call;
  }
}

TEST(SystemMoves, AreReadFromVmstat) {
  const SystemMoves moves =
      moves_in("pgmigrate_success 12\nnuma_pages_migrated 7\nnuma_pages_migrated_x 9\n");
  EXPECT_EQ(moves.balancing, 7U);
  EXPECT_EQ(moves.migrated, 12U);
  EXPECT_FALSE(moves_in("nr_free_pages 1\n").migrated);
}

TEST(Perturber, PinsAndReleases) {
  os::Linux os;
  CpuSet before;
  ASSERT_EQ(os.sched_getaffinity(0, before), 0);
  auto perturber = Perturber::start(os);
  ASSERT_TRUE(perturber) << perturber.error().message();
  const CpuId last = before.to_vector().back();
  ASSERT_TRUE(perturber->pin({{static_cast<pid_t>(syscall(SYS_gettid)), last}}));
  CpuSet pinned;
  EXPECT_EQ(os.sched_getaffinity(0, pinned), 0);
  EXPECT_EQ(pinned, CpuSet{last});
  ASSERT_TRUE(perturber->release_after(0.0, before));
  ASSERT_TRUE(perturber->released());
  EXPECT_EQ(os.sched_getaffinity(0, pinned), 0);
  EXPECT_EQ(pinned, before);
}

TEST(Perturber, IsGoneAfterwards) {
  os::Linux os;
  pid_t process = 0;
  {
    const auto perturber = Perturber::start(os);
    ASSERT_TRUE(perturber);
    process = perturber->process();
  }
  EXPECT_EQ(waitpid(process, nullptr, WNOHANG), -1);
  EXPECT_EQ(kill(process, 0), -1);
}

TEST(Perturber, DiesWithAProgramThatIsKilled) {
  // Both hold the writing end of a pipe, so that its reader sees the end when the last is gone.
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const pid_t program = fork();
  ASSERT_GE(program, 0);
  if (program == 0) {
    os::Linux os;
    auto perturber = Perturber::start(os);
    const char started = perturber ? 1 : 0;
    if (write(ends[1], &started, 1) == 1) pause();
    _exit(1);
  }
  close(ends[1]);
  char started = 0;
  EXPECT_EQ(read(ends[0], &started, 1), 1);
  EXPECT_EQ(started, 1);
  kill(program, SIGKILL);
  waitpid(program, nullptr, 0);
  EXPECT_EQ(read(ends[0], &started, 1), 0);
  close(ends[0]);
}

}  // namespace
}  // namespace homenode::trial
