// The NAS Parallel Benchmarks by name, for help, options and lists (NAS-91-002; parameters and
// values to check against: NPB 3.4). A new one is its files, its name here and in
// table.cpp.
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "workloads/npb/class.h"
#include "workloads/program/description.h"
#include "workloads/program/program.h"

namespace homenode::workloads::npb {

struct Benchmark {
  std::string_view name;     ///< In small letters: "ep".
  std::string_view summary;  ///< What it computes.
  std::string_view pattern;  ///< Who uses which memory.
  /// Cheap: allocates nothing of the size of the problem.
  std::unique_ptr<Program> (*make)(Class size);
};

// Each stands beside its program, in a file of its name (bt and sp share one).
extern const Benchmark ep_benchmark, cg_benchmark, mg_benchmark, ft_benchmark, is_benchmark,
    bt_benchmark, lu_benchmark, sp_benchmark;

/// All of them, in the order of the help.
std::span<const Benchmark> benchmarks();

/// In small or capital letters; null when there is none of that name.
const Benchmark* find_benchmark(std::string_view name);

/// What `bench npb` says of itself.
Description describe();

}  // namespace homenode::workloads::npb
