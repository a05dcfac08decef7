#include "trial/numa_mem/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "base/id_list.h"
#include "os/clock.h"
#include "placement/strategies/nodes.h"
#include "placement/strategies/table.h"
#include "trial/program/setup.h"

namespace homenode::trial {
namespace {

using machine::Machine;

/// As for other workloads: more threads to a CPU are a mistake.
constexpr std::size_t most_tasks_per_cpu = 64;

/// One entry: first-last#step_length x times.
struct Entry {
  unsigned first = 0;
  unsigned last = 0;
  unsigned step = 1;
  unsigned length = 1;
  unsigned times = 1;
};

/// The numbers after the first, each with its sign, once, in any order.
std::optional<Entry> read_entry(std::string_view text, std::string_view signs) {
  const auto first = take_number(text);
  if (!first) return std::nullopt;
  std::map<char, unsigned> found;
  while (!text.empty()) {
    const char sign = text.front();
    text.remove_prefix(1);
    const auto number = take_number(text);
    const bool known = signs.find(sign) != std::string_view::npos;
    if (!number || !known || !found.emplace(sign, *number).second) return std::nullopt;
  }
  const auto of = [&found](char sign, unsigned otherwise) {
    const auto at = found.find(sign);
    return at == found.end() ? otherwise : at->second;
  };
  const Entry entry{*first, of('-', *first), of('#', 1), of('_', 1), of('x', 1)};
  if (entry.last < entry.first || entry.step == 0 || entry.length == 0 || entry.times == 0) {
    return std::nullopt;
  }
  return entry;
}

/// Calls add(first, length) for each task that the list names. Errors: bad_usage.
template <class Add>
Result<void> each_place(std::string_view text, std::string_view signs, std::size_t tasks,
                        const Add& add) {
  std::size_t named = 0;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(',', at), text.size());
    const std::string_view word = text.substr(at, end - at);
    const auto entry = read_entry(word, signs);
    if (!entry) {
      return bad_usage(fmt::format("cannot read '{}' in '{}'", word, text),
                       "write A, A-B, A-B#STEP or AxTIMES, with commas between them");
    }
    for (unsigned first = entry->first; first <= entry->last; first += entry->step) {
      for (unsigned i = 0; i < entry->times; ++i) {
        if (++named > tasks) {
          return bad_usage(fmt::format("'{}' names more than {} tasks", text, tasks),
                           "name fewer, or give more -p or -t");
        }
        if (auto added = add(first, entry->length); !added) return added;
      }
    }
    at = end + 1;
  }
  return {};
}

Result<void> number_tasks(const Machine& machine, NumaMemPlan& plan) {
  const NumaMemOptions& options = plan.options;
  const std::size_t cpus = machine.allowed_cpus.size();
  const std::size_t most = std::min(most_tasks_per_cpu * cpus, os::clock_slots);
  if (options.processes > most || options.threads > most / options.processes) {
    return bad_usage(fmt::format("{} processes of {} threads are too many for {} CPUs",
                                 options.processes, options.threads, cpus),
                     fmt::format("give -p and -t of at most {} threads together", most));
  }
  for (unsigned process = 0; process < options.processes; ++process) {
    for (unsigned thread = 0; thread < options.threads; ++thread) {
      plan.tasks.push_back({process, thread, {}, {}});
    }
  }
  if (!options.cpus.empty()) {
    const auto places = parse_task_cpus(machine, options.cpus, plan.tasks.size());
    if (!places) return places.as_unexpected();
    for (std::size_t i = 0; i < places->size(); ++i) plan.tasks[i].cpus = (*places)[i];
  }
  if (!options.memory_nodes.empty()) {
    const auto places = parse_task_nodes(machine, options.memory_nodes, plan.tasks.size());
    if (!places) return places.as_unexpected();
    for (std::size_t i = 0; i < places->size(); ++i) plan.tasks[i].memory_node = (*places)[i];
  }
  return {};
}

Result<void> size_memory(const Machine& machine, const MemoryFacts& facts, NumaMemPlan& plan) {
  plan.page_bytes = facts.page_bytes;
  plan.huge_page_bytes = facts.huge_page_bytes;
  const auto page = static_cast<double>(facts.page_bytes);
  const auto size = [page](double mb) {
    return static_cast<std::size_t>(std::ceil(mb * 1048576.0 / page) * page);
  };
  const NumaMemOptions& options = plan.options;
  const double wanted_mb = options.global_mb + options.process_mb * options.processes +
                           options.thread_mb * static_cast<double>(plan.tasks.size());
  const Bytes memory = free_memory(machine, facts);
  if (wanted_mb * 1048576.0 > static_cast<double>(memory.value)) {
    return bad_usage(fmt::format("the processes need {:.0f} MiB, and {} MiB are free", wanted_mb,
                                 memory.value >> 20U),
                     "give a smaller -G, -P or -T, or fewer processes and threads");
  }
  plan.global_bytes = size(options.global_mb);
  plan.process_bytes = size(options.process_mb);
  plan.locked_bytes = size(options.locked_mb);
  plan.thread_bytes = size(options.thread_mb);
  return {};
}

