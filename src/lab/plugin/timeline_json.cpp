#include "lab/plugin/timeline_json.h"

#include <array>
#include <string_view>

#include "lab/plugin/json_text.h"

namespace homenode::lab {
namespace {

constexpr std::array<std::string_view, 5> activities{"user", "kernel", "spinning", "sleeping",
                                                     "ready"};

void append_number(std::string& text, const ThreadNumbers& numbers,
                   const std::optional<ThreadKey>& thread) {
  const auto found = thread ? numbers.find(*thread) : numbers.end();
  if (found == numbers.end()) {
    text += "null";
  } else {
    append(text, found->second);
  }
}

/// [thread, "activity", from, to, stall] and, where it sleeps, [..., woken at, waker].
void append_interval(std::string& text, const ThreadNumbers& numbers, const Interval& interval) {
  if (interval.to_ps <= interval.from_ps) return;
  if (text.back() != '[') text += ',';
  text += '[';
  append_number(text, numbers, interval.thread);
  text += ",\"";
  text += activities[static_cast<std::size_t>(interval.activity)];
  text += "\",";
  append(text, interval.from_ps);
  text += ',';
  append(text, interval.to_ps);
  text += ',';
  if (interval.activity == Activity::sleeping) {
    append(text, interval.woken_ps);
    text += ',';
    append_number(text, numbers, interval.waker);
  } else {
    append(text, interval.stall_ps);
  }
  text += ']';
}

}  // namespace

std::string timeline_line(unsigned region, const Timekeeper& time, const ThreadNumbers& numbers) {
  std::string text = R"({"schema":"homenode.lab.timeline/1","modelled":true)";
  append_member(text, "roi", region);
  append_member(text, "ps", time.end_ps());
  append_member(text, "dropped", time.timeline()->dropped());
  text += R"(,"intervals":[)";
  for (const Timeline::Track& track : time.timeline()->tracks()) {
    for (const Interval& interval : track.intervals()) append_interval(text, numbers, interval);
  }
  for (const Timekeeper::LastWait& last : time.last_waits()) {
    const auto& [stop, ready_ps, wake] = last;
    const std::uint64_t woken_ps = wake ? wake->time_ps : ready_ps;
    const std::optional<ThreadKey> waker = wake ? wake->by : std::nullopt;
    append_interval(text, numbers,
                    {stop.thread, Activity::sleeping, stop.time_ps, ready_ps, 0, woken_ps, waker});
    append_interval(text, numbers, {stop.thread, Activity::ready, ready_ps, time.end_ps()});
  }
  text += "]}\n";
  return text;
}

}  // namespace homenode::lab
