#include "measure/measure.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/marker.h"
#include "machine/kernel_files.h"
#include "measure/bandwidth.h"
#include "measure/cores.h"
#include "measure/derived.h"
#include "measure/gpus/figures.h"
#include "measure/latency.h"
#include "measure/working_set.h"

namespace homenode::measure {
namespace {

using workloads::probe::KernelSet;

Result<const KernelSet*> choose_kernels(const Request& request) {
  const KernelSet* const found = workloads::probe::find_kernel_set(request.isa);
  if (found != nullptr) return found;
  std::string names;
  for (const KernelSet& set : workloads::probe::kernel_sets()) {
    if (set.supported()) names += (names.empty() ? "" : ", ") + std::string(set.name);
  }
  return bad_usage(fmt::format("there are no kernels for '{}' on this CPU", request.isa),
                   "choose among " + names);
}

/// The CPUs of all sources, in the plan's order: their index is their slot of the clock.
std::vector<CpuId> cpus_of(const Plan& plan) {
  std::vector<CpuId> cpus;
  for (NodeId source : plan.sources) {
    for (CpuId cpu : plan.cpus_of.at(source).to_vector()) cpus.push_back(cpu);
  }
  return cpus;
}

/// Each target's memory by a thread of its own, on one of the node's CPUs where it has any: all
/// nodes at the same time, in rounds where targets share a thread.
Result<std::map<NodeId, NodeMemory>> make_memory(os::Os& os, const Report& report, Team& team,
                                                 const WorkingSet& set) {
  std::map<NodeId, NodeMemory> memory;
  std::vector<NodeId> waiting = report.plan.targets;
  while (!waiting.empty()) {
    std::vector<std::size_t> members;
    std::vector<NodeId> served;
    std::vector<NodeId> later;
    std::vector<bool> taken(team.cpus().size(), false);
    for (NodeId node : waiting) {
      const auto own = report.plan.cpus_of.find(node);
      std::size_t member = served.size() % taken.size();
      if (own != report.plan.cpus_of.end()) {
        const CpuId cpu = own->second.to_vector().front();
        const auto& cpus = team.cpus();
        const auto found = std::find(cpus.begin(), cpus.end(), cpu);
        if (found != cpus.end()) member = static_cast<std::size_t>(found - cpus.begin());
      }
      if (taken[member]) {
        later.push_back(node);
        continue;
      }
      taken[member] = true;
      members.push_back(member);
      served.push_back(node);
    }
    std::vector<std::optional<Result<NodeMemory>>> made(served.size());
    team.run(members, [&](std::size_t place) {
      const NodeId node = served[place];
      made[place].emplace(NodeMemory::make(
          os, {node, set.of_node.at(node), report.machine.nodes.size() == 1, report.modelled}));
    });
    for (std::size_t i = 0; i < served.size(); ++i) {
      if (!made[i]->has_value()) return made[i]->as_unexpected();
      memory.emplace(served[i], *std::move(*made[i]));
    }
    waiting = later;
  }
  return memory;
}

void note_memory(const std::map<NodeId, NodeMemory>& memory, Report& report) {
  for (const auto& [node, of_node] : memory) {
    const MemoryFacts& facts = of_node.facts();
    report.memory.push_back(facts);
    if (!facts.audited) {
      report.notes.push_back(
          fmt::format("the pages of node {} could not be audited: {}", node.value(), facts.why));
    } else if (facts.elsewhere > 0) {
      report.notes.push_back(fmt::format("{} of {} pages for node {} are elsewhere: {}",
                                         facts.elsewhere, facts.pages, node.value(),
                                         facts.why.empty() ? "moved by the kernel" : facts.why));
    }
  }
}

std::string words(const BandwidthItem& item) {
  return fmt::format("{}, {}", workloads::probe::traffic(item.kernel).name,
                     item.scope == Scope::one_cpu ? "one CPU" : "all CPUs of a node");
}

Result<void> measure_loads(Session& session, Report& report) {
  if (!session.plan.request.loaded) return {};
  for (NodeId from : session.plan.sources) {
    for (NodeId to : session.plan.targets) {
      const auto curve = measure_loaded(session, {from, to});
      if (!curve) return curve.as_unexpected();
      report.loaded.push_back(*curve);
    }
  }
  return {};
}

/// Every figure of the plan.
Result<void> measure_figures(Session& session, Report& report) {
  for (const LatencyItem& item : session.plan.latency) {
    const auto figure = measure_latency(session, item);
    if (!figure) return figure.as_unexpected();
    report.latency.push_back(*figure);
    session.figure_done(item.write ? "write latency" : "read latency");
  }
  for (const BandwidthItem& item : session.plan.bandwidth) {
    const auto figure = measure_bandwidth(session, item);
    if (!figure) return figure.as_unexpected();
    report.bandwidth.push_back(*figure);
    session.figure_done(words(item));
  }
  for (const TogetherItem& item : session.plan.together) {
    const auto figure = measure_together(session, item);
    if (!figure) return figure.as_unexpected();
    report.together.push_back(*figure);
    session.figure_done(item.kind == Together::local ? "all nodes, local"
                                                     : "all nodes, interleaved");
  }
  if (auto done = measure_loads(session, report); !done) return done;
  for (const CorePair& pair : session.plan.cores) {
    const auto figure = measure_cores(session, pair);
    if (!figure) return figure.as_unexpected();
    report.cores.push_back(*figure);
    session.figure_done("core to core");
  }
  return {};
}

/// By the names that `homenode topology` has for them.
std::vector<GpuFacts> facts_of(const GpuDriver& driver, const machine::Machine& machine) {
  std::vector<GpuFacts> gpus;
  for (const GpuIdentity& gpu : driver.gpus()) {
    GpuFacts facts{gpu.pci, gpu.pci, gpu.model, driver.name(), {}, {}};
    for (const machine::Device& device : machine.devices) {
      if (device.kind != "gpu" || device.pci != gpu.pci) continue;
      facts.name = device.name;
      facts.nodes = device.nodes;
    }
    gpus.push_back(std::move(facts));
  }
  return gpus;
}

void note_missing_kernels(const KernelSet& kernels, Report& report) {
  for (const auto& entry : workloads::probe::kernels()) {
    if (kernels.streams[static_cast<std::size_t>(entry.kernel)] != nullptr) continue;
    report.notes.push_back(
        fmt::format("the kernel {} does not exist for {}", entry.name, kernels.name));
  }
}

/// Other programs on the CPUs make figures worse in every run, so that no spread shows it.
void note_other_work(Report& report) {
  double most = 0.0;
  for (const LatencyFigure& figure : report.latency) most = std::max(most, figure.ns.away);
  for (const BandwidthFigure& figure : report.bandwidth) most = std::max(most, figure.mibs.away);
  for (const TogetherFigure& figure : report.together) most = std::max(most, figure.mibs.away);
  for (const CoreFigure& figure : report.cores) most = std::max(most, figure.ns.away);
  for (const LoadedCurve& curve : report.loaded) {
    for (const LoadedPoint& point : curve.points) {
      most = std::max({most, point.latency_ns.away, point.injected_mibs.away});
    }
  }
  if (most <= noisy_spread) return;
  report.notes.push_back(
      fmt::format("the CPUs did other work for up to {:.0f} % of the time of a figure: figures "
                  "with ~ say little of the machine; measure again when it is idle",
                  100 * most));
}

}  // namespace

Result<Report> measure_machine(const Instruments& instruments, const machine::Machine& machine,
                               const Request& request) {
  const std::uint64_t begin_ps = instruments.clock.now_ps(0);
  auto plan = make_plan(machine, request);
  if (!plan) return plan.as_unexpected();
  const auto kernels = choose_kernels(request);
  if (!kernels) return kernels.as_unexpected();
  const auto free = machine::free_memory(instruments.os, plan->targets);
  Bytes all;
  for (const machine::Node& node : machine.nodes) all.value += node.memory.value;
  const auto set = choose_working_set(machine, *plan, free,
                                      machine::available_memory(instruments.os).value_or(all));
  if (!set) return set.as_unexpected();

  Report report;
  report.machine = machine;
  if (instruments.gpus != nullptr && !instruments.clock.modelled()) {
    report.gpus = facts_of(*instruments.gpus, machine);
    plan_gpus(report.gpus.size(), *plan);
  }
  report.plan = *plan;
  report.notes = plan->notes;
  report.modelled = instruments.clock.modelled();
  report.isa = (*kernels)->name;
  note_missing_kernels(**kernels, report);
  const auto team = Team::start(instruments.os, cpus_of(*plan));
  if (!team) return team.as_unexpected();
  auto memory = make_memory(instruments.os, report, **team, *set);
  if (!memory) return memory.as_unexpected();
  note_memory(*memory, report);

  Session session{instruments.clock, **team,   *plan, **kernels, *memory,
                  instruments.say,   begin_ps, 0,     {}};
  hn_marker_begin();
  auto done = measure_figures(session, report);
  const std::uint64_t end_ps = instruments.clock.now_ps(0);
  hn_marker_end();
  if (!done) return done.as_unexpected();
  if (!report.plan.gpus.empty()) measure_gpus(session, *instruments.gpus, report);
  note_other_work(report);
  report.seconds = static_cast<double>(end_ps - begin_ps) * 1e-12;
  if (request.weights) report.weights = interleave_weights(report);
  return report;
}

}  // namespace homenode::measure
