#include "launch/start.h"

#include <fmt/format.h>

#include <cassert>
#include <cerrno>
#include <cstdlib>

#include "actuation/process.h"
#include "base/id_list.h"
#include "launch/agent.h"
#include "launch/target.h"

namespace homenode::launch {
namespace {

std::string variable(const std::string& name) {
  const char* const value = std::getenv(name.c_str());
  return value != nullptr ? value : "";
}

/// The kernel binds to those of the CPUs that the cpuset allows and is silent about the others.
/// Names the nodes of which it leaves none.
Notes lost_nodes(os::Os& os, const machine::Machine& machine, const CpuSet& asked) {
  CpuSet left;
  if (asked.is_subset_of(machine.allowed_cpus) || os.sched_getaffinity(0, left) < 0) return {};
  NodeSet lost;
  for (const machine::Node& node : machine.nodes) {
    const CpuSet of_node = node.cpus & asked;
    if (!of_node.empty() && (of_node & left).empty()) lost.insert(node.id);
  }
  if (lost.empty()) return {};
  return {fmt::format("the cpuset of this process allows no CPU of {} {}: it runs on the CPUs {}",
                      lost.size() == 1 ? "node" : "nodes", to_list(lost), to_list(left & asked))};
}

}  // namespace

Result<Notes> apply_to_process(os::Os& os, const machine::Machine& machine,
                               const placement::Placement& placement) {
  assert(is_valid(placement));
  Notes notes;
  if (placement.process_cpus) {
    const auto bound = actuation::bind_thread(os, 0, *placement.process_cpus);
    if (!bound) return bound.as_unexpected();
    notes = lost_nodes(os, machine, *placement.process_cpus);
  }
  if (!placement.process_memory) return notes;
  placement::Policy policy = *placement.process_memory;
  const auto set = actuation::set_process_policy(os, policy);
  if (set) return notes;
  if (!policy.numa_balancing || set.error().errno_value != EINVAL) return set.as_unexpected();
  // As numactl: balancing is a wish, the bind is not.
  policy.numa_balancing = false;
  const auto plain = actuation::set_process_policy(os, policy);
  if (!plain) return plain.as_unexpected();
  notes.emplace_back(
      "this kernel does not balance within a bind (Linux 5.12 does); bound without it");
  return notes;
}

Result<Notes> prepare_agent(os::Os& os, const RunPlan& plan, const std::string& executable) {
  const bool malloc_alone = !plan.threads.malloc_policy.empty() && !plan.threads.threads &&
                            plan.threads.memory_by_rank.empty();
  auto notes = malloc_alone ? check_agent_can_enter(os, plan.program.front(),
                                                    "give homenode's malloc (--malloc) to")
                            : check_agent_can_enter(os, plan.program.front());
  if (!notes) return notes.as_unexpected();
  const auto folder = agent_folder(os, executable, variable("HOMENODE_LIBEXEC"));
  if (!folder) return folder.as_unexpected();
  for (std::string& conflict : agent_conflicts(plan.threads, variable)) {
    notes->push_back(std::move(conflict));
  }
  ThreadPlan threads = plan.threads;
  if (threads.sets_policies()) {
    if (const std::string refusal = find_policy_refusal(os); !refusal.empty()) {
      notes->push_back("the program's memory stays where it would be without homenode: " + refusal);
      threads.refusal_reported = true;
    }
  }
  for (const auto& [name, value] : agent_environment(threads, *folder, variable)) {
    setenv(name.c_str(), value.c_str(), 1);
  }
  return notes;
}

int start_program(os::Os& os, const std::vector<std::string>& program) {
  return os.execute(program);
}

Error not_started(const std::string& program, int result) {
  return failed(fmt::format("cannot start '{}'", program),
                result == -ENOENT
                    ? "check the name and PATH; for a script, the interpreter in its first line"
                    : "check that it is an executable file for this machine",
                -result)
      .take();
}

}  // namespace homenode::launch
