#include "launch/plan.h"

#include <algorithm>
#include <cstdlib>

#include "actuation/refusal.h"
#include "base/id_list.h"
#include "launch/allocation_objects.h"
#include "machine/devices/devices.h"

namespace homenode::launch {
namespace {

using Kind = RunSetting::Kind;

bool is_list_of_nodes(Kind kind) {
  return takes_list(kind) && kind != Kind::physcpubind;
}

/// Finds the nodes where the setting names a device or a rank.
Result<void> look_up(os::Os& os, const machine::Machine& machine, RunSetting& setting,
                     std::optional<LocalRank>& rank) {
  if (setting.kind == Kind::near) {
    const auto node = machine::node_near(os, setting.text());
    if (!node) return node.as_unexpected();
    setting.value = NodeSet{*node};
  } else if (setting.kind == Kind::per_rank) {
    auto found = find_local_rank([](const char* name) { return std::getenv(name); });
    if (!found) return found.as_unexpected();
    auto nodes = nodes_of_rank(machine, std::get<RankDomain>(setting.value), found->rank);
    if (!nodes) return nodes.as_unexpected();
    setting.value = *std::move(nodes);
    rank = std::move(*found);
  } else if (is_list_of_nodes(setting.kind)) {
    auto list = machine::find_device(os, setting.text());
    if (!list) return list.as_unexpected();
    setting.value = *std::move(list);
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
  RunPlan plan;
  std::vector<RunSetting> settings = request.settings;
  for (RunSetting& setting : settings) {
    if (const auto done = look_up(os, machine, setting, plan.rank); !done) {
      return done.as_unexpected();
    }
  }
  auto process = resolve(machine, settings);
  if (!process) return process.as_unexpected();
  plan.process = std::move(*process);
  auto threads = plan_threads(machine, request.threads);
  if (!threads) return threads.as_unexpected();
  plan.threads = std::move(*threads);
  if (plan.threads.threads && !plan.process.process_cpus) {
    plan.process.process_cpus = plan.threads.process_cpus();
  }
  plan.program = request.program;
  if (plan.threads.allocations.empty()) return plan;
  const auto absence = find_names(os, plan.threads, plan.program);
  if (!absence) return absence.as_unexpected();
  plan.absence = *absence;
  return plan;
}

std::string find_policy_refusal(os::Os& os) {
  int mode = 0;
  NodeSet nodes;
  const int result = os.get_mempolicy(mode, nodes);
  if (result >= 0) return "";
  return actuation::refusal(os,
                            {.call = actuation::Call::get_mempolicy,
                             .tried = "cannot ask for or set a memory policy"},
                            result)
      .take()
      .message();
}

}  // namespace homenode::launch
