#include "cli/bench/table.h"

#include <array>

#include "workloads/chase/chase.h"
#include "workloads/gather/gather.h"
#include "workloads/gups/gups.h"
#include "workloads/map/description.h"
#include "workloads/message/kneighbor.h"
#include "workloads/message/molecular2d.h"
#include "workloads/npb/table.h"
#include "workloads/numa_mem/description.h"
#include "workloads/seismic/program.h"
#include "workloads/stream/stream.h"
#include "workloads/stress/description.h"

namespace homenode::cli {
namespace {

constexpr std::array bench_table{
    BenchWorkload{make_bench_map, workloads::map::describe},
    BenchWorkload{make_bench_npb, workloads::npb::describe},
    BenchWorkload{make_bench_seismic, workloads::seismic::describe},
    BenchWorkload{make_bench_stress, workloads::stress::describe},
    BenchWorkload{make_bench_numa_mem, workloads::numa_mem::describe},
    BenchWorkload{make_bench_stream, workloads::stream::describe},
    BenchWorkload{make_bench_gups, workloads::gups::describe},
    BenchWorkload{make_bench_chase, workloads::chase::describe},
    BenchWorkload{make_bench_gather, workloads::gather::describe},
    BenchWorkload{make_bench_kneighbor, workloads::message::describe_kneighbor},
    BenchWorkload{make_bench_molecular2d, workloads::message::describe_molecular2d},
};

}  // namespace

std::span<const BenchWorkload> bench_workloads() {
  return bench_table;
}

}  // namespace homenode::cli
