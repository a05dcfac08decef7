// The workloads of `homenode bench`: each is a sub-command with its own options, and describes
// itself.
#pragma once

#include <memory>
#include <span>

#include "cli/verb.h"
#include "workloads/program/description.h"

namespace homenode::cli {

/// The verb itself; bench.cpp.
std::unique_ptr<Verb> make_bench();

// Its workloads, each in the file of its name; the message-driven ones in message.cpp.
std::unique_ptr<Verb> make_bench_map();
std::unique_ptr<Verb> make_bench_npb();
std::unique_ptr<Verb> make_bench_seismic();
std::unique_ptr<Verb> make_bench_stress();
std::unique_ptr<Verb> make_bench_numa_mem();
std::unique_ptr<Verb> make_bench_stream();
std::unique_ptr<Verb> make_bench_gups();
std::unique_ptr<Verb> make_bench_chase();
std::unique_ptr<Verb> make_bench_gather();
std::unique_ptr<Verb> make_bench_kneighbor();
std::unique_ptr<Verb> make_bench_molecular2d();

struct BenchWorkload {
  std::unique_ptr<Verb> (*make)();
  workloads::Description (*describe)();
};

/// Every workload, in the order of the help. One line per workload.
std::span<const BenchWorkload> bench_workloads();

}  // namespace homenode::cli
