#include "trial/program/setup.h"

#include <fmt/format.h>

#include "base/id_list.h"
#include "placement/strategies/table.h"

namespace homenode::trial {
namespace {

/// A team waits for its slowest thread, again and again; more than so many to a CPU are a mistake.
constexpr std::size_t most_threads_per_cpu = 64;

/// Small enough to see who uses what of an array, and a map of hundreds of GiB is small change.
constexpr std::size_t coarse_page_bytes = std::size_t{2} << 20U;

Unexpected too_much(Bytes needed, Bytes there, const std::string& where, const char* next) {
  return failed(fmt::format("the program needs {} MiB of memory, and {} MiB {}",
                            (needed.value >> 20U) + 1, there.value >> 20U, where),
                next);
}

/// What a strategy binds to nodes has to fit them: where it does not, the kernel ends the process.
Result<void> check_bound_memory(const machine::Machine& machine, const workloads::Program& program,
                                const placement::Placement& placement) {
  const std::vector<workloads::ArrayNeed> needs = program.arrays();
  Bytes bound{0};
  NodeSet nodes;
  for (std::size_t i = 0; i < placement.regions.size(); ++i) {
    const auto* const policy = std::get_if<placement::Policy>(&placement.regions[i].memory);
    if (policy == nullptr || policy->kind != placement::PolicyKind::bind) continue;
    bound.value += needs[i].bytes;
    nodes = nodes | policy->nodes;
  }
  Bytes there{0};
  for (const machine::Node& node : machine.nodes) {
    if (nodes.contains(node.id)) there.value += node.memory.value;
  }
  if (bound.value <= there.value) return {};
  return too_much(bound, there, "are on the nodes " + to_list(nodes) + " that it is bound to",
                  "choose a smaller problem, another --strategy, or threads on more nodes");
}

}  // namespace

Result<placement::Placement> place_program(const machine::Machine& machine,
                                           const workloads::Program& program,
                                           const ProgramSetup& setup, std::size_t page_bytes) {
  if (setup.strategy == "none") return placement::Placement();
  placement::Program view{.threads = setup.threads, .arrays = {}};
  for (const workloads::ArrayNeed& need : program.arrays()) {
    view.arrays.push_back({need.name, (need.bytes + page_bytes - 1) / page_bytes});
  }
  return placement::place_by_strategy(setup.strategy, machine, view);
}

Result<void> check_strategy(const std::string& name) {
  if (name == "none") return {};
  const auto found = placement::find_strategy(name);
  if (found) return {};
  Error error = found.error();
  error.next += ", none";
  return Unexpected(std::move(error));
}

Bytes footprint(const workloads::Program& program) {
  Bytes sum{0};
  for (const workloads::ArrayNeed& need : program.arrays()) sum.value += need.bytes;
  return sum;
}

Result<void> check_threads_of(const machine::Machine& machine, const ProgramSetup& setup) {
  if (setup.threads == 0) {
    return bad_usage("--threads must be at least 1", "give --threads 1 or more");
  }
  if (setup.runs == 0) return bad_usage("--runs must be at least 1", "give --runs 1 or more");
  const std::size_t most = most_threads_per_cpu * machine.allowed_cpus.size();
  if (setup.threads > most) {
    return bad_usage(fmt::format("{} threads are too many for {} CPUs", setup.threads,
                                 machine.allowed_cpus.size()),
                     fmt::format("give --threads {} or fewer", most));
  }
  return {};
}

Result<void> check_setup(const machine::Machine& machine, const workloads::Program& program,
                         const ProgramSetup& setup, std::optional<Bytes> available) {
  if (auto good = check_threads_of(machine, setup); !good) return good;
  if (auto known = check_strategy(setup.strategy); !known) return known;
  const auto placement = place_program(machine, program, setup, coarse_page_bytes);
  if (!placement) return placement.as_unexpected();
  const Bytes needed = footprint(program);
  if (available && needed.value > available->value) {
    return too_much(needed, *available, "are available",
                    "choose a smaller problem, or free memory");
  }
  return check_bound_memory(machine, program, *placement);
}

}  // namespace homenode::trial
