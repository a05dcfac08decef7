#include "launch/threads.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "base/heap_header.h"
#include "base/id_list.h"
#include "launch/agent.h"
#include "launch/allocations.h"
#include "placement/policies/memory_rule.h"
#include "placement/threads/expression.h"

namespace homenode::launch {
namespace {

using placement::Policy;

/// A thread's policy: what set_mempolicy(2) can do.
Result<Policy> parse_thread_policy(const machine::Machine& machine, std::string_view text,
                                   std::string_view option) {
  const auto rule = parse_allowed_rule(machine, text);
  if (!rule) return rule.as_unexpected();
  const auto* policy = std::get_if<Policy>(&rule->how);
  if (policy == nullptr) {
    return not_supported(
        fmt::format("{} cannot take '{}': a thread has a policy of the kernel, and "
                    "this rule is for memory whose size is known",
                    option, text),
        "choose local, bind, preferred, preferred-many, interleave or "
        "weighted-interleave, or use --place for large allocations");
  }
  if (policy->home_node) {
    return not_supported(fmt::format("{} cannot take '{}': the kernel has home nodes for address "
                                     "ranges only, not for threads",
                                     option, text),
                         "leave home= out");
  }
  return *policy;
}

Result<std::vector<Policy>> parse_policies(const machine::Machine& machine, std::string_view text) {
  std::vector<Policy> policies;
  for (;;) {
    const std::size_t end = text.find('/');
    auto policy = parse_thread_policy(machine, text.substr(0, end), "--thread-memory");
    if (!policy) return policy.as_unexpected();
    policies.push_back(*std::move(policy));
    if (end == std::string_view::npos) return policies;
    text.remove_prefix(end + 1);
  }
}

Result<std::vector<unsigned>> parse_skipped(const std::string& text) {
  // The kernel's list form, whatever its numbers stand for.
  const auto numbers = parse_cpu_list(text);
  if (!numbers || numbers->empty()) {
    return bad_usage(fmt::format("cannot read --skip-threads '{}'", text),
                     "write numbers of threads in creation order, such as 1 or 0,2-3; 0 is the "
                     "main thread");
  }
  std::vector<unsigned> skipped;
  for (CpuId number : numbers->to_vector()) skipped.push_back(number.value());
  return skipped;
}

Result<void> check_malloc(const ThreadRequest& request) {
  const std::string& policy = request.malloc_policy;
  if (policy.empty()) return {};
  if (std::find(std::begin(heap::policy_names), std::end(heap::policy_names), policy) ==
      std::end(heap::policy_names)) {
    return bad_usage(fmt::format("homenode's malloc has no policy '{}'", policy),
                     fmt::format("choose one of: {}", fmt::join(heap::policy_names, ", ")));
  }
  if (!request.heap.empty() || !request.place.empty()) {
    return bad_usage("--malloc, --heap and --place all set where allocations go",
                     "choose --malloc, or the others");
  }
  return {};
}

/// Options that exclude each other, or that need another one.
Result<void> check_together(const ThreadRequest& request) {
  if (!request.heap.empty() && request.sets_thread_memory()) {
    return bad_usage("--heap and --thread-memory both set the policy of every thread",
                     "choose one of them; --place goes with either");
  }
  if (!request.skip_threads.empty() && request.threads.empty() && !request.sets_thread_memory()) {
    return bad_usage("--skip-threads only works with --threads or --thread-memory",
                     "add one of them");
  }
  if (request.verbose && request.place.empty()) {
    return bad_usage("--verbose only works with --place", "add --place, or leave --verbose out");
  }
  return check_malloc(request);
}

/// A policy that is known already: on all nodes that may be used where it names none.
Result<Policy> complete(const machine::Machine& machine, Policy policy) {
  if (policy.nodes.empty()) policy.nodes = machine.allowed_nodes & machine.nodes_with_memory();
  if (const auto valid = validate(policy); !valid) return valid.as_unexpected();
  const placement::MemoryRule rule{policy};
  if (const auto allowed = check_allowed(machine, rule, to_string(rule)); !allowed) {
    return allowed.as_unexpected();
  }
  return policy;
}

/// The policies of the threads: as text, or known already.
Result<std::vector<Policy>> thread_policies(const machine::Machine& machine,
                                            const ThreadRequest& request) {
  if (!request.thread_memory.empty()) return parse_policies(machine, request.thread_memory);
  std::vector<Policy> policies;
  for (const Policy& given : request.thread_policies) {
    auto policy = complete(machine, given);
    if (!policy) return policy.as_unexpected();
    policies.push_back(*std::move(policy));
  }
  return policies;
}

/// What the options ask for the threads themselves: CPUs, policies, and which are left out.
Result<void> place_threads(const machine::Machine& machine, const ThreadRequest& request,
                           ThreadPlan& plan) {
  if (!request.threads.empty()) {
    auto threads = placement::parse_thread_expression(machine, request.threads);
    if (!threads) return threads.as_unexpected();
    plan.threads = *std::move(threads);
  }
  auto policies = thread_policies(machine, request);
  if (!policies) return policies.as_unexpected();
  plan.memory_by_rank = *std::move(policies);
  if (request.skip_threads.empty()) return {};
  auto skipped = parse_skipped(request.skip_threads);
  if (!skipped) return skipped.as_unexpected();
  plan.skipped = *std::move(skipped);
  return {};
}

/// What they ask for the memory that the program allocates.
Result<void> place_allocations(const machine::Machine& machine, const ThreadRequest& request,
                               ThreadPlan& plan) {
  if (!request.heap.empty()) {
    auto heap = parse_thread_policy(machine, request.heap, "--heap");
    if (!heap) return heap.as_unexpected();
    plan.heap = *std::move(heap);
  }
  for (const std::string& text : request.place) {
    auto rule = parse_allocation_rule(machine, text);
    if (!rule) return rule.as_unexpected();
    plan.allocations.push_back(*std::move(rule));
  }
  return {};
}

}  // namespace

bool ThreadRequest::sets_thread_memory() const {
  return !thread_memory.empty() || !thread_policies.empty();
}

bool ThreadRequest::needs_agent() const {
  return !threads.empty() || sets_thread_memory() || !skip_threads.empty() || !heap.empty() ||
         !place.empty() || !malloc_policy.empty();
}

CpuSet ThreadPlan::process_cpus() const {
  CpuSet cpus;
  if (!threads) return cpus;
  for (const CpuSet& of_rank : threads->cpus_by_rank) cpus = cpus | of_rank;
  return cpus;
}

bool ThreadPlan::sets_policies() const {
  return heap || !memory_by_rank.empty() || !allocations.empty() ||
         (!malloc_policy.empty() && malloc_policy != "local");
}

const Policy* ThreadPlan::memory_of(std::size_t rank) const {
  if (!memory_by_rank.empty()) return &memory_by_rank[rank % memory_by_rank.size()];
  return heap ? &*heap : nullptr;
}

bool needs_topology(const ThreadRequest& request) {
  if (std::any_of(request.place.begin(), request.place.end(), asks_for_machine_weights))
    return true;
  return std::any_of(request.threads.begin(), request.threads.end(),
                     [](char c) { return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z'); });
}

Result<ThreadPlan> plan_threads(const machine::Machine& machine, const ThreadRequest& request) {
  if (const auto fit = check_together(request); !fit) return fit.as_unexpected();
  if (!request.needs_agent()) return ThreadPlan{};
  ThreadPlan plan;
  plan.count_forks = request.count_forks;
  plan.malloc_policy = request.malloc_policy;
  plan.verbose = request.verbose;
  if (const auto placed = place_threads(machine, request, plan); !placed) {
    return placed.as_unexpected();
  }
  if (const auto placed = place_allocations(machine, request, plan); !placed) {
    return placed.as_unexpected();
  }
  if (const auto fits = check_wire_fits(plan); !fits) return fits.as_unexpected();
  return plan;
}

}  // namespace homenode::launch
