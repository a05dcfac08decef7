#include "cli/run/show.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "actuation/process.h"
#include "actuation/refusal.h"
#include "cli/json_numbers.h"

namespace homenode::cli {
namespace {

using placement::PolicyKind;

/// The value of `preferred node:`.
std::string preferred_node(const PolicyState& state) {
  const std::string first =
      state.nodes.empty() ? "current" : fmt::format("{}", state.nodes.to_vector().front().value());
  const auto kind = actuation::policy_kind_of(state.mode);
  if (kind == PolicyKind::interleave) {
    return fmt::format("{} (interleave next)",
                       state.next_interleaved ? state.next_interleaved->value() : 0);
  }
  return kind == PolicyKind::preferred_many ? first + " (preferred-many)" : first;
}

template <class IdType>
std::string line(const char* name, const IdSet<IdType>& set) {
  std::string text = fmt::format("{}: ", name);
  for (IdType id : set.to_vector()) text += fmt::format("{} ", id.value());
  return text + "\n";
}

NodeSet nodes_of(const machine::Machine& machine, const CpuSet& cpus) {
  NodeSet nodes;
  for (const machine::Node& node : machine.nodes) {
    if (!(node.cpus & cpus).empty()) nodes.insert(node.id);
  }
  return nodes;
}

}  // namespace

std::string mode_words(int mode) {
  const auto kind = actuation::policy_kind_of(mode);
  if (!kind) return fmt::format("[{}]", actuation::kernel_number(mode));
  // numactl, whose output this is, writes this one name in two words.
  if (*kind == PolicyKind::weighted_interleave) return "weighted interleave";
  return placement::to_string(*kind);
}

Result<PolicyState> read_policy_state(os::Os& os, const machine::Machine& machine) {
  using actuation::Call;
  PolicyState state;
  if (const int result = os.get_mempolicy(state.mode, state.nodes); result < 0) {
    return actuation::refusal(
        os, {.call = Call::get_mempolicy, .tried = "cannot read the memory policy"}, result);
  }
  if (actuation::policy_kind_of(state.mode) == PolicyKind::interleave) {
    NodeId next;
    if (const int result = os.next_interleave_node(next); result < 0) {
      return actuation::refusal(
          os, {.call = Call::get_mempolicy, .tried = "cannot read the next interleaved node"},
          result);
    }
    state.next_interleaved = next;
  }
  if (const int result = os.sched_getaffinity(0, state.cpus); result < 0) {
    return actuation::refusal(
        os, {.call = Call::sched_getaffinity, .tried = "cannot read the CPUs of the process"},
        result);
  }
  const NodeSet allowed = machine.allowed_nodes & machine.nodes_with_memory();
  state.cpu_nodes = nodes_of(machine, state.cpus);
  state.memory_nodes =
      actuation::policy_kind_of(state.mode) == PolicyKind::bind ? state.nodes : allowed;
  return state;
}

std::string show_text(const PolicyState& state) {
  std::string text = fmt::format("policy: {}\npreferred node: {}\n", mode_words(state.mode),
                                 preferred_node(state));
  if (actuation::policy_kind_of(state.mode) == PolicyKind::interleave) {
    text += line("interleavemask", state.nodes);
    text += fmt::format("interleavenode: {}\n",
                        state.next_interleaved ? state.next_interleaved->value() : 0);
  }
  text += line("physcpubind", state.cpus);
  text += line("cpubind", state.cpu_nodes);
  text += line("nodebind", state.cpu_nodes);
  text += line("membind", state.memory_nodes);
  text += line("preferred", state.nodes);
  return text;
}

std::string show_json(const PolicyState& state) {
  nlohmann::ordered_json json{{"schema", "homenode.run.show/1"},
                              {"policy", mode_words(state.mode)},
                              {"balancing", actuation::has_balancing(state.mode)},
                              {"nodes", numbers(state.nodes)},
                              {"cpus", numbers(state.cpus)},
                              {"cpu_nodes", numbers(state.cpu_nodes)},
                              {"memory_nodes", numbers(state.memory_nodes)}};
  json["next_interleaved"] = state.next_interleaved
                                 ? nlohmann::ordered_json(state.next_interleaved->value())
                                 : nlohmann::ordered_json(nullptr);
  return json.dump(2) + "\n";
}

}  // namespace homenode::cli
