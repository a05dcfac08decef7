// The same placement as the commands of other tools.
#include "launch/emit.h"

#include <gtest/gtest.h>

namespace homenode::launch {
namespace {

using placement::Policy;
using placement::PolicyKind;

machine::Machine two_nodes() {
  machine::Machine machine;
  machine.nodes = {{NodeId(0), {CpuId(0), CpuId(1)}, 1_MiB, {}},
                   {NodeId(1), {CpuId(2), CpuId(3)}, 1_MiB, {}}};
  machine.allowed_cpus = machine.cpus();
  machine.allowed_nodes = machine.node_ids();
  return machine;
}

RunPlan plan_of(CpuSet cpus, Policy policy) {
  RunPlan plan;
  plan.process.process_cpus = std::move(cpus);
  plan.process.process_memory = std::move(policy);
  plan.program = {"prog", "a b"};
  return plan;
}

Emitted emitted(const std::string& tool, const RunPlan& plan) {
  const auto result = emit(tool, plan, two_nodes());
  EXPECT_TRUE(result);
  return result ? *result : Emitted{};
}

TEST(RunEmit, Numactl) {
  EXPECT_EQ(emitted("numactl", plan_of({CpuId(0), CpuId(1)}, {PolicyKind::bind, {NodeId(1)}, true}))
                .command,
            "numactl --physcpubind=0-1 --balancing --membind=1 -- prog 'a b'");
  const auto local = emitted("numactl", plan_of({CpuId(3)}, {PolicyKind::local, {}}));
  EXPECT_EQ(local.command, "numactl --physcpubind=3 --localalloc -- prog 'a b'");
  EXPECT_TRUE(local.missing.empty());
}

TEST(RunEmit, OpenMpHasPlacesAndNoMemory) {
  RunPlan plan = plan_of({CpuId(0), CpuId(2)}, {PolicyKind::interleave, {NodeId(0), NodeId(1)}});
  const auto process = emitted("omp", plan);
  EXPECT_EQ(process.command, "OMP_PLACES='{0,2}' OMP_PROC_BIND=close prog 'a b'");
  EXPECT_EQ(process.missing.size(), 1U);
  plan.threads.threads = placement::ThreadMap{{{CpuId(0)}, {CpuId(2), CpuId(3)}}};
  EXPECT_EQ(emitted("omp", plan).command, "OMP_PLACES='{0},{2,3}' OMP_PROC_BIND=close prog 'a b'");
}

TEST(RunEmit, SlurmHasMasks) {
  const auto bound =
      emitted("slurm", plan_of({CpuId(1), CpuId(64)}, {PolicyKind::bind, {NodeId(1)}}));
  EXPECT_EQ(bound.command,
            "srun --cpu-bind=mask_cpu:0x10000000000000002 --mem-bind=mask_mem:0x2 prog 'a b'");
  EXPECT_TRUE(bound.missing.empty());
  EXPECT_EQ(
      emitted("slurm", plan_of({CpuId(0)}, {PolicyKind::interleave, {NodeId(0)}})).missing.size(),
      1U);
}

TEST(RunEmit, SlurmHasAMaskForEachTaskOfAHost) {
  RunPlan plan = plan_of({CpuId(0), CpuId(1)}, {PolicyKind::preferred, {NodeId(0)}});
  plan.rank = LocalRank{0, "", {NodeId(0)}};
  plan.process_by_rank = {
      plan.process, plan_of({CpuId(2), CpuId(3)}, {PolicyKind::preferred, {NodeId(1)}}).process};
  const auto both = emitted("slurm", plan);
  EXPECT_EQ(both.command,
            "srun --cpu-bind=mask_cpu:0x3,0xc --mem-bind=prefer,mask_mem:0x1,0x2 prog 'a b'");
  EXPECT_TRUE(both.missing.empty());
  plan.process_by_rank[1].process_memory = Policy{PolicyKind::bind, {NodeId(1)}};
  const auto mixed = emitted("slurm", plan);
  EXPECT_EQ(mixed.command, "srun --cpu-bind=mask_cpu:0x3,0xc prog 'a b'");
  EXPECT_EQ(mixed.missing, std::vector<std::string>{"the memory policy bind, nodes 1"});
}

TEST(RunEmit, OtherToolsSayThatTheLineIsOfOneRank) {
  RunPlan plan = plan_of({CpuId(2), CpuId(3)}, {PolicyKind::preferred, {NodeId(1)}});
  plan.rank = LocalRank{1, "PMI_RANK", {NodeId(1)}};
  const auto one = emitted("numactl", plan);
  EXPECT_EQ(one.command, "numactl --physcpubind=2-3 --preferred=1 -- prog 'a b'");
  EXPECT_EQ(one.missing, std::vector<std::string>{"ranks of a host apart (this line is rank 1's)"});
}

TEST(RunEmit, LikwidHasTheNodesOfItsCpusOnly) {
  RunPlan plan = plan_of({CpuId(0), CpuId(2)}, {PolicyKind::interleave, {NodeId(0), NodeId(1)}});
  plan.threads.threads = placement::ThreadMap{{{CpuId(0)}, {CpuId(2)}}};
  plan.threads.skipped = {1, 3};
  const auto both = emitted("likwid", plan);
  EXPECT_EQ(both.command, "likwid-pin -s 0x5 -c 0,2 -i prog 'a b'");
  EXPECT_TRUE(both.missing.empty());
  plan.process.process_memory = Policy{PolicyKind::bind, {NodeId(1)}};
  EXPECT_EQ(emitted("likwid", plan).missing.size(), 1U);
}

TEST(RunEmit, SaysWhatNoToolHas) {
  RunPlan plan = plan_of({CpuId(0)}, {PolicyKind::local, {}});
  plan.threads.heap = Policy{PolicyKind::interleave, {NodeId(0)}};
  plan.threads.memory_by_rank = {Policy{PolicyKind::bind, {NodeId(0)}}};
  plan.threads.allocations = {{1, "cyclic@0", ""}};
  for (const char* tool : {"numactl", "omp", "slurm", "likwid"}) {
    EXPECT_GE(emitted(tool, plan).missing.size(), 3U) << tool;
  }
  EXPECT_FALSE(emit("taskset", plan, two_nodes()));
}

TEST(RunEmit, QuotesForAShell) {
  EXPECT_EQ(shell_word("plain-1.0"), "plain-1.0");
  EXPECT_EQ(shell_word(""), "''");
  EXPECT_EQ(shell_word("it's $HOME"), "'it'\\''s $HOME'");
}

}  // namespace
}  // namespace homenode::launch
