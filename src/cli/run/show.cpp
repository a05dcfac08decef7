#include "cli/run/show.h"

#include <fmt/format.h>
#include <linux/mempolicy.h>

#include <array>
#include <nlohmann/json.hpp>

#include "actuation/refusal.h"
#include "cli/json_numbers.h"

namespace homenode::cli {
namespace {

constexpr int all_mode_flags = (1 << 15) | (1 << 14) | (1 << 13);  // Static, relative, balancing.

// By the kernel's number; older headers lack the last two, which are 5 and 6.
constexpr std::array mode_names{
    "default", "preferred", "bind", "interleave", "local", "preferred-many", "weighted interleave"};

int kind_of(const PolicyState& state) {
  return state.mode & ~all_mode_flags;
}

/// The value of `preferred node:`.
std::string preferred_node(const PolicyState& state) {
  const std::string first =
      state.nodes.empty() ? "current" : fmt::format("{}", state.nodes.to_vector().front().value());
  switch (kind_of(state)) {
    case MPOL_INTERLEAVE:
      return fmt::format("{} (interleave next)",
                         state.next_interleaved ? state.next_interleaved->value() : 0);
    case 5:  // MPOL_PREFERRED_MANY
      return first + " (preferred-many)";
    default:
      return first;
  }
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
  const int kind = mode & ~all_mode_flags;
  const auto index = static_cast<std::size_t>(kind);
  return index < mode_names.size() ? mode_names[index] : fmt::format("[{}]", kind);
}

Result<PolicyState> read_policy_state(os::Os& os, const machine::Machine& machine) {
  using actuation::Call;
  PolicyState state;
  if (const int result = os.get_mempolicy(state.mode, state.nodes); result < 0) {
    return actuation::refusal(
        os, {.call = Call::get_mempolicy, .tried = "cannot read the memory policy"}, result);
  }
  if (kind_of(state) == MPOL_INTERLEAVE) {
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
  state.memory_nodes = kind_of(state) == MPOL_BIND ? state.nodes : allowed;
  return state;
}

std::string show_text(const PolicyState& state) {
  std::string text = fmt::format("policy: {}\npreferred node: {}\n", mode_words(state.mode),
                                 preferred_node(state));
  if (kind_of(state) == MPOL_INTERLEAVE) {
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
                              {"balancing", (state.mode & (1 << 13)) != 0},
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
