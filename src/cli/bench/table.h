// The workloads of `homenode bench`: each is a sub-command with its own options, and describes
// itself.
#pragma once

#include <memory>
#include <span>

#include "cli/verb.h"
#include "workloads/program/description.h"

namespace homenode::cli {

struct BenchWorkload {
  std::unique_ptr<Verb> (*make)();
  workloads::Description (*describe)();
};

/// Every workload, in the order of the help. One line per workload.
std::span<const BenchWorkload> bench_workloads();

}  // namespace homenode::cli
