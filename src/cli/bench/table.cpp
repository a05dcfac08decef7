#include "cli/bench/table.h"

#include "cli/bench/chase.h"
#include "cli/bench/gather.h"
#include "cli/bench/gups.h"
#include "cli/bench/kneighbor.h"
#include "cli/bench/map.h"
#include "cli/bench/molecular2d.h"
#include "cli/bench/npb.h"
#include "cli/bench/numa_mem.h"
#include "cli/bench/seismic.h"
#include "cli/bench/stream.h"
#include "cli/bench/stress.h"

namespace homenode::cli {

std::vector<std::unique_ptr<Verb>> bench_workloads() {
  std::vector<std::unique_ptr<Verb>> workloads;
  workloads.push_back(make_bench_map());
  workloads.push_back(make_bench_npb());
  workloads.push_back(make_bench_seismic());
  workloads.push_back(make_bench_stress());
  workloads.push_back(make_bench_numa_mem());
  workloads.push_back(make_bench_stream());
  workloads.push_back(make_bench_gups());
  workloads.push_back(make_bench_chase());
  workloads.push_back(make_bench_gather());
  workloads.push_back(make_bench_kneighbor());
  workloads.push_back(make_bench_molecular2d());
  return workloads;
}

}  // namespace homenode::cli
