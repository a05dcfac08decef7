// Every kernel of NPB under every strategy on model machines, and every refusal that comes before
// anything is allocated. What a real kernel does with the pages is looked at in the lab.
#include <gtest/gtest.h>

#include "fake/fake.h"
#include "placement/strategies/table.h"
#include "support/machines.h"
#include "trial/program/run.h"
#include "workloads/npb/table.h"

namespace homenode::cli {
namespace {

class EveryNpbKernel : public testing::TestWithParam<workloads::npb::Benchmark> {};

/// The model of a machine's memory and CPUs.
os::FakeMachine model_of(const machine::Machine& machine) {
  os::FakeMachine model;
  model.nodes = machine.nodes_with_memory();
  model.node_of_cpu.clear();
  for (const machine::Node& node : machine.nodes) {
    for (const CpuId cpu : node.cpus.to_vector()) model.node_of_cpu[cpu] = node.id;
  }
  return model;
}

/// More threads than either machine has CPUs, in shares that differ.
constexpr unsigned npb_team = 9;

void run_npb_on(const machine::Machine& machine, const workloads::npb::Benchmark& benchmark) {
  const auto program = benchmark.make(workloads::npb::Class::S);
  for (const placement::Strategy& strategy : placement::strategies()) {
    os::Fake os(model_of(machine));
    const auto report =
        trial::run_program(os, machine, *program, {npb_team, std::string(strategy.name), 1});
    ASSERT_TRUE(report) << strategy.name << ": " << report.error().message();
    EXPECT_TRUE(trial::check_verified(*report, std::string(strategy.name)));
    for (std::size_t i = 0; i < report->arrays.size(); ++i) {
      const trial::PlacedArray& array = report->arrays[i];
      const trial::ArrayAudit& after = report->runs.front().arrays[i];
      ASSERT_TRUE(after.audit) << array.need.name;
      EXPECT_EQ(after.astray, 0U) << strategy.name << ", " << array.need.name;
      EXPECT_EQ(array.receipt.has_value(), strategy.name != "memory-bind");
      if (array.receipt) {
        EXPECT_EQ(array.receipt->as_planned, array.receipt->pages);
      }
    }
  }
}

TEST_P(EveryNpbKernel, IsRightAndWhereEachStrategyPutsIt) {
  run_npb_on(quad_machine(), GetParam());
  run_npb_on(lopsided_machine(), GetParam());
}

TEST_P(EveryNpbKernel, IsRefusedBeforeAnythingIsAllocated) {
  for (const workloads::npb::Class size : workloads::npb::classes) {
    const auto program = GetParam().make(size);
    const Bytes needed = trial::footprint(*program);
    const auto check = [&](const trial::ProgramSetup& setup, Bytes available) {
      return trial::check_setup(quad_machine(), *program, setup, available);
    };
    EXPECT_TRUE(check({8, "none", 1}, needed));
    const auto memory = check({8, "none", 1}, Bytes{needed.value - 1});
    ASSERT_FALSE(memory);
    EXPECT_NE(memory.error().tried.find("MiB of memory"), std::string::npos);
    EXPECT_FALSE(check({0, "none", 1}, needed));
    EXPECT_FALSE(check({100'000, "none", 1}, needed));
    EXPECT_EQ(bool(check({2, "memory-bind", 1}, needed)), needed.value <= (64_MiB).value);
  }
}

INSTANTIATE_TEST_SUITE_P(Npb, EveryNpbKernel, testing::ValuesIn(workloads::npb::benchmarks()),
                         [](const auto& entry) { return std::string(entry.param.name); });

}  // namespace
}  // namespace homenode::cli
