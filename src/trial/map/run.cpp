#include "trial/map/run.h"

#include <fmt/format.h>

#include <algorithm>
#include <mutex>
#include <utility>

#include "actuation/aligned_memory.h"
#include "actuation/mappings.h"
#include "actuation/process.h"
#include "base/marker.h"
#include "os/lab_clock.h"
#include "trial/map/matrix.h"
#include "trial/map/memory.h"
#include "workloads/map/kernels.h"
#include "workloads/map/team.h"

namespace homenode::trial {
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

/// Where each thread is when it has finished; called by the threads themselves.
void record_cpu(os::Os& os, ThreadRecord& record) {
  CpuId cpu;
  NodeId node;
  if (os.getcpu(cpu, node) == 0) {
    record.cpu = cpu;
    record.node = node;
  }
}

/// When the last of the threads had made its passes, by the slots that its markers filled.
std::optional<double> modelled_seconds(const os::LabClock* clock, unsigned threads) {
  constexpr double seconds_per_ps = 1e-12;
  if (clock == nullptr || threads > os::clock_slots) return std::nullopt;
  std::uint64_t last_ps = 0;
  for (unsigned rank = 0; rank < threads; ++rank) {
    last_ps = std::max(last_ps, clock->last_ps(rank));
  }
  if (last_ps == 0) return std::nullopt;  // The lab did not count this run.
  return static_cast<double>(last_ps) * seconds_per_ps;
}

/// Runs a phase's passes and notes their time.
Result<void> run_team(os::Os& os, map::Element* array, const PhasePlan& phase, MapReport& report,
                      PhaseReport& times) {
  const auto clock = os::find_lab_clock();
  const MapPlan& plan = report.plan;
  std::vector<map::Pass> passes;
  for (unsigned rank = 0; rank < plan.threads; ++rank) {
    passes.push_back({array, phase.walks[rank], phase.order, plan.options.operation,
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
  job.pass = [&](unsigned rank) {
    map::run_pass(passes[rank]);
    if (clock) hn_marker_clock(rank);
  };
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
  times.seconds = outcome.seconds;
  times.modelled_s = modelled_seconds(clock.get(), plan.threads);
  return {};
}

std::vector<ThreadRecord> planned_threads(const MapPlan& plan) {
  std::vector<ThreadRecord> threads(plan.threads);
  for (unsigned rank = 0; rank < plan.threads; ++rank) {
    for (const PhasePlan& phase : plan.phases) {
      threads[rank].elements += map::count_of(phase.walks[rank]);
    }
    if (plan.cpus_of_thread.empty()) continue;
    threads[rank].cpu = plan.cpus_of_thread[rank].to_vector().front();
    threads[rank].node = plan.node_of_thread[rank];
  }
  return threads;
}

/// Every thread's node by rank, or nothing where one is not known.
std::optional<std::vector<NodeId>> known_nodes(const std::vector<ThreadRecord>& threads) {
  std::vector<NodeId> nodes;
  for (const ThreadRecord& thread : threads) {
    if (!thread.node) return std::nullopt;
    nodes.push_back(*thread.node);
  }
  return nodes;
}

/// The matrices of a phase that was audited. pre: every thread's node and every page's is among
/// `nodes`.
AccessReport access_of(const machine::Machine& machine, const MapPlan& plan, const PhasePlan& phase,
                       const actuation::Audit& audit, const std::vector<NodeId>& node_of_thread,
                       const std::vector<NodeId>& nodes) {
  auto computed =
      compute_access({phase.walks, audit.node_of_page, plan.page_bytes / map::line_bytes,
                      plan.options.operation, plan.options.passes},
                     nodes);
  auto by_node = access::fold(computed.by_thread, node_of_thread, nodes);
  AccessReport report{
      std::move(computed.by_thread), std::move(by_node), computed.accesses_without_node,
      expected_elements(machine, phase.layout.problem, node_of_thread, nodes), std::nullopt};
  report.penalty = access::penalty_of(machine, report.by_node, report.expected);
  return report;
}

/// Adds a phase's matrices to the sum of those before it.
void add_phase(AccessReport& sum, const AccessReport& more) {
  for (access::ThreadRank row : more.by_thread.rows()) {
    for (NodeId to : more.by_thread.columns()) {
      sum.by_thread.at(row, to) += more.by_thread.at(row, to);
    }
  }
  for (NodeId row : more.by_node.rows()) {
    for (NodeId to : more.by_node.columns()) {
      sum.by_node.at(row, to) += more.by_node.at(row, to);
      sum.expected.at(row, to) += more.expected.at(row, to);
    }
  }
  sum.accesses_without_node += more.accesses_without_node;
}

/// The matrices of each phase and of all together, where every thread's node is known.
void compute_matrices(const machine::Machine& machine, MapReport& report) {
  NodeSet seen = machine.node_ids();
  for (const PhaseReport& phase : report.phases) {
    if (!phase.audit) return;
    for (const auto& [node, pages] : phase.audit->pages_on_node) seen.insert(node);
  }
  const auto node_of_thread = known_nodes(report.threads);
  if (!node_of_thread) return;
  for (NodeId node : *node_of_thread) seen.insert(node);
  const std::vector<NodeId> nodes = seen.to_vector();
  for (std::size_t i = 0; i < report.phases.size(); ++i) {
    PhaseReport& phase = report.phases[i];
    phase.access = access_of(machine, report.plan, report.plan.phases[i], *phase.audit,
                             *node_of_thread, nodes);
    if (i == 0) {
      report.access = phase.access;
    } else {
      add_phase(*report.access, *phase.access);
    }
  }
  report.access->penalty =
      access::penalty_of(machine, report.access->by_node, report.access->expected);
}

/// Runs a phase and asks where its pages are.
Result<void> run_phase(os::Os& os, const PhasePlan& plan, actuation::Region region,
                       MapReport& report, PhaseReport& phase) {
  auto* const array = static_cast<map::Element*>(region.address);
  if (auto ran = run_team(os, array, plan, report, phase); !ran) return ran;
  report.seconds += phase.seconds;
  const bool all = phase.modelled_s && (report.modelled_s || report.phases.size() == 1);
  report.modelled_s =
      all ? std::optional(report.modelled_s.value_or(0.0) + *phase.modelled_s) : std::nullopt;
  phase.huge_bytes = actuation::huge_bytes(os, region);
  auto audited = actuation::audit(os, region);
  if (audited) {
    phase.audit = *std::move(audited);
  } else {
    report.audit_error = audited.error();
  }
  return {};
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
  std::optional<actuation::AlignedMemory> memory;
  for (std::size_t i = 0; i < plan.phases.size(); ++i) {
    PhaseReport& phase = report.phases.emplace_back();
    const auto ready =
        i == 0 ? first_memory(os, plan, memory, phase) : change_memory(os, plan, i, memory, phase);
    if (!ready) return ready.as_unexpected();
    const auto ran = run_phase(os, plan.phases[i], memory->region(), report, phase);
    if (!ran) return ran.as_unexpected();
  }
  compute_matrices(machine, report);
  return report;
}

}  // namespace homenode::trial
