#include "lab/plugin/counts.h"

#include <array>
#include <charconv>
#include <string_view>
#include <vector>

namespace homenode::lab {
namespace {

void append(std::string& text, std::uint64_t value, int base = 10) {
  std::array<char, 20> digits;
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value, base).ptr;
  text.append(digits.data(), end);
}

/// "[a,b,c]" of item(0) to item(count - 1).
template <class Item>
void append_list(std::string& text, std::size_t count, const Item& item) {
  text += '[';
  for (std::size_t i = 0; i < count; ++i) {
    if (i > 0) text += ',';
    item(i);
  }
  text += ']';
}

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

void append_vcpu(std::string& text, const VcpuAccount& vcpu, std::size_t index) {
  text += R"({"vcpu":)";
  append(text, index);
  text += ',';
  append_privilege(text, vcpu, Privilege::user);
  text += ',';
  append_privilege(text, vcpu, Privilege::kernel);
  text += '}';
}

/// A thread's counts over all the vCPUs that it ran on.
struct ThreadTotal {
  std::vector<std::size_t> vcpus;
  NodeMisses misses;
};

std::map<ThreadKey, ThreadTotal> merge_threads(std::span<const VcpuAccount> vcpus,
                                               std::size_t nodes) {
  std::map<ThreadKey, ThreadTotal> totals;
  for (std::size_t index = 0; index < vcpus.size(); ++index) {
    for (const auto& thread : vcpus[index].threads()) {
      const auto fresh = totals.try_emplace(thread->key, ThreadTotal{{}, NodeMisses(nodes)});
      ThreadTotal& total = fresh.first->second;
      total.vcpus.push_back(index);
      total.misses.add(thread->misses);
    }
  }
  return totals;
}

void append_threads(std::string& text, const std::map<ThreadKey, ThreadTotal>& threads,
                    const Ranks& ranks) {
  text += '[';
  for (const auto& [key, thread] : threads) {
    if (text.back() != '[') text += ',';
    text += R"({"fs_base":"0x)";
    append(text, key.fs_base, 16);
    text += R"(","rank":)";
    const auto rank = ranks.find(key);
    if (rank == ranks.end()) {
      text += "null";
    } else {
      append(text, rank->second);
    }
    text += R"(,"vcpus":)";
    append_list(text, thread.vcpus.size(), [&](std::size_t i) { append(text, thread.vcpus[i]); });
    text += R"(,"user":{)";
    append_misses(text, thread.misses);
    text += "}}";
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

std::string counts_line(const RegionSummary& summary, std::span<const VcpuAccount> vcpus,
                        const Ranks& ranks) {
  std::string text = R"({"schema":"homenode.counts/1","roi":)";
  append(text, summary.number);
  text += R"(,"ended_by":)";
  text += summary.ended_by_marker ? R"("marker")" : R"("exit")";
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
  append_list(text, vcpus.size(), [&](std::size_t v) { append_vcpu(text, vcpus[v], v); });
  text += R"(,"threads":)";
  append_threads(text,
                 summary.registers ? merge_threads(vcpus, summary.nodes.size())
                                   : std::map<ThreadKey, ThreadTotal>{},
                 ranks);
  std::uint64_t outside = 0;
  for (const VcpuAccount& vcpu : vcpus) outside += vcpu.outside();
  text += R"(,"outside":)";
  append(text, outside);
  text += "}\n";
  return text;
}

}  // namespace homenode::lab
