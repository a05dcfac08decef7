#include "lab/plugin/counts.h"

#include <functional>
#include <set>
#include <string_view>
#include <vector>

#include "lab/plugin/json_text.h"
#include "lab/plugin/time_json.h"

namespace homenode::lab {
namespace {

/// "loads":[...],"stores":[...]
void append_misses(std::string& text, const NodeMisses& misses) {
  for (const bool store : {false, true}) {
    text += store ? R"(,"stores":)" : R"("loads":)";
    append_list(text, misses.nodes(), [&](std::size_t n) { append(text, misses.at(store, n)); });
  }
}

void append_privilege(std::string& text, const VcpuAccount& vcpu, Privilege privilege) {
  NodeMisses misses = vcpu.kernel_misses();
  if (privilege == Privilege::user) {
    misses.clear();
    for (const auto& thread : vcpu.threads()) misses.add(thread->misses);
  }
  text += privilege == Privilege::user ? R"("user":{)" : R"("kernel":{)";
  append_misses(text, misses);
  text += R"(,"references":{"loads":)";
  append(text, vcpu.references(privilege, false));
  text += R"(,"stores":)";
  append(text, vcpu.references(privilege, true));
  text += "}}";
}

void append_vcpu(std::string& text, const VcpuAccount& vcpu, std::size_t index,
                 const Timekeeper* time) {
  text += R"({"vcpu":)";
  append(text, index);
  text += ',';
  append_privilege(text, vcpu, Privilege::user);
  text += ',';
  append_privilege(text, vcpu, Privilege::kernel);
  text += R"(,"time":)";
  append_vcpu_time(text, time, static_cast<unsigned>(index));
  text += '}';
}

/// A thread's counts over all the vCPUs that it ran on.
struct ThreadTotal {
  std::vector<std::size_t> vcpus;
  NodeMisses misses;
  std::optional<ThreadTime> time;
};

std::map<ThreadKey, ThreadTotal> merge_threads(std::span<const VcpuAccount> vcpus,
                                               std::size_t nodes, const Timekeeper* time) {
  std::map<ThreadKey, ThreadTotal> totals;
  if (time != nullptr) {
    for (const auto& [key, spent] : time->threads()) {
      totals.try_emplace(key, ThreadTotal{{}, NodeMisses(nodes), spent});
    }
  }
  for (std::size_t index = 0; index < vcpus.size(); ++index) {
    for (const auto& thread : vcpus[index].threads()) {
      const auto fresh = totals.try_emplace(thread->key, ThreadTotal{{}, NodeMisses(nodes), {}});
      ThreadTotal& total = fresh.first->second;
      total.vcpus.push_back(index);
      total.misses.add(thread->misses);
    }
  }
  return totals;
}

void append_threads(std::string& text, const std::map<ThreadKey, ThreadTotal>& threads,
                    const Ranks& ranks, const ThreadNumbers& numbers, const Timekeeper* time) {
  const std::vector<unsigned> nodes = time == nullptr ? std::vector<unsigned>{} : time->positions();
  text += '[';
  for (const auto& [key, thread] : threads) {
    if (text.back() != '[') text += ',';
    text += R"({"id":)";
    append(text, numbers.at(key));
    text += R"(,"fs_base":"0x)";
    append(text, key.fs_base, 16);
    text += R"(","rank":)";
    const auto rank = ranks.find(key);
    if (rank == ranks.end()) {
      text += "null";
    } else {
      append(text, rank->second);
    }
    text += R"(,"vcpus":)";
    append_list(text, thread.vcpus.size(),
                [&text, &on = thread.vcpus](std::size_t i) { append(text, on[i]); });
    text += R"(,"user":{)";
    append_misses(text, thread.misses);
    text += R"(},"time":)";
    append_thread_time(text, thread.time, numbers, nodes);
    text += '}';
  }
  text += ']';
}

std::string_view process_name(Scope scope) {
  switch (scope) {
    case Scope::process:
      return "cr3";
    case Scope::all:
      return "all";
    case Scope::unknown:
      break;
  }
  return "unknown (QEMU gives plugins no registers)";
}

}  // namespace

ThreadNumbers number_threads(std::span<const VcpuAccount> vcpus, const Timekeeper* time) {
  std::set<ThreadKey, std::greater<>> keys;
  for (const VcpuAccount& vcpu : vcpus) {
    for (const auto& thread : vcpu.threads()) keys.insert(thread->key);
  }
  if (time != nullptr) {
    for (const auto& [key, spent] : time->threads()) keys.insert(key);
  }
  ThreadNumbers numbers;
  for (const ThreadKey& key : keys) numbers.emplace(key, numbers.size());
  return numbers;
}

std::string counts_line(const RegionSummary& summary, std::span<const VcpuAccount> vcpus,
                        const Ranks& ranks, const ThreadNumbers& numbers, const Timekeeper* time) {
  std::string text = R"({"schema":"homenode.counts/2","roi":)";
  append(text, summary.number);
  text += R"(,"ended_by":)";
  text += summary.ended_by_marker ? R"("marker")" : R"("exit")";
  text += R"(,"provisional":)";
  text += summary.provisional ? "true" : "false";
  text += R"(,"process":")";
  text += process_name(summary.scope);
  text += R"(","registers":)";
  text += summary.registers ? "true" : "false";
  text += R"(,"line_bytes":)";
  append(text, summary.cache.line_bytes);
  text += R"(,"cache":{"bytes":)";
  append(text, summary.cache.bytes);
  text += R"(,"ways":)";
  append(text, summary.cache.ways);
  text += R"(},"nodes":)";
  append_list(text, summary.nodes.size(),
              [&](std::size_t n) { append(text, summary.nodes[n].value()); });
  text += R"(,"vcpus":)";
  append_list(text, vcpus.size(), [&](std::size_t v) { append_vcpu(text, vcpus[v], v, time); });
  text += R"(,"threads":)";
  append_threads(text,
                 summary.registers ? merge_threads(vcpus, summary.nodes.size(), time)
                                   : std::map<ThreadKey, ThreadTotal>{},
                 ranks, numbers, time);
  std::uint64_t outside = 0;
  for (const VcpuAccount& vcpu : vcpus) outside += vcpu.outside();
  text += R"(,"outside":)";
  append(text, outside);
  text += R"(,"time":)";
  append_time(text, time);
  text += "}\n";
  return text;
}

}  // namespace homenode::lab
