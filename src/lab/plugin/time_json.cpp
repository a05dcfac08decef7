#include "lab/plugin/time_json.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include "lab/plugin/json_text.h"

namespace homenode::lab {
namespace {

void append_level(std::string& text, std::string_view name, std::uint64_t hits,
                  std::uint64_t misses) {
  text += ",\"";
  text += name;
  text += "\":{";
  append_member(text, "hits", hits);
  append_member(text, "misses", misses);
  text += '}';
}

void append_controllers(std::string& text, const Timekeeper& time) {
  const auto& model = time.model();
  std::vector<unsigned> with_memory;
  for (unsigned node = 0; node < model.nodes.size(); ++node) {
    if (model.controllers[node].read_mibs != 0) with_memory.push_back(node);
  }
  append_list(text, with_memory.size(), [&](std::size_t i) {
    const auto use = time.memory().controller(with_memory[i]);
    text += '{';
    append_member(text, "node", model.nodes[with_memory[i]].value());
    append_member(text, "read_lines", use.read_lines);
    append_member(text, "write_lines", use.written_lines);
    append_member(text, "busy_ps", use.busy_ps);
    text += '}';
  });
}

void append_links(std::string& text, const Timekeeper& time) {
  const auto links = time.memory().links();
  append_list(text, links.size(), [&](std::size_t i) {
    text += '{';
    append_member(text, "from", time.model().nodes[links[i].from].value());
    append_member(text, "to", time.model().nodes[links[i].to].value());
    append_member(text, "lines", links[i].lines);
    append_member(text, "busy_ps", links[i].busy_ps);
    text += links[i].shared ? R"(,"shared":true})" : R"(,"shared":false})";
  });
}

/// Whatever made user code wait; nothing where nothing did.
void append_stalls(std::string& text, std::span<const std::uint64_t> stalls_ps,
                   std::span<const unsigned> nodes) {
  const auto at = [&](std::size_t place) {
    return place < stalls_ps.size() ? stalls_ps[place] : 0;
  };
  const std::size_t caches =
      stalls_ps.size() - std::min<std::size_t>(stalls_ps.size(), stall_caches);
  const auto in = [&](StallIn cache) { return at(caches + static_cast<std::size_t>(cache)); };
  text += R"(,"memory_ps":)";
  append_list(text, nodes.size(), [&](std::size_t i) { append(text, at(nodes[i])); });
  append_member(text, "other_cache_ps", in(StallIn::other_cache));
  append_member(text, "l3_ps", in(StallIn::last_level));
  append_member(text, "own_cache_ps", in(StallIn::own_cache));
}

void append_sleep(std::string& text, const SystemCall& call, const Sleeps& sleep,
                  const std::map<ThreadKey, std::size_t>& threads) {
  text += R"({"system_call":)";
  if (call.number == SystemCall::none) {
    text += "null";
  } else {
    append(text, call.number);
  }
  text += R"(,"futex":)";
  if (call.number == SystemCall::futex) {
    text += R"({"operation":)";
    append(text, call.operation);
    text += R"(,"address":)";
    if (call.address == 0) {
      text += "null}";
    } else {
      text += "\"0x";
      append(text, call.address, 16);
      text += "\"}";
    }
  } else {
    text += "null";
  }
  append_member(text, "times", sleep.times);
  append_member(text, "slept_ps", sleep.slept_ps);
  append_member(text, "most_at_once", sleep.most_at_once);
  append_member(text, "woken_by_none", sleep.woken_by_none);
  text += R"(,"woken_by":[)";
  for (const auto& [key, times] : sleep.woken_by) {
    const auto thread = threads.find(key);
    if (text.back() != '[') text += ',';
    text += R"({"thread":)";
    if (thread == threads.end()) {
      text += "null";
    } else {
      append(text, thread->second);
    }
    append_member(text, "times", times);
    text += '}';
  }
  text += "]}";
}

void append_sleeps(std::string& text, const std::map<SystemCall, Sleeps>& sleeps,
                   const std::map<ThreadKey, std::size_t>& threads) {
  text += R"(,"sleeps":[)";
  for (const auto& [call, sleep] : sleeps) {
    if (text.back() != '[') text += ',';
    append_sleep(text, call, sleep, threads);
  }
  text += ']';
}

}  // namespace

void append_time(std::string& text, const Timekeeper* time) {
  if (time == nullptr) {
    text += "null";
    return;
  }
  text += R"({"modelled":true)";
  append_member(text, "ps", time->end_ps());
  append_member(text, "epoch_ns", time->model().epoch_ps / 1000);
  append_member(text, "late_waits", time->pace().late_waits());
  text += R"(,"controllers":)";
  append_controllers(text, *time);
  text += R"(,"links":)";
  append_links(text, *time);
  text += '}';
}

void append_vcpu_time(std::string& text, const Timekeeper* time, unsigned vcpu) {
  if (time == nullptr) {
    text += "null";
    return;
  }
  const Core& core = time->vcpu(vcpu).core();
  const CoreCounts& counts = core.counts();
  const auto references =
      std::accumulate(counts.references.begin(), counts.references.end(), std::uint64_t{0});
  // Lines past the caches are references that no level sees; they count as hits of the first.
  const std::uint64_t l1_misses = counts.l1_misses;
  text += '{';
  append_member(text, "ps", core.time_ps());
  append_member(text, "busy_ps", counts.busy_ps);
  append_member(text, "instructions", counts.instructions);
  append_member(text, "stall_ps", counts.stall_ps);
  append_member(text, "latency_ps", counts.latency_ps);
  append_member(text, "in_flight_ps", counts.in_flight_ps);
  append_level(text, "l1", references - std::min(references, l1_misses), l1_misses);
  append_level(text, "l2", l1_misses - std::min(l1_misses, counts.l2_misses), counts.l2_misses);
  append_level(text, "l3", counts.l3_hits,
               counts.l2_misses - std::min(counts.l2_misses, counts.l3_hits));
  append_member(text, "cache_to_cache", counts.other_cache);
  const MemoryTraffic& traffic = time->memory().traffic(vcpu);
  text += R"(,"memory_reads":)";
  // The model knows nodes without memory too, which the counts do not have.
  const std::vector<unsigned>& nodes = time->positions();
  append_list(text, nodes.size(), [&](std::size_t n) { append(text, traffic.reads[nodes[n]]); });
  text += R"(,"memory_writes":)";
  append_list(text, nodes.size(), [&](std::size_t n) { append(text, traffic.writes[nodes[n]]); });
  text += '}';
}

void append_thread_time(std::string& text, const std::optional<ThreadTime>& time,
                        const std::map<ThreadKey, std::size_t>& threads,
                        std::span<const unsigned> nodes) {
  if (!time) {
    text += "null";
    return;
  }
  text += '{';
  append_member(text, "busy_ps", time->busy_ps);
  append_member(text, "first_ps", time->first_ps);
  append_member(text, "last_ps", time->last_ps);
  append_member(text, "instructions", time->instructions);
  append_member(text, "computed_ps", time->computed_ps());
  append_stalls(text, time->stalls_ps, nodes);
  append_member(text, "kernel_ps", time->kernel_ps);
  append_member(text, "spun_ps", time->spun_ps);
  append_member(text, "slept_ps", time->slept_ps());
  append_member(text, "ready_ps", time->ready_ps);
  append_sleeps(text, time->sleeps, threads);
  text += '}';
}

}  // namespace homenode::lab
