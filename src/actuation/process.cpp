#include "actuation/process.h"

#include <fmt/format.h>
#include <linux/mempolicy.h>

#include <cassert>
#include <cstdint>

#include "actuation/refusal.h"
#include "base/id_list.h"

// Headers of older distributions lack these; the kernel's numbers never change.
#ifndef MPOL_F_NUMA_BALANCING
#define MPOL_F_NUMA_BALANCING (1 << 13)
#endif

namespace homenode::actuation {

using placement::Policy;
using placement::PolicyKind;

namespace {

struct KernelNumber {
  PolicyKind kind;
  int number;
};

// 5 and 6 are enumerators that headers of older distributions lack, and #ifdef cannot ask for them.
constexpr KernelNumber kernel_numbers[] = {
    {PolicyKind::default_policy, MPOL_DEFAULT},
    {PolicyKind::local, MPOL_LOCAL},
    {PolicyKind::bind, MPOL_BIND},
    {PolicyKind::preferred, MPOL_PREFERRED},
    {PolicyKind::preferred_many, 5},
    {PolicyKind::interleave, MPOL_INTERLEAVE},
    {PolicyKind::weighted_interleave, 6},
};

}  // namespace

int kernel_mode(const Policy& policy) {
  const int flags = policy.numa_balancing ? MPOL_F_NUMA_BALANCING : 0;
  for (const KernelNumber& known : kernel_numbers) {
    if (known.kind == policy.kind) return known.number | flags;
  }
  return MPOL_DEFAULT;
}

std::optional<PolicyKind> policy_kind_of(int mode) {
  for (const KernelNumber& known : kernel_numbers) {
    if (known.number == kernel_number(mode)) return known.kind;
  }
  return std::nullopt;
}

int kernel_number(int mode) {
  return mode & ~(MPOL_F_STATIC_NODES | MPOL_F_RELATIVE_NODES | MPOL_F_NUMA_BALANCING);
}

bool has_balancing(int mode) {
  return (mode & MPOL_F_NUMA_BALANCING) != 0;
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
  if (policy.home_node) text += fmt::format(" with home node {}", policy.home_node->value());
  return text;
}

Result<void> set_process_policy(os::Os& os, const Policy& policy) {
  if (const auto valid = validate(policy); !valid) return valid.as_unexpected();
  if (policy.home_node) {
    return bad_usage(
        "a whole process cannot have the memory policy " + describe(policy),
        "leave out the home node, or set it for regions: only address ranges have one");
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
    return bad_usage("cannot bind a thread to an empty set of CPUs", "name at least one CPU");
  }
  const int result = os.sched_setaffinity(thread, cpus);
  if (result < 0) {
    const std::string who = thread == 0 ? "this thread" : fmt::format("thread {}", thread);
    return refusal(os,
                   {.call = Call::sched_setaffinity,
                    .tried = fmt::format("cannot bind {} to the CPUs {}", who, to_list(cpus)),
                    .cpus = cpus},
                   result);
  }
  return {};
}

Result<void> bind_region(os::Os& os, Region region, const placement::Policy& policy,
                         unsigned flags) {
  assert(reinterpret_cast<std::uintptr_t>(region.address) % os.page_bytes() == 0);
  if (const auto valid = validate(policy); !valid) return valid.as_unexpected();
  if (region.bytes == 0) return {};
  const std::string tried = fmt::format("cannot set the memory policy {} on {} bytes at {}",
                                        describe(policy), region.bytes, region.address);
  const int bound =
      os.mbind(region.address, region.bytes, kernel_mode(policy), policy.nodes, flags);
  if (bound < 0) {
    return refusal(os,
                   {.call = Call::mbind,
                    .tried = tried,
                    .nodes = policy.nodes,
                    .kernel_needed = kernel_needed(policy)},
                   bound);
  }
  if (!policy.home_node) return {};
  // Each mbind makes a policy without a home, so this comes after it, every time.
  const int at_home = os.set_home_node(region.address, region.bytes, *policy.home_node);
  if (at_home < 0) {
    return refusal(os,
                   {.call = Call::set_home_node,
                    .tried = tried + " (it is set, but without its home node)",
                    .nodes = NodeSet{*policy.home_node}},
                   at_home);
  }
  return {};
}

}  // namespace homenode::actuation
