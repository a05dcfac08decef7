#include "agent/pkeys/account.h"

#include "agent/json_text.h"
#include "agent/pkeys/entry.h"

namespace homenode::agent::pkeys {
namespace {

constexpr std::size_t room = 16384;
constinit JsonText<room> text;

void begin(const char* kind, std::uint64_t pid) {
  text.clear();
  text.put("{\"kind\":\"").put(kind).put("\",\"pid\":").put(pid);
}

void end(SampleOutput& output) {
  text.put("}");
  if (!text.is_cut()) output.append_document(text.data(), text.size());
}

}  // namespace

void write_round(SampleOutput& output, const Window& window, const Run& run) {
  begin("round", static_cast<std::uint64_t>(run.pid.load_relaxed()));
  text.put(",\"round\":").put(window.number.load_relaxed());
  text.put(",\"armed_ns\":").put(window.armed_ns.load_relaxed());
  text.put(",\"ended_ns\":").put(window.ended_ns.load_relaxed()).put(",\"ranges\":[");
  std::uint64_t pages = 0;
  for (std::size_t i = 0; i < window.range_count.load_relaxed(); ++i) {
    const ArmedRange& range = window.ranges[i];
    if (range.first == range.end) continue;
    text.put(pages > 0 ? ",[" : "[").put(range.first).put(",").put(range.end).put("]");
    pages += (range.end - range.first) / page_bytes;
  }
  text.put("],\"pages\":").put(pages);
  end(output);
}

void write_refusal(SampleOutput& output, const char* why, long pid) {
  begin("pkeys", static_cast<std::uint64_t>(pid));
  text.put(",\"refused\":\"").put(why).put("\",\"refused_at\":");
  text.put(the_run().refused_at.load_relaxed());
  end(output);
}

void write_account(SampleOutput& output, const Account& account, const Cost& cost,
                   std::uint64_t lost) {
  const Run& run = the_run();
  begin("pkeys", static_cast<std::uint64_t>(run.pid.load_relaxed()));
  text.put(",\"time_ns\":").put(now_ns()).put(",\"samples\":").put(account.samples);
  text.put(",\"lost\":").put(lost).put(",\"cpu_ns\":").put(cost.sampler_ns());
  text.put(",\"faults_ns\":").put(cost.faults_ns());
  text.put(",\"program_cpu_ns\":").put(cost.program_ns());
  text.put(",\"fault_ns\":").put(cost.fault_ns()).put(",\"call_ns\":").put(cost.call_ns());
  text.put(",\"faults\":").put(run.faults.load_relaxed());
  text.put(",\"calls\":").put(run.dispatches.load_relaxed());
  text.put(",\"unknown_call\":").put(run.unknown_call.load_relaxed());
  text.put(",\"closed_early\":").put(run.cancelled.load_relaxed()).put(",\"windows\":{");
  for (std::size_t i = 0; i < static_cast<std::size_t>(Opened::count); ++i) {
    text.put(i > 0 ? ",\"" : "\"").put(name_of(static_cast<Opened>(i))).put("\":");
    text.put(account.results[i]);
  }
  text.put("}");
  end(output);
}

}  // namespace homenode::agent::pkeys
