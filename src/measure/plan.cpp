#include "measure/plan.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/id_list.h"

namespace homenode::measure {
namespace {

constexpr double quick_budget_s = 16.0;
constexpr double full_budget_s = 52.0;
constexpr unsigned quick_runs = 3;
constexpr unsigned full_runs = 5;

/// The nodes that an option names, or all that are usable.
Result<std::vector<NodeId>> chosen(const char* option, const NodeSet& wanted, const NodeSet& usable,
                                   const char* lacking) {
  const NodeSet unusable = wanted - usable;
  if (!unusable.empty()) {
    return bad_usage(
        fmt::format("{} names {}, which {}", option, to_list(unusable), lacking),
        usable.empty() ? "leave the option out" : "choose among the nodes " + to_list(usable));
  }
  return (wanted.empty() ? usable : wanted).to_vector();
}

void note_what_is_left_out(const machine::Machine& machine, Plan& plan) {
  for (const machine::Node& node : machine.nodes) {
    const CpuSet allowed = node.cpus & machine.allowed_cpus;
    const auto add = [&](const std::string& what) {
      plan.notes.push_back(fmt::format("node {} {}", node.id.value(), what));
    };
    if (node.cpus.empty()) {
      add("has no CPUs: it is measured as a target only");
    } else if (allowed.empty()) {
      add("is measured as a target only: affinity or cpuset of this process forbid its CPUs");
    } else if (allowed != node.cpus) {
      add(fmt::format("is measured without its CPUs {}, which this process may not use",
                      to_list(node.cpus - allowed)));
    }
    if (node.memory.value == 0) {
      add("has no memory: it is measured as a source only");
    } else if (!machine.allowed_nodes.contains(node.id)) {
      add("is measured as a source only: the cpuset of this process forbids its memory");
    }
  }
}

std::vector<Kernel> kernels_for(const Request& request, Scope scope) {
  if (!request.kernels.empty()) return request.kernels;
  if (request.quick && scope == Scope::one_cpu) return {Kernel::read};
  if (request.quick) return {Kernel::read, Kernel::write_nt, Kernel::copy, Kernel::triad};
  std::vector<Kernel> all;
  for (const auto& entry : workloads::probe::kernels()) all.push_back(entry.kernel);
  return all;
}

std::vector<Pair> pairs_of(const Plan& plan) {
  std::vector<Pair> pairs;
  for (NodeId from : plan.sources) {
    for (NodeId to : plan.targets) pairs.push_back({from, to});
  }
  return pairs;
}

void plan_latency(Plan& plan) {
  for (bool write : {false, true}) {
    for (const Pair& pair : pairs_of(plan)) plan.latency.push_back({pair, write});
  }
}

/// Where a node has CPUs enough to load its memory and to measure beside that.
void plan_loaded(Plan& plan) {
  plan.idle_rounds = plan.request.quick ? std::vector<std::size_t>{4096, 512, 0}
                                        : std::vector<std::size_t>{16384, 4096, 1024, 256, 64, 0};
  for (const Pair& pair : pairs_of(plan)) {
    if (plan.cpus_of.at(pair.from).size() > 1) plan.loaded.push_back(pair);
  }
}

/// One kernel after the other over all pairs: what a kernel leaves in the caches is then what the
/// next figure of the same kernel finds.
void plan_bandwidth(Plan& plan) {
  const Request& request = plan.request;
  if (request.bandwidth) {
    for (Scope scope : {Scope::one_cpu, Scope::all_cpus}) {
      for (Kernel kernel : kernels_for(request, scope)) {
        for (const Pair& pair : pairs_of(plan)) {
          // With one CPU, both are the same.
          if (scope == Scope::one_cpu && plan.cpus_of.at(pair.from).size() == 1) continue;
          plan.bandwidth.push_back({kernel, scope, pair});
        }
      }
    }
    for (Together kind : {Together::local, Together::interleaved}) {
      for (Kernel kernel : kernels_for(request, Scope::all_cpus)) {
        plan.together.push_back({kernel, kind});
      }
    }
  } else if (request.weights) {
    const Kernel kernel = kernels_for(request, Scope::all_cpus).front();
    for (const Pair& pair : pairs_of(plan)) {
      plan.bandwidth.push_back({kernel, Scope::all_cpus, pair});
    }
  }
}

void plan_cores(Plan& plan) {
  CpuSet all;
  for (const NodeId source : plan.sources) all = all | plan.cpus_of.at(source);
  const std::vector<CpuId> cpus = all.to_vector();
  for (const CpuId reader : cpus) {
    for (const CpuId owner : cpus) {
      if (owner != reader) plan.cores.push_back({reader, owner});
    }
  }
  if (plan.cores.empty()) plan.notes.emplace_back("one CPU alone has no core-to-core latency");
}

}  // namespace

std::size_t Plan::figures() const {
  return latency.size() + bandwidth.size() + together.size() + loaded.size() * idle_rounds.size() +
         cores.size() + figures_of_gpu_item * gpus.size();
}

Kernel Plan::weights_kernel() const {
  const auto is_read = [](const BandwidthItem& item) { return item.kernel == Kernel::read; };
  return std::any_of(bandwidth.begin(), bandwidth.end(), is_read) ? Kernel::read
                                                                  : bandwidth.front().kernel;
}

Result<Plan> make_plan(const machine::Machine& machine, const Request& request) {
  Plan plan;
  plan.request = request;
  NodeSet with_cpus;
  for (const machine::Node& node : machine.nodes) {
    const CpuSet allowed = node.cpus & machine.allowed_cpus;
    if (allowed.empty()) continue;
    with_cpus.insert(node.id);
    plan.cpus_of[node.id] = allowed;
  }
  const NodeSet with_memory = machine.nodes_with_memory() & machine.allowed_nodes;
  if (with_cpus.empty() || with_memory.empty()) {
    return not_supported("this process may use no CPU or no memory of this machine",
                         "run it in a cpuset that allows a CPU and a node's memory");
  }
  auto sources = chosen("--from", request.from, with_cpus, "has no CPU that this process may use");
  if (!sources) return sources.as_unexpected();
  auto targets = chosen("--to", request.to, with_memory,
                        "has no memory that this process may "
                        "use");
  if (!targets) return targets.as_unexpected();
  plan.sources = *std::move(sources);
  plan.targets = *std::move(targets);
  note_what_is_left_out(machine, plan);

  if (request.latency) plan_latency(plan);
  plan_bandwidth(plan);
  if (request.loaded) plan_loaded(plan);
  if (request.cores) plan_cores(plan);
  plan.runs = request.runs.value_or(request.quick ? quick_runs : full_runs);
  plan.budget_s = request.quick ? quick_budget_s : full_budget_s;
  return plan;
}

void plan_gpus(std::size_t count, Plan& plan) {
  if (!plan.request.gpus) return;
  for (std::size_t gpu = 0; gpu < count; ++gpu) {
    for (const NodeId to : plan.targets) plan.gpus.push_back({gpu, to});
  }
}

}  // namespace homenode::measure
