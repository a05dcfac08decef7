#include "trial/stress/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "placement/policies/list_syntax.h"

namespace homenode::trial {
namespace {

using machine::Machine;
namespace stress = workloads::stress;

std::optional<unsigned> node_number(std::string_view text) {
  unsigned number = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, status] = std::from_chars(text.data(), end, number);
  if (status != std::errc{} || rest != end) return std::nullopt;
  return number;
}

/// The place of a node among those that have threads.
std::optional<unsigned> index_of(const StressPlan& plan, std::string_view text) {
  const std::optional<unsigned> number = node_number(text);
  if (!number) return std::nullopt;
  const auto found = std::find(plan.nodes.begin(), plan.nodes.end(), NodeId(*number));
  if (found == plan.nodes.end()) return std::nullopt;
  return static_cast<unsigned>(found - plan.nodes.begin());
}

/// "0:1,1:2" over the pattern's own targets.
Result<void> read_map(StressPlan& plan) {
  std::string_view rest = plan.options.map;
  while (!rest.empty()) {
    const std::string_view pair = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(rest.size(), pair.size() + 1));
    const std::size_t colon = pair.find(':');
    const auto node = index_of(plan, pair.substr(0, colon));
    const auto target =
        colon == std::string_view::npos ? std::nullopt : index_of(plan, pair.substr(colon + 1));
    if (!node || !target) {
      std::string known;
      for (NodeId id : plan.nodes) known += fmt::format(" {}", id.value());
      return bad_usage(fmt::format("cannot read '{}' in --map", pair),
                       "write NODE:TARGET with nodes that have CPUs for this process:" + known);
    }
    plan.team.targets[*node] = *target;
  }
  return {};
}

Result<void> start_threads(const Machine& machine, StressPlan& plan) {
  for (const machine::Node& node : machine.nodes) {
    const std::vector<CpuId> cpus = (node.cpus & machine.allowed_cpus).to_vector();
    if (cpus.empty()) continue;
    const auto all = static_cast<unsigned>(cpus.size());
    const unsigned threads = plan.options.threads_per_node.value_or(all);
    if (threads > all) {
      return bad_usage(fmt::format("node {} has {} CPUs for this process, fewer than {} threads",
                                   node.id.value(), all, threads),
                       fmt::format("give --threads-per-node {} or fewer", all));
    }
    plan.nodes.push_back(node.id);
    plan.team.threads_on_node.push_back(threads);
    for (unsigned i = 0; i < threads; ++i) plan.cpu_of_thread.push_back(cpus[i]);
    for (CpuId cpu : cpus) plan.all_cpus.insert(cpu);
  }
  if (!plan.nodes.empty()) return {};
  return not_supported("this process may use no CPU of the machine",
                       "check its affinity and cpuset (Cpus_allowed_list in /proc/self/status)");
}

Result<void> size_blocks(const Machine& machine, const MemoryFacts& facts, StressPlan& plan) {
  const std::size_t stride = plan.options.stride_bytes;
  if (stride < 8 || stride % 8 != 0 || facts.page_bytes % stride != 0) {
    return bad_usage(fmt::format("a stride of {} bytes does not fit words of 8 bytes and pages of "
                                 "{}",
                                 stride, facts.page_bytes),
                     fmt::format("give --stride a power of two from 8 to {}", facts.page_bytes));
  }
  const Bytes memory = free_memory(machine, facts);
  plan.page_bytes = facts.page_bytes;
  plan.alignment = plan.options.pages == PageKind::huge ? facts.huge_page_bytes : facts.page_bytes;
  const std::uint64_t wanted = plan.options.block.value;
  const std::uint64_t threads = plan.team.threads();
  const bool fits = wanted <= memory.value && (wanted + plan.alignment - 1) / plan.alignment <=
                                                  memory.value / plan.alignment / threads;
  if (!fits) {
    return bad_usage(fmt::format("{} blocks of {} MiB are more than the {} MiB of free memory",
                                 threads, wanted >> 20U, memory.value >> 20U),
                     "give a smaller --block, or fewer --threads-per-node");
  }
  plan.block_bytes = round_up(wanted, plan.alignment);
  return {};
}

}  // namespace

Result<StressPlan> plan_stress(const Machine& machine, const StressOptions& options,
                               const MemoryFacts& facts) {
  if (const auto checked = check(options); !checked) return checked.as_unexpected();
  StressPlan plan;
  plan.options = options;
  if (const auto placed = start_threads(machine, plan); !placed) return placed.as_unexpected();
  plan.team.targets =
      stress::default_targets(options.pattern, static_cast<unsigned>(plan.nodes.size()));
  if (const auto read = read_map(plan); !read) return read.as_unexpected();
  if (!options.membind.empty()) {
    const auto nodes = placement::parse_nodes(machine, options.membind);
    if (!nodes) return nodes.as_unexpected();
    plan.membind = *nodes;
  }
  if (const auto sized = size_blocks(machine, facts, plan); !sized) return sized.as_unexpected();
  plan.blocks_of_thread = stress::blocks_of_threads(plan.team, options.pattern, options.seed);
  return plan;
}

}  // namespace homenode::trial
