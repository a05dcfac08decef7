#include "cli/run/explain.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/id_list.h"
#include "base/json_numbers.h"
#include "launch/allocation_names.h"

namespace homenode::cli {
namespace {

using Json = nlohmann::ordered_json;

std::string joined(const std::vector<std::string>& arguments) {
  std::string text;
  for (const std::string& argument : arguments) text += (text.empty() ? "" : " ") + argument;
  return text;
}

Json policy_json(const placement::Policy* policy) {
  if (policy == nullptr) return nullptr;
  return {{"policy", to_string(policy->kind)},
          {"nodes", numbers(policy->nodes)},
          {"balancing", policy->numa_balancing}};
}

Json allocation_json(const launch::AllocationRule& rule) {
  Json json{{"at_least_bytes", rule.at_least_bytes},
            {"rule", rule.rule},
            {"names", rule.names},
            {"from", rule.from},
            {"found", Json::array()}};
  for (const launch::NamedPiece& piece : rule.pieces) {
    json["found"].push_back({{"name", piece.name}, {"file", piece.file}, {"bytes", piece.bytes}});
  }
  return json;
}

/// The policy of a thread: its own, or the process's.
const placement::Policy* memory_of(const launch::RunPlan& plan, std::size_t rank) {
  if (const auto* own = plan.threads.memory_of(rank)) return own;
  return plan.process.process_memory ? &*plan.process.process_memory : nullptr;
}

const CpuSet* cpus_of(const launch::RunPlan& plan, std::size_t rank) {
  if (plan.threads.threads) return &plan.threads.threads->of(rank);
  return plan.process.process_cpus ? &*plan.process.process_cpus : nullptr;
}

std::string thread_lines(const launch::RunPlan& plan) {
  std::string text;
  const std::size_t count = launch::thread_entries(plan.threads);
  for (std::size_t rank = 0; rank < count; ++rank) {
    const CpuSet* const cpus = cpus_of(plan, rank);
    const placement::Policy* const memory = memory_of(plan, rank);
    text += fmt::format("thread {}: CPUs {}, memory {}\n", rank,
                        cpus != nullptr ? to_list(*cpus) : "unchanged",
                        memory != nullptr ? launch::policy_text(*memory) : "unchanged");
  }
  if (count > 0)
    text += fmt::format("thread {} and later: each list from its start again\n", count);
  return text;
}

}  // namespace

std::string explain_text(const launch::RunPlan& plan) {
  const placement::Placement& process = plan.process;
  std::string text;
  if (plan.rank) {
    text += fmt::format("rank on this host: {} ({}), on nodes {}\n", plan.rank->rank,
                        plan.rank->variable, to_list(plan.rank->nodes));
  }
  text += "memory policy: " +
          (process.process_memory ? launch::policy_text(*process.process_memory) : "unchanged") +
          "\n";
  if (!plan.refusal.empty()) text += "refused here: " + plan.refusal + "\n";
  text += "CPUs: " + (process.process_cpus ? to_list(*process.process_cpus) : "unchanged") + "\n";
  text += thread_lines(plan);
  if (!plan.threads.skipped.empty()) {
    text += fmt::format("threads left alone: {}\n", fmt::join(plan.threads.skipped, ","));
  }
  if (plan.threads.heap) text += "heap: " + launch::policy_text(*plan.threads.heap) + "\n";
  if (!plan.threads.malloc_policy.empty()) {
    text += "malloc: homenode's, " + plan.threads.malloc_policy + "\n";
  }
  for (const launch::AllocationRule& rule : plan.threads.allocations) {
    text += fmt::format("{}: {}\n", launch::target_text(rule), rule.rule);
  }
  return text + "program: " + (plan.program.empty() ? "none" : joined(plan.program)) + "\n";
}

std::string explain_json(const launch::RunPlan& plan) {
  const placement::Placement& process = plan.process;
  const auto& memory = process.process_memory;
  Json json{{"schema", "homenode.run.explain/2"},
            {"memory", policy_json(memory ? &*memory : nullptr)},
            {"cpus", nullptr},
            {"program", plan.program}};
  if (process.process_cpus) json["cpus"] = numbers(*process.process_cpus);
  json["refusal"] = plan.refusal.empty() ? Json(nullptr) : Json(plan.refusal);
  json["rank"] = plan.rank ? Json{{"rank", plan.rank->rank},
                                  {"variable", plan.rank->variable},
                                  {"nodes", numbers(plan.rank->nodes)}}
                           : Json(nullptr);
  json["threads"] = Json::array();
  for (std::size_t rank = 0; rank < launch::thread_entries(plan.threads); ++rank) {
    const CpuSet* const cpus = cpus_of(plan, rank);
    json["threads"].push_back({{"rank", rank},
                               {"cpus", cpus != nullptr ? numbers(*cpus) : Json(nullptr)},
                               {"memory", policy_json(memory_of(plan, rank))}});
  }
  json["skipped_threads"] = plan.threads.skipped;
  json["heap"] = policy_json(plan.threads.heap ? &*plan.threads.heap : nullptr);
  json["malloc"] =
      plan.threads.malloc_policy.empty() ? Json(nullptr) : Json(plan.threads.malloc_policy);
  json["allocations"] = Json::array();
  for (const launch::AllocationRule& rule : plan.threads.allocations) {
    json["allocations"].push_back(allocation_json(rule));
  }
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace homenode::cli
