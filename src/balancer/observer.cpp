#include "balancer/observer.h"

#include <fmt/format.h>

#include <algorithm>

#include "balance/step.h"
#include "balancer/inner_samples.h"
#include "base/words.h"
#include "machine/kernel_files.h"
#include "sensing/process_reader.h"

namespace homenode::balancer {
namespace {

/// Clock ticks of /proc, which the kernel counts in hundredths of a second for every program.
constexpr double tick_s = 0.01;
/// A process with more of its memory under policies of its own has its reasons.
constexpr double most_with_policy = 0.2;

double uptime_s(const sensing::SystemFiles& files) {
  std::string text;
  if (files.read("/proc/uptime", text) < 0) return 0;
  return std::strtod(text.c_str(), nullptr);
}

bool is_private(const sensing::Mapping& mapping) {
  return mapping.group == sensing::Group::heap || mapping.group == sensing::Group::stack ||
         mapping.group == sensing::Group::anonymous;
}

bool has_policy(const sensing::Mapping& mapping) {
  return mapping.policy.mode != "default";
}

bool is_in_any(const std::vector<std::string>& cgroups, const std::string& one) {
  return std::ranges::any_of(cgroups, [&](const std::string& cgroup) {
    return cgroup == "/" || one == cgroup || one.starts_with(cgroup + "/");
  });
}

}  // namespace

bool Whose::names(const ProcessFacts& process) const {
  return users.contains(process.user) || programs.contains(process.name) ||
         is_in_any(cgroups, process.cgroup);
}

std::vector<pid_t> Observer::candidates() const {
  const Selection& chosen = options_.selection;
  std::vector<pid_t> ids(chosen.pids.begin(), chosen.pids.end());
  const bool by_number = chosen.users.empty() && chosen.cgroups.empty() && !chosen.all;
  if (!by_number) files_.list_numbers("/proc", ids);
  return ids;
}

bool Observer::is_chosen(const ProcessFacts& process) const {
  const Selection& chosen = options_.selection;
  if (chosen.all || chosen.pids.contains(process.key.id)) return true;
  if (chosen.users.contains(process.user)) return true;
  return is_in_any(chosen.cgroups, process.cgroup);
}

bool Observer::anything_left() const {
  const Selection& chosen = options_.selection;
  if (chosen.all || !chosen.users.empty() || !chosen.cgroups.empty()) return true;
  return std::ranges::any_of(chosen.pids,
                             [&](pid_t pid) { return read_quickly(files_, pid).has_value(); });
}

void Observer::add_threads(Observation& seen, const ProcessFacts& process, Before& before) const {
  std::map<pid_t, std::uint64_t> now;
  for (const ThreadFacts& facts : process.threads) {
    const auto node = machine_.node_of(facts.last_cpu);
    const bool samples = options_.inner != nullptr && facts.name == sampler_thread;
    if (!node || samples) continue;
    balance::Thread thread{facts.key, *node, 0, facts.allowed, facts.why_not};
    const auto old = before.threads.find(facts.key.id);
    if (old != before.threads.end() && facts.cpu_ticks >= old->second && seen.window_s > 0) {
      thread.cpus = static_cast<double>(facts.cpu_ticks - old->second) * tick_s / seen.window_s;
    }
    now[facts.key.id] = facts.cpu_ticks;
    seen.threads.push_back(std::move(thread));
  }
  before.threads = std::move(now);
}

void Observer::add_pages(Observation& seen) const {
  const auto survey = sensing::read_survey(files_, seen.process.id, {.only_numa_maps = true});
  if (!survey) {
    seen.why_not = survey.error().message();
    return;
  }
  double with_policy = 0;
  double all = 0;
  for (const sensing::Mapping& mapping : survey->mappings) {
    if (!is_private(mapping)) continue;
    const auto bytes = static_cast<double>(mapping.bytes().value);
    all += bytes;
    if (has_policy(mapping)) with_policy += bytes;
    for (const auto& [node, pages] : mapping.pages) seen.pages[node] += pages;
  }
  if (with_policy > most_with_policy * all) seen.why_not = "its memory has policies of its own";
}

Observation Observer::observe(const Changes& changes, ProcessFacts process, double window_s) {
  Observation seen;
  seen.process = process.key;
  seen.name = process.name;
  seen.window_s = window_s;
  seen.why_not = process.why_not;
  seen.age_s = uptime_s(files_) - static_cast<double>(process.key.started) * tick_s;
  const bool known = before_.contains(process.key);
  Before& before = before_[process.key];
  const std::uint64_t ticks = process.cpu_ticks - std::min(before.ticks, process.cpu_ticks);
  before.ticks = process.cpu_ticks;
  if (known && window_s > 0) seen.cpus = static_cast<double>(ticks) * tick_s / window_s;
  // Threads are read in any case the first time: their use is the difference to the next.
  if (known && seen.cpus < options_.limits.least_cpus) return seen;
  if (!read_wholly(files_, changes, process)) seen.why_not = "it has ended or cannot be read";
  if (seen.why_not.empty()) seen.why_not = process.why_not;
  if (seen.why_not.empty() && options_.never.names(process)) {
    seen.why_not = "the configuration never balances it";
  }
  if (seen.why_not.empty() && !options_.only.empty() && !options_.only.names(process)) {
    seen.why_not = "the configuration balances only others";
  }
  seen.resident = process.resident;
  seen.cpuset = process.cpuset;
  seen.memory = process.memory;
  add_threads(seen, process, before);
  if (known && seen.why_not.empty()) add_pages(seen);
  return seen;
}

void Observer::forget_samples(pid_t pid) {
  if (options_.inner != nullptr) options_.inner->forget(pid);
}

bool Observer::waits_for_samples(const Observation& seen) {
  InnerSamples* const inner = options_.inner;
  if (inner == nullptr || seen.source != inner->facts().name) return false;
  const pid_t pid = seen.process.id;
  if (!balance::has_enough_samples(seen, options_.limits) && inner->may_wait(pid)) return true;
  inner->forget(pid);
  return false;
}

std::vector<Observation> Observer::look(const Changes& changes) {
  const auto now = pace_.now();
  const double window_s = looked_ ? std::chrono::duration<double>(now - *looked_).count() : 0;
  looked_ = now;
  const auto nodes = machine_.nodes_with_memory().to_vector();
  const auto free = machine::free_memory(files_.os, nodes);
  std::vector<Observation> observations;
  decltype(before_) still_there;
  for (const pid_t pid : candidates()) {
    auto process = read_quickly(files_, pid);
    if (!process) continue;
    ProcessFacts owner = *process;
    const bool by_number = options_.selection.pids.contains(pid) || options_.selection.all;
    if (!by_number && !read_wholly(files_, changes, owner)) continue;
    if (!is_chosen(owner)) continue;
    const bool known = before_.contains(process->key);
    Observation seen = observe(changes, std::move(*process), window_s);
    seen.free = free;
    still_there[seen.process] = before_[seen.process];
    if (known) observations.push_back(std::move(seen));
  }
  before_ = std::move(still_there);
  return observations;
}

Result<balance::Advice> advise_now(os::Os& os, const machine::Machine& machine,
                                   const balance::Demand& demand, const os::Pace& pace) {
  constexpr auto window = std::chrono::milliseconds(500);
  std::string before;
  std::string after;
  int result = os.read_file("/proc/stat", before);
  pace.pause(window);
  if (result >= 0) result = os.read_file("/proc/stat", after);
  if (result < 0) return failed("cannot read /proc/stat", "mount /proc", -result);
  auto rooms = balance::rooms_between(before, after, machine);
  const auto free = machine::free_memory(os, machine.node_ids().to_vector());
  for (balance::Room& room : rooms) {
    if (const auto found = free.find(room.node); found != free.end()) room.free = found->second;
  }
  return balance::advise(demand, rooms, machine);
}

}  // namespace homenode::balancer
