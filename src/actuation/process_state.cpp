#include "actuation/process_state.h"

#include "actuation/process.h"
#include "actuation/refusal.h"

namespace homenode::actuation {
namespace {

NodeSet nodes_of(const machine::Machine& machine, const CpuSet& cpus) {
  NodeSet nodes;
  for (const machine::Node& node : machine.nodes) {
    if (!(node.cpus & cpus).empty()) nodes.insert(node.id);
  }
  return nodes;
}

}  // namespace

Result<PolicyState> read_policy_state(os::Os& os, const machine::Machine& machine) {
  PolicyState state;
  if (const int result = os.get_mempolicy(state.mode, state.nodes); result < 0) {
    return refusal(os, {.call = Call::get_mempolicy, .tried = "cannot read the memory policy"},
                   result);
  }
  const auto kind = policy_kind_of(state.mode);
  if (kind == placement::PolicyKind::interleave) {
    NodeId next;
    if (const int result = os.next_interleave_node(next); result < 0) {
      return refusal(
          os, {.call = Call::get_mempolicy, .tried = "cannot read the next interleaved node"},
          result);
    }
    state.next_interleaved = next;
  }
  if (const int result = os.sched_getaffinity(0, state.cpus); result < 0) {
    return refusal(
        os, {.call = Call::sched_getaffinity, .tried = "cannot read the CPUs of the process"},
        result);
  }
  const NodeSet allowed = machine.allowed_nodes & machine.nodes_with_memory();
  state.cpu_nodes = nodes_of(machine, state.cpus);
  state.memory_nodes = kind == placement::PolicyKind::bind ? state.nodes : allowed;
  return state;
}

}  // namespace homenode::actuation
