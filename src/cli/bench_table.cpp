#include "cli/bench_table.h"

#include "cli/bench_chase.h"
#include "cli/bench_gather.h"
#include "cli/bench_gups.h"
#include "cli/bench_kneighbor.h"
#include "cli/bench_map.h"
#include "cli/bench_molecular2d.h"
#include "cli/bench_npb.h"
#include "cli/bench_numa_mem.h"
#include "cli/bench_seismic.h"
#include "cli/bench_stream.h"
#include "cli/bench_stress.h"

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
