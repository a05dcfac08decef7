#include "launch/plan.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <utility>

#include "actuation/refusal.h"
#include "base/id_list.h"
#include "launch/allocation_objects.h"
#include "machine/devices/devices.h"

namespace homenode::launch {
namespace {

using Kind = RunSetting::Kind;

/// Of no policy: a kernel that lets the call through refuses it with EINVAL.
constexpr int no_mode = 255;

bool is_list_of_nodes(Kind kind) {
  return takes_list(kind) && kind != Kind::physcpubind && kind != Kind::per_rank;
}

/// Finds the nodes where the setting names a device.
Result<void> look_up(os::Os& os, RunSetting& setting) {
  if (setting.kind == Kind::near) {
    const auto node = machine::node_near(os, setting.text());
    if (!node) return node.as_unexpected();
    setting.value = NodeSet{*node};
  } else if (is_list_of_nodes(setting.kind)) {
    auto list = machine::find_device(os, setting.text());
    if (!list) return list.as_unexpected();
    setting.value = *std::move(list);
  }
  return {};
}

/// Which rank to plan for: a given one, or the one that this process is.
Result<LocalRank> wanted_rank(std::optional<unsigned> given) {
  if (given) return LocalRank{*given, ""};
  return find_local_rank([](const char* name) { return std::getenv(name); });
}

/// Finds the rank and its nodes, of those that the lists of the other settings leave.
Result<void> look_up_rank(const machine::Machine& machine, std::optional<unsigned> given,
                          std::vector<RunSetting>& settings, std::optional<LocalRank>& rank) {
  for (RunSetting& setting : settings) {
    const auto* const domain = std::get_if<RankDomain>(&setting.value);
    if (domain == nullptr) continue;
    const auto bound = bound_cpus(machine, settings);
    if (!bound) return bound.as_unexpected();
    auto found = wanted_rank(given);
    if (!found) return found.as_unexpected();
    const auto taken = domains_of_ranks(machine, bound->value_or(machine.allowed_cpus), *domain);
    if (!taken) return taken.as_unexpected();
    rank = *std::move(found);
    rank->domains = taken->size();
    rank->nodes = (*taken)[rank->rank % rank->domains];
    setting.value = rank->nodes;
  }
  return {};
}

/// Threads go where the process may run: beside --per-rank each rank has its part of the map.
Result<void> join_threads(RunPlan& plan) {
  if (!plan.threads.threads) return {};
  if (plan.rank) {
    auto own = threads_of_rank(*plan.threads.threads, *plan.process.process_cpus, *plan.rank);
    if (!own) return own.as_unexpected();
    plan.threads.threads = *std::move(own);
  }
  if (plan.rank || !plan.process.process_cpus) {
    plan.process.process_cpus = plan.threads.process_cpus();
  }
  return {};
}

/// All that needs no look into the program. `given`: for which rank, instead of this process's.
Result<RunPlan> plan_without_names(os::Os& os, const machine::Machine& machine,
                                   const RunRequest& request, std::optional<unsigned> given) {
  RunPlan plan;
  std::vector<RunSetting> settings = request.settings;
  for (RunSetting& setting : settings) {
    if (const auto done = look_up(os, setting); !done) return done.as_unexpected();
  }
  const auto ranked = look_up_rank(machine, given, settings, plan.rank);
  if (!ranked) return ranked.as_unexpected();
  auto process = resolve(machine, settings);
  if (!process) return process.as_unexpected();
  plan.process = std::move(*process);
  auto threads = plan_threads(machine, request.threads);
  if (!threads) return threads.as_unexpected();
  plan.threads = std::move(*threads);
  if (const auto joined = join_threads(plan); !joined) return joined.as_unexpected();
  plan.program = request.program;
  return plan;
}

/// Adds what each rank of a host gets to the plan for the first one. pre: plan.rank.
Result<void> add_ranks(os::Os& os, const machine::Machine& machine, const RunRequest& request,
                       RunPlan& plan) {
  plan.process_by_rank = {plan.process};
  for (unsigned rank = 1; rank < plan.rank->domains; ++rank) {
    auto next = plan_without_names(os, machine, request, rank);
    if (!next) return next.as_unexpected();
    plan.process_by_rank.push_back(std::move(next->process));
  }
  return {};
}

/// True for what only the full command knows: packages, and hosts by name
/// (machine/devices/network.cpp).
bool needs_full_command(const RunSetting& setting) {
  if (const auto* domain = std::get_if<RankDomain>(&setting.value)) {
    return *domain == RankDomain::package;
  }
  const auto* text = std::get_if<std::string>(&setting.value);
  return text != nullptr && text->find("ip:") != std::string::npos;
}

}  // namespace

std::string policy_text(const placement::Policy& policy) {
  std::string text = to_string(policy.kind) + (policy.numa_balancing ? ", balanced" : "");
  if (!policy.nodes.empty()) text += ", nodes " + to_list(policy.nodes);
  return text;
}

std::size_t thread_entries(const ThreadPlan& plan) {
  return std::max(plan.threads ? plan.threads->cpus_by_rank.size() : 0, plan.memory_by_rank.size());
}

bool needs_machine(const RunRequest& request) {
  return request.threads.needs_agent() ||
         std::any_of(request.settings.begin(), request.settings.end(),
                     [](const RunSetting& setting) { return takes_list(setting.kind); });
}

bool needs_full_machine(const RunRequest& request) {
  return needs_topology(request.threads) ||
         std::any_of(request.settings.begin(), request.settings.end(), needs_full_command);
}

Result<RunPlan> make_run_plan(os::Os& os, const machine::Machine& machine,
                              const RunRequest& request) {
  const auto first = request.all_ranks ? std::optional<unsigned>(0U) : std::nullopt;
  auto plan = plan_without_names(os, machine, request, first);
  if (!plan) return plan;
  if (request.all_ranks && plan->rank) {
    const auto added = add_ranks(os, machine, request, *plan);
    if (!added) return added.as_unexpected();
  }
  if (plan->threads.allocations.empty()) return plan;
  const auto absence = find_names(os, plan->threads, plan->program);
  if (!absence) return absence.as_unexpected();
  plan->absence = *absence;
  return plan;
}

std::string find_policy_refusal(os::Os& os) {
  const auto told = [&os](actuation::Call call, const char* tried, int result) {
    return actuation::refusal(os, {.call = call, .tried = tried}, result).take().message();
  };
  using actuation::Call;
  int mode = 0;
  NodeSet nodes;
  if (const int asked = os.get_mempolicy(mode, nodes); asked < 0) {
    return told(Call::get_mempolicy, "cannot ask for or set a memory policy", asked);
  }
  const auto is_forbidden = [](int result) { return result == -EPERM || result == -ENOSYS; };
  if (const int set = os.set_mempolicy(no_mode, {}); is_forbidden(set)) {
    return told(Call::set_mempolicy, "cannot set a memory policy", set);
  }
  if (const int bound = os.mbind(nullptr, 0, no_mode, {}, 0); is_forbidden(bound)) {
    return told(Call::mbind, "cannot set the memory policy of an address range", bound);
  }
  return "";
}

}  // namespace homenode::launch
