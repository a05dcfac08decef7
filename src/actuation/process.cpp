#include "actuation/process.h"

#include <fmt/format.h>
#include <linux/mempolicy.h>

#include "actuation/kernel_policy.h"
#include "actuation/refusal.h"
#include "base/id_list.h"

// Headers of older distributions lack these; the kernel's numbers never change.
#ifndef MPOL_F_NUMA_BALANCING
#define MPOL_F_NUMA_BALANCING (1 << 13)
#endif

namespace homenode::actuation {
namespace {

// These are enumerators, so that #ifdef cannot ask for them.
constexpr int mpol_preferred_many = 5;
constexpr int mpol_weighted_interleave = 6;

}  // namespace

using placement::Policy;
using placement::PolicyKind;

int kernel_mode(const Policy& policy) {
  const int flags = policy.numa_balancing ? MPOL_F_NUMA_BALANCING : 0;
  switch (policy.kind) {
    case PolicyKind::default_policy:
      return MPOL_DEFAULT;
    case PolicyKind::local:
      return MPOL_LOCAL;
    case PolicyKind::bind:
      return MPOL_BIND | flags;
    case PolicyKind::preferred:
      return MPOL_PREFERRED;
    case PolicyKind::preferred_many:
      return mpol_preferred_many;
    case PolicyKind::interleave:
      return MPOL_INTERLEAVE;
    case PolicyKind::weighted_interleave:
      return mpol_weighted_interleave;
  }
  return MPOL_DEFAULT;
}

std::string kernel_needed(const Policy& policy) {
  if (policy.kind == PolicyKind::weighted_interleave) return "6.9";
  if (policy.kind == PolicyKind::preferred_many) return "5.15";
  if (policy.numa_balancing) return "5.12";
  return "";
}

std::string describe(const Policy& policy) {
  std::string text = to_string(policy.kind);
  if (policy.numa_balancing) text += " with balancing";
  if (!policy.nodes.empty()) text += " on the nodes " + to_list(policy.nodes);
  if (policy.home_node) text += fmt::format(" at home on the node {}", policy.home_node->value());
  return text;
}

Result<void> set_process_policy(os::Os& os, const Policy& policy) {
  if (const auto valid = validate(policy); !valid) return valid.as_unexpected();
  if (policy.home_node) {
    return bad_usage(
        "cannot give all memory the memory policy " + describe(policy),
        "leave the home node out, or give it to regions: only address ranges have one");
  }
  const int result = os.set_mempolicy(kernel_mode(policy), policy.nodes);
  if (result < 0) {
    return refusal(os,
                   {.call = Call::set_mempolicy,
                    .tried = "cannot set the memory policy " + describe(policy),
                    .nodes = policy.nodes,
                    .kernel_needed = kernel_needed(policy)},
                   result);
  }
  return {};
}

Result<void> bind_thread(os::Os& os, pid_t thread, const CpuSet& cpus) {
  if (cpus.empty()) {
    return bad_usage("cannot bind a thread to no CPU at all", "name at least one CPU");
  }
  const int result = os.sched_setaffinity(thread, cpus);
  if (result < 0) {
    const std::string who = thread == 0 ? "this thread" : fmt::format("the thread {}", thread);
    return refusal(os,
                   {.call = Call::sched_setaffinity,
                    .tried = fmt::format("cannot bind {} to the CPUs {}", who, to_list(cpus)),
                    .cpus = cpus},
                   result);
  }
  return {};
}

}  // namespace homenode::actuation
