// The workloads of `homenode bench`: each is a sub-command with its own options.
#pragma once

#include <memory>
#include <vector>

#include "cli/verb.h"

namespace homenode::cli {

/// Every workload, in the order of the help. One line per workload.
std::vector<std::unique_ptr<Verb>> bench_workloads();

}  // namespace homenode::cli