/// The strategy places all threads, the global memory for all of them, the others for their users.
Result<void> place_numa_mem(const Machine& machine, NumaMemPlan& plan) {
  const NumaMemOptions& options = plan.options;
  if (auto known = check_strategy(options.strategy); !known) return known;
  if (options.strategy == "none") return {};
  placement::Program program{.threads = plan.tasks.size(), .arrays = {}};
  const auto add = [&](const std::string& name, std::size_t bytes, std::vector<std::size_t> users) {
    if (bytes > 0) program.arrays.push_back({name, bytes / plan.page_bytes, std::move(users)});
  };
  add("global", plan.global_bytes, {});
  for (unsigned process = 0; process < options.processes; ++process) {
    std::vector<std::size_t> ranks;
    for (unsigned thread = 0; thread < options.threads; ++thread) {
      ranks.push_back(std::size_t{process} * options.threads + thread);
      add(name_of_thread_memory(process, thread), plan.thread_bytes, {ranks.back()});
    }
    add(name_of_process_memory(process), plan.process_bytes, std::move(ranks));
  }
  auto placed = placement::place_by_strategy(options.strategy, machine, program);
  if (!placed) return placed.as_unexpected();
  plan.placement = *std::move(placed);
  if (!plan.placement.threads) return {};
  for (std::size_t rank = 0; rank < plan.tasks.size(); ++rank) {
    plan.tasks[rank].cpus = plan.placement.threads->of(rank);
  }
  return {};
}

}  // namespace

std::string name_of_process_memory(unsigned process) {
  return fmt::format("process {}", process);
}

std::string name_of_thread_memory(unsigned process, unsigned thread) {
  return fmt::format("thread {}/{}", process, thread);
}

Result<std::vector<CpuSet>> parse_task_cpus(const machine::Machine& machine, std::string_view text,
                                            std::size_t tasks) {
  std::vector<CpuSet> places;
  const auto read = each_place(text, "-#_x", tasks, [&](unsigned first, unsigned length) {
    const CpuSet cpus = CpuSet::range(CpuId(first), CpuId(first + length - 1));
    if (!cpus.is_subset_of(machine.allowed_cpus)) {
      return Result<void>(bad_usage(
          fmt::format("this process may not use the CPUs {} to {}", first, first + length - 1),
          "look at Cpus_allowed_list in /proc/self/status"));
    }
    places.push_back(cpus);
    return Result<void>();
  });
  if (!read) return read.as_unexpected();
  return places;
}

Result<std::vector<NodeId>> parse_task_nodes(const machine::Machine& machine, std::string_view text,
                                             std::size_t tasks) {
  std::vector<NodeId> places;
  const NodeSet usable = placement::usable_memory(machine);
  const auto read = each_place(text, "-#x", tasks, [&](unsigned node, unsigned) {
    if (!usable.contains(NodeId(node))) {
      return Result<void>(
          bad_usage(fmt::format("there is no memory for this process on node {}", node),
                    "look at 'homenode topology' and Mems_allowed_list in /proc/self/status"));
    }
    places.emplace_back(node);
    return Result<void>();
  });
  if (!read) return read.as_unexpected();
  return places;
}

Result<NumaMemPlan> plan_numa_mem(const Machine& machine, const NumaMemOptions& options,
                                  const MemoryFacts& facts) {
  if (const auto checked = check(options); !checked) return checked.as_unexpected();
  if (machine.allowed_cpus.empty() || placement::usable_memory(machine).empty()) {
    return not_supported(
        "this process may use no CPU or no memory of the machine",
        "check its affinity and cpuset (Cpus_allowed_list and Mems_allowed_list in "
        "/proc/self/status)");
  }
  NumaMemPlan plan;
  plan.options = options;
  const std::vector<CpuId> cpus = machine.allowed_cpus.to_vector();
  plan.first_cpu = cpus.front();
  plan.last_cpu = cpus.back();
  // CPU 0 is the first that there is for this process.
  const auto node = machine.node_of(plan.first_cpu);
  plan.node0 = placement::nearest_memory(machine, node.value_or(machine.nodes.front().id));
  plan.cpus0 = node ? machine.cpus_of({*node}) & machine.allowed_cpus : CpuSet{plan.first_cpu};
  if (const auto numbered = number_tasks(machine, plan); !numbered) {
    return numbered.as_unexpected();
  }
  if (const auto sized = size_memory(machine, facts, plan); !sized) return sized.as_unexpected();
  if (const auto placed = place_numa_mem(machine, plan); !placed) return placed.as_unexpected();
  return plan;
}

}  // namespace homenode::trial
