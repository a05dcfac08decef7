#include "trial/numa_mem/audit.h"

#include <algorithm>

#include "actuation/audit.h"
#include "base/json_numbers.h"
#include "base/sizes.h"
#include "sensing/page_query.h"

namespace homenode::trial {
namespace {

constexpr std::size_t pages_of_look = 1024;

using Pages = std::map<std::string, std::size_t>;

/// Up to `wanted` pages of a range, evenly spread.
void add_addresses(std::uintptr_t begin, std::size_t bytes, std::size_t page_bytes,
                   std::size_t wanted, std::vector<void*>& addresses) {
  const std::size_t pages = bytes / page_bytes;
  if (begin == 0 || pages == 0) return;
  const std::size_t most = std::max<std::size_t>(1, wanted);
  const std::size_t step = (pages + most - 1) / most;
  for (std::size_t page = 0; page < pages; page += step) {
    addresses.push_back(reinterpret_cast<void*>(begin + page * page_bytes));
  }
}

ProcessLook look_at(os::Os& os, const NumaMemPlan& plan, const LiveTasks& live, std::size_t first,
                    pid_t process) {
  ProcessLook look;
  std::vector<void*> addresses;
  const std::size_t threads = plan.options.threads;
  const std::size_t wanted = pages_of_look / (plan.thread_bytes > 0 ? threads + 1 : 1);
  bool all_known = true;
  for (std::size_t i = 0; i < threads; ++i) {
    const LiveTask& task = live.at(first + i);
    const int node = task.node.load(std::memory_order_relaxed);
    all_known &= node >= 0;
    if (node >= 0) look.thread_nodes.insert(NodeId(static_cast<unsigned>(node)));
    add_addresses(task.thread_memory, plan.thread_bytes, plan.page_bytes, wanted, addresses);
    if (i > 0) continue;
    add_addresses(task.process_memory, plan.process_bytes, plan.page_bytes, wanted, addresses);
  }
  if (!all_known) look.thread_nodes = {};
  std::vector<int> nodes;
  if (sensing::query_pages(os, process, addresses, nodes) != 0) return look;
  for (int node : nodes) {
    if (node >= 0) look.pages[NodeId(static_cast<unsigned>(node))] += 1;
  }
  return look;
}

}  // namespace

void to_json(nlohmann::json& json, const NumaMemAudit& audit) {
  json = {{"name", audit.name},
          {"bytes", audit.bytes},
          {"pages_on_node", by_node(audit.pages_on_node)},
          {"reasons", audit.reasons},
          {"refusal", audit.refusal}};
}

// A run's process tells this to the one that started it.
void from_json(const nlohmann::json& json, NumaMemAudit& audit) {
  audit.name = json.value("name", "");
  audit.bytes = json.value("bytes", std::size_t{0});
  for (const auto& [node, pages] : json.value("pages_on_node", Pages())) {
    if (const auto id = number_in<unsigned>(node)) audit.pages_on_node[NodeId(*id)] = pages;
  }
  audit.reasons = json.value("reasons", Pages());
  audit.refusal = json.value("refusal", "");
}

NumaMemAudit audit_words(os::Os& os, const std::string& name,
                         std::span<const workloads::numa_mem::Words> ranges) {
  NumaMemAudit sum;
  sum.name = name;
  for (const auto& range : ranges) {
    sum.bytes += range.words.size_bytes();
    const auto audited = actuation::audit(os, {range.words.data(), range.words.size_bytes()});
    if (!audited) {
      sum.refusal = audited.error().message();
      continue;
    }
    for (const auto& [node, pages] : audited->pages_on_node) {
      sum.pages_on_node[node] += pages;
    }
    for (const auto& [reason, pages] : audited->reasons) {
      sum.reasons[actuation::to_string(reason)] += pages;
    }
  }
  return sum;
}

bool NumaMemLook::converged() const {
  return std::ranges::all_of(
      processes, [](const ProcessLook& process) { return process.thread_nodes.size() == 1; });
}

std::optional<double> converged_since(std::span<const NumaMemLook> looks) {
  std::optional<double> since;
  for (const NumaMemLook& look : looks) {
    if (!look.converged()) {
      since.reset();
    } else if (!since) {
      since = look.seconds;
    }
  }
  return since;
}

NumaMemLook take_look(os::Os& os, const NumaMemPlan& plan, const LiveTasks& live,
                      std::span<const pid_t> processes) {
  NumaMemLook look;
  for (std::size_t i = 0; i < processes.size(); ++i) {
    look.processes.push_back(look_at(os, plan, live, i * plan.options.threads, processes[i]));
  }
  return look;
}

}  // namespace homenode::trial
