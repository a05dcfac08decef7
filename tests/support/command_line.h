// A command line run against the fake kernel of the machine that the test is on.
#pragma once

#include <gtest/gtest.h>

#include <sstream>

#include "cli/dispatch.h"
#include "fake/fake.h"
#include "machine/load.h"

namespace homenode::cli {

/// The live machine's nodes and CPUs, so that lists that hwloc allows the fake allows too.
inline os::FakeMachine live_as_fake() {
  static const auto machine = machine::load_live();
  EXPECT_TRUE(machine);
  os::FakeMachine fake;
  fake.nodes = machine->allowed_nodes;
  fake.node_of_cpu.clear();
  for (CpuId cpu : machine->allowed_cpus.to_vector()) {
    fake.node_of_cpu[cpu] = machine->node_of(cpu).value_or(NodeId(0));
  }
  return fake;
}

struct CommandLine {
  CommandLine() : os(live_as_fake()) {}

  int run(const std::vector<std::string>& words) {
    out.str("");
    err.str("");
    Context context{os, out, err, "/usr/bin/homenode", machine::load_live};
    return dispatch(context, words);
  }

  os::Fake os;
  std::ostringstream out;
  std::ostringstream err;
};

}  // namespace homenode::cli
