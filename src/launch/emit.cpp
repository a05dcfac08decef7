#include "launch/emit.h"

#include <fmt/format.h>

#include <array>
#include <optional>

#include "base/id_list.h"

namespace homenode::launch {
namespace {

using placement::Policy;
using placement::PolicyKind;

/// What no tool but this has.
void note_agent_rules(const RunPlan& plan, Emitted& emitted) {
  if (!plan.threads.memory_by_rank.empty())
    emitted.missing.emplace_back("memory policies of threads");
  if (plan.threads.heap) emitted.missing.emplace_back("the policy of the heap");
  if (!plan.threads.malloc_policy.empty()) emitted.missing.emplace_back("homenode's malloc");
  if (!plan.threads.allocations.empty())
    emitted.missing.emplace_back("rules for large allocations and static data");
}

void add_program(const RunPlan& plan, Emitted& emitted) {
  for (const std::string& word : plan.program)
    emitted.command += fmt::format(" {}", shell_word(word));
}

std::string numactl_memory(const Policy& policy) {
  const std::string nodes = to_list(policy.nodes);
  switch (policy.kind) {
    case PolicyKind::local:
      return " --localalloc";
    case PolicyKind::bind:
      return fmt::format(" {}--membind={}", policy.numa_balancing ? "--balancing " : "", nodes);
    case PolicyKind::preferred:
      return fmt::format(" --preferred={}", nodes);
    case PolicyKind::preferred_many:
      return fmt::format(" --preferred-many={}", nodes);
    case PolicyKind::interleave:
      return fmt::format(" --interleave={}", nodes);
    case PolicyKind::weighted_interleave:
      return fmt::format(" --weighted-interleave={}", nodes);
    case PolicyKind::default_policy:
      break;
  }
  return "";
}

Emitted to_numactl(const RunPlan& plan, const machine::Machine& /*machine*/) {
  Emitted emitted{"numactl", {}};
  if (const auto& cpus = plan.process.process_cpus) {
    emitted.command += fmt::format(" --physcpubind={}", to_list(*cpus));
  }
  if (const auto& memory = plan.process.process_memory) emitted.command += numactl_memory(*memory);
  if (plan.threads.threads) emitted.missing.emplace_back("CPUs of threads");
  note_agent_rules(plan, emitted);
  emitted.command += " --";
  add_program(plan, emitted);
  return emitted;
}

Emitted to_omp(const RunPlan& plan, const machine::Machine& /*machine*/) {
  Emitted emitted;
  std::string places;
  if (plan.threads.threads) {
    for (const CpuSet& cpus : plan.threads.threads->cpus_by_rank) {
      std::string place;
      for (CpuId cpu : cpus.to_vector())
        place += fmt::format("{}{}", place.empty() ? "" : ",", cpu.value());
      places += fmt::format("{}{{{}}}", places.empty() ? "" : ",", place);
    }
    if (!plan.threads.skipped.empty()) emitted.missing.emplace_back("threads that are left alone");
  } else if (const auto& cpus = plan.process.process_cpus) {
    for (CpuId cpu : cpus->to_vector())
      places += fmt::format("{}{}", places.empty() ? "{" : ",", cpu.value());
    places += "}";
  }
  if (!places.empty()) {
    emitted.command = fmt::format("OMP_PLACES='{}' OMP_PROC_BIND=close", places);
  }
  if (plan.process.process_memory) emitted.missing.emplace_back("the memory policy");
  note_agent_rules(plan, emitted);
  add_program(plan, emitted);
  if (emitted.command.starts_with(' ')) emitted.command.erase(0, 1);
  return emitted;
}

/// The mask as srun reads it: one hexadecimal number.
template <class IdType>
std::string mask(const IdSet<IdType>& set) {
  std::string text = "0x";
  const auto& words = set.words();
  for (std::size_t i = words.size(); i > 0; --i) {
    text += i == words.size() ? fmt::format("{:x}", words[i - 1])
                              : fmt::format("{:016x}", words[i - 1]);
  }
  return text;
}

/// The option that sets policies of this kind; "" where srun has none.
std::string slurm_memory(const Policy& policy) {
  if (policy.kind == PolicyKind::bind && !policy.numa_balancing) return " --mem-bind=mask_mem:";
  if (policy.kind == PolicyKind::preferred) return " --mem-bind=prefer,mask_mem:";
  return "";
}

/// Of each task of a host in turn: srun begins anew after the last one, as ranks do.
void add_slurm_tasks(const std::vector<placement::Placement>& tasks, Emitted& emitted) {
  std::string cpus;
  std::string nodes;
  std::optional<std::string> memory;
  std::string unknown;
  for (const placement::Placement& task : tasks) {
    if (task.process_cpus) cpus += (cpus.empty() ? "" : ",") + mask(*task.process_cpus);
    if (!task.process_memory) continue;
    const Policy& policy = *task.process_memory;
    nodes += (nodes.empty() ? "" : ",") + mask(policy.nodes);
    if (!memory) memory = slurm_memory(policy);
    if (*memory != slurm_memory(policy)) memory = "";
    if (memory->empty() && unknown.empty()) unknown = policy_text(policy);
  }
  if (!cpus.empty()) emitted.command += " --cpu-bind=mask_cpu:" + cpus;
  if (!unknown.empty()) emitted.missing.push_back("the memory policy " + unknown);
  if (memory && !memory->empty()) emitted.command += *memory + nodes;
}

Emitted to_slurm(const RunPlan& plan, const machine::Machine& /*machine*/) {
  Emitted emitted{"srun", {}};
  if (plan.process_by_rank.empty()) {
    add_slurm_tasks({plan.process}, emitted);
  } else {
    add_slurm_tasks(plan.process_by_rank, emitted);
  }
  if (plan.threads.threads) emitted.missing.emplace_back("CPUs of threads");
  note_agent_rules(plan, emitted);
  add_program(plan, emitted);
  return emitted;
}

/// likwid-pin -m and -i take all nodes of the CPUs that it pins to, and no others.
void add_likwid_memory(const Policy& policy, const CpuSet& cpus, const machine::Machine& machine,
                       Emitted& emitted) {
  NodeSet used;
  for (CpuId cpu : cpus.to_vector()) {
    if (const auto node = machine.node_of(cpu)) used.insert(*node);
  }
  const bool bind = policy.kind == PolicyKind::bind && !policy.numa_balancing;
  const bool interleave = policy.kind == PolicyKind::interleave;
  if (policy.nodes == used && (bind || interleave)) {
    emitted.command += bind ? " -m" : " -i";
  } else {
    emitted.missing.push_back(fmt::format("the memory policy {}", policy_text(policy)));
  }
}

Emitted to_likwid(const RunPlan& plan, const machine::Machine& machine) {
  Emitted emitted{"likwid-pin", {}};
  const auto& map = plan.threads.threads;
  std::string list;
  CpuSet cpus;
  bool exact = true;
  if (map) {
    for (const CpuSet& set : map->cpus_by_rank) {
      exact = exact && set.size() == 1;
      cpus = cpus | set;
      list += fmt::format("{}{}", list.empty() ? "" : ",", set.to_vector().front().value());
    }
    if (!plan.threads.skipped.empty()) {
      unsigned long bits = 0;
      // likwid counts created threads, from 0; the main thread is none of them.
      for (unsigned thread : plan.threads.skipped) {
        if (thread > 0 && thread <= 64) bits |= 1UL << (thread - 1);
      }
      emitted.command += fmt::format(" -s {:#x}", bits);
    }
  } else if (plan.process.process_cpus) {
    cpus = *plan.process.process_cpus;
    list = to_list(cpus);
    exact = cpus.size() == 1;
  }
  if (!exact) {
    emitted.missing.emplace_back("threads with several CPUs (it binds each to the first)");
  }
  if (!list.empty()) emitted.command += " -c " + list;
  if (const auto& memory = plan.process.process_memory) {
    add_likwid_memory(*memory, cpus, machine, emitted);
  }
  note_agent_rules(plan, emitted);
  add_program(plan, emitted);
  return emitted;
}

struct Tool {
  const char* name;
  Emitted (*emit)(const RunPlan& plan, const machine::Machine& machine);
};
constexpr std::array tools{Tool{"numactl", to_numactl}, Tool{"omp", to_omp},
                           Tool{"slurm", to_slurm}, Tool{"likwid", to_likwid}};

}  // namespace

bool emits_all_ranks(const std::string& tool) {
  return tool == "slurm";
}

Result<Emitted> emit(const std::string& tool, const RunPlan& plan,
                     const machine::Machine& machine) {
  for (const Tool& known : tools) {
    if (tool != known.name) continue;
    Emitted emitted = known.emit(plan, machine);
    if (plan.rank && plan.process_by_rank.empty()) {
      emitted.missing.push_back(
          fmt::format("ranks of a host apart (this line is rank {}'s)", plan.rank->rank));
    }
    return emitted;
  }
  return bad_usage(fmt::format("--emit does not know '{}'", tool),
                   "write numactl, omp, slurm or likwid");
}

std::string shell_word(const std::string& word) {
  constexpr const char* plain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_=+,./:@%";
  if (!word.empty() && word.find_first_not_of(plain) == std::string::npos) return word;
  std::string text = "'";
  for (char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + "'";
}

}  // namespace homenode::launch
