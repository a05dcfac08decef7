#include "cli/bench_map_run.h"

#include <fmt/format.h>

#include <mutex>
#include <utility>

#include "actuation/aligned_memory.h"
#include "actuation/kernel_words.h"
#include "actuation/process.h"
#include "cli/bench_map_matrix.h"
#include "cli/bench_map_memory.h"
#include "workloads/map/kernels.h"
#include "workloads/map/team.h"

namespace homenode::cli {
namespace {

namespace map = workloads::map;

/// The calling thread's CPUs, put back at the end.
class SavedCpus {
 public:
  explicit SavedCpus(os::Os& os) : os_(os), saved_(os.sched_getaffinity(0, cpus_) == 0) {}
  SavedCpus(const SavedCpus&) = delete;
  SavedCpus& operator=(const SavedCpus&) = delete;
  ~SavedCpus() {
    if (saved_) os_.sched_setaffinity(0, cpus_);
  }

 private:
  os::Os& os_;
  CpuSet cpus_;
  bool saved_;
};

/// Policies and page maps are set before the main thread touches the memory.
Result<void> place_memory(os::Os& os, actuation::Region region, MapReport& report) {
  if (const auto* policy = std::get_if<placement::Policy>(&report.plan.memory)) {
    return actuation::set_region_policy(os, region, *policy);
  }
  if (const auto* pages = std::get_if<placement::PageMap>(&report.plan.memory)) {
    auto receipt = actuation::place_pages(os, region, *pages);
    if (!receipt) return receipt.as_unexpected();
    report.receipt = *std::move(receipt);
  }
  return {};
}

/// Where each thread is when it has finished; called by the threads themselves.
void record_cpu(os::Os& os, ThreadRecord& record) {
  CpuId cpu;
  NodeId node;
  if (os.getcpu(cpu, node) == 0) {
    record.cpu = cpu;
    record.node = node;
  }
}

Result<void> run_team(os::Os& os, map::Element* array, MapReport& report) {
  const MapPlan& plan = report.plan;
  std::vector<map::Pass> passes;
  for (unsigned rank = 0; rank < plan.threads; ++rank) {
    passes.push_back({array, plan.walks[rank], plan.options.order, plan.options.operation,
                      plan.options.seed + rank, rank + 1});
  }
  std::mutex lock;
  std::optional<Error> refusal;
  map::Job job;
  job.threads = plan.threads;
  job.passes = plan.options.passes;
  job.prepare = [&](unsigned rank) {
    if (plan.cpus_of_thread.empty()) return true;
    const auto bound = actuation::bind_thread(os, 0, plan.cpus_of_thread[rank]);
    if (bound) return true;
    const std::lock_guard guard(lock);
    refusal = bound.error();
    return false;
  };
  job.pass = [&](unsigned rank) { map::run_pass(passes[rank]); };
  job.finish = [&](unsigned rank) {
    if (plan.cpus_of_thread.empty()) record_cpu(os, report.threads[rank]);
  };
  const map::Outcome outcome = plan.options.team == TeamKind::openmp ? map::run_with_openmp(job)
                                                                     : map::run_with_pthreads(job);
  if (outcome.start_errno != 0) {
    return failed(
        fmt::format("cannot start {} threads", plan.threads),
        "give fewer --threads, or raise the limit (ulimit -u, pids.max, OMP_THREAD_LIMIT)",
        outcome.start_errno);
  }
  if (refusal) return Unexpected(*refusal);
  report.seconds = outcome.seconds;
  return {};
}

std::vector<ThreadRecord> planned_threads(const MapPlan& plan) {
  std::vector<ThreadRecord> threads(plan.threads);
  for (unsigned rank = 0; rank < plan.threads; ++rank) {
    threads[rank].elements = map::count_of(plan.walks[rank]);
    if (plan.cpus_of_thread.empty()) continue;
    threads[rank].cpu = plan.cpus_of_thread[rank].to_vector().front();
    threads[rank].node = plan.node_of_thread[rank];
  }
  return threads;
}

/// The matrices, where the audit succeeded and every thread's node is known.
void compute_matrices(const machine::Machine& machine, MapReport& report) {
  NodeSet seen = machine.node_ids();
  for (const auto& [node, pages] : report.audit->pages_on_node) seen.insert(node);
  std::vector<NodeId> node_of_thread;
  for (const ThreadRecord& thread : report.threads) {
    if (!thread.node) return;
    seen.insert(*thread.node);
    node_of_thread.push_back(*thread.node);
  }
  const std::vector<NodeId> nodes = seen.to_vector();
  auto computed = compute_access(
      {report.plan.walks, report.audit->node_of_page, report.plan.page_bytes / map::line_bytes,
       report.plan.options.operation, report.plan.options.passes},
      nodes);
  auto by_node = access::fold(computed.by_thread, node_of_thread, nodes);
  report.access = AccessReport{std::move(computed.by_thread), std::move(by_node),
                               computed.accesses_without_node};
}

}  // namespace

Result<MapReport> run_map(os::Os& os, const machine::Machine& machine, const MapPlan& plan) {
  MapReport report;
  report.plan = plan;
  report.threads = planned_threads(plan);

  const SavedCpus saved(os);
  // The main thread is rank 0, so it touches the memory from rank 0's node.
  if (!plan.cpus_of_thread.empty()) {
    const auto bound = actuation::bind_thread(os, 0, plan.cpus_of_thread[0]);
    if (!bound) return bound.as_unexpected();
  }
  const auto memory = actuation::AlignedMemory::map(os, plan.bytes.value, plan.alignment);
  if (!memory) return memory.as_unexpected();
  const actuation::Region region = memory->region();
  if (const auto done = choose_pages(os, region, plan.options.pages); !done) {
    return done.as_unexpected();
  }
  if (const auto done = place_memory(os, region, report); !done) return done.as_unexpected();
  auto* const array = static_cast<map::Element*>(region.address);
  map::initialise(array, region.bytes / sizeof(map::Element));

  if (const auto done = run_team(os, array, report); !done) return done.as_unexpected();

  report.huge_bytes = actuation::huge_bytes(os, region);
  auto audited = actuation::audit(os, region);
  if (audited) {
    report.audit = *std::move(audited);
    compute_matrices(machine, report);
  } else {
    report.audit_error = audited.error();
  }
  return report;
}

}  // namespace homenode::cli
