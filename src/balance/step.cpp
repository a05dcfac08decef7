#include "balance/step.h"

#include "balance/plan.h"

namespace homenode::balance {
namespace {

/// Processes that were not seen for so long are forgotten.
constexpr double forgotten_after_s = 600;

std::map<NodeId, double> cpus_of(const Observation& seen, const Decision& decision) {
  ThreadNodes nodes = nodes_of(seen);
  for (const ThreadMove& move : decision.threads) nodes[move.thread] = move.node;
  std::map<NodeId, double> cpus;
  for (const Thread& thread : seen.threads) cpus[nodes.at(thread.key)] += thread.cpus;
  return cpus;
}

}  // namespace

Step step(State state, double now_s, const std::vector<Observation>& seen,
          const machine::Machine& machine, const Costs& costs, const Limits& limits) {
  Step result{std::move(state), {}};
  for (const Observation& process : seen) {
    ProcessMemory& memory = result.state.processes[process.process];
    memory.seen_s = now_s;
    memory.cpus = cpus_of(process, {});
  }
  Setting setting{machine};
  setting.cpus_taken = cpus_of_all(result.state, now_s);
  for (const Observation& process : seen) {
    ProcessMemory& memory = result.state.processes[process.process];
    for (const auto& [node, cpus] : memory.cpus) setting.cpus_taken[node] -= cpus;
    Decision decision = judge(process, {memory, now_s, setting, costs, limits});
    const bool moves =
        decision.action == Action::bind_threads || decision.action == Action::move_pages;
    memory.cpus = cpus_of(process, moves ? decision : Decision{});
    for (const auto& [node, cpus] : memory.cpus) setting.cpus_taken[node] += cpus;
    if (decision.action == Action::move_pages) {
      for (const PageMove& move : decision.pages) {
        for (const auto& [node, pages] : pages_in_turn(move.home, move.pages)) {
          setting.bytes_taken[node] += static_cast<double>(pages * move.page_size.value);
        }
      }
    }
    result.decisions.push_back(std::move(decision));
  }
  std::erase_if(result.state.processes, [now_s](const auto& entry) {
    return now_s - entry.second.seen_s > forgotten_after_s;
  });
  return result;
}

}  // namespace homenode::balance
