// What `homenode bench --list` says of each workload beside its summary. Pure data.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/verb.h"

namespace homenode::cli {

struct BenchFacts {
  std::string_view name;       ///< Of the workload.
  std::string_view footprint;  ///< How much memory it uses.
  std::string_view pattern;    ///< Who uses what.
  std::string_view source;     ///< Where it comes from.
};

/// Null for a workload without an entry. One entry per workload.
const BenchFacts* find_bench_facts(std::string_view name);

/// The table of `bench --list`.
std::string bench_list_text(const std::vector<std::unique_ptr<Verb>>& workloads);

}  // namespace homenode::cli
