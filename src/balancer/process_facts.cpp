#include "balancer/process_facts.h"

#include <fmt/format.h>

#include "base/id_list.h"
#include "sensing/thread_files.h"

namespace homenode::balancer {
namespace {

/// What `changes` bound a thread to is not its owner's will, as long as it is still so.
bool is_ours(const Changes& changes, const TaskKey& thread, const CpuSet& allowed) {
  const ThreadChange* const change = changes.change_of(thread);
  return change != nullptr && !change->after.empty() && change->after.back() == allowed;
}

Untouchable why_not(const Changes& changes, const ProcessFacts& process, const ThreadFacts& thread,
                    bool realtime) {
  if (realtime) return "it is a real-time thread";
  if (thread.allowed.empty()) return "its CPUs cannot be read";
  if (is_ours(changes, thread.key, thread.allowed)) return {};
  if (process.cpuset.is_subset_of(thread.allowed)) return {};
  return fmt::format("it is bound to the CPUs {}", to_list(thread.allowed));
}

bool read_thread(const sensing::SystemFiles& files, const Changes& changes, ProcessFacts& process,
                 pid_t id) {
  const std::string folder = fmt::format("/proc/{}/task/{}/", process.key.id, id);
  std::string text;
  if (files.read(folder + "stat", text) < 0) return false;
  const auto stat = sensing::parse_stat(text);
  if (!stat || stat->ended) return false;
  ThreadFacts thread{{id, stat->started}, stat->name, stat->cpu_ticks, stat->last_cpu, {}, {}};
  if (files.read(folder + "status", text) == 0) thread.allowed = sensing::parse_status(text).cpus;
  thread.why_not = why_not(changes, process, thread, stat->realtime);
  process.threads.push_back(std::move(thread));
  return true;
}

}  // namespace

std::optional<ProcessFacts> read_quickly(const sensing::SystemFiles& files, pid_t pid) {
  std::string text;
  if (files.read(fmt::format("/proc/{}/stat", pid), text) < 0) return std::nullopt;
  const auto stat = sensing::parse_stat(text);
  if (!stat || stat->ended || stat->of_kernel) return std::nullopt;
  ProcessFacts process;
  process.key = {pid, stat->started};
  process.name = stat->name;
  process.cpu_ticks = stat->cpu_ticks;
  if (pid == 1) process.why_not = "it is the first process of the system";
  return process;
}

bool read_wholly(const sensing::SystemFiles& files, const Changes& changes, ProcessFacts& process) {
  std::string text;
  const std::string folder = fmt::format("/proc/{}/", process.key.id);
  if (files.read(folder + "status", text) < 0) return false;
  const sensing::TaskOwner owner = sensing::parse_owner(text);
  if (!owner.user) return false;
  process.user = *owner.user;
  process.resident = owner.resident;
  process.memory = sensing::parse_status(text).memory_nodes;
  if (owner.tracer != 0) {
    process.why_not = fmt::format("process {} traces it", owner.tracer);
  }
  if (files.read(folder + "cgroup", text) == 0) process.cgroup = sensing::cgroup_in(text);
  process.cpuset = sensing::cpuset_of(files, process.key.id);
  if (process.cpuset.empty()) process.why_not = "the CPUs of its cpuset cannot be read";
  std::vector<pid_t> ids;
  if (files.list_numbers(folder + "task", ids) < 0) return false;
  process.threads.clear();
  for (const pid_t id : ids) read_thread(files, changes, process, id);
  return !process.threads.empty();
}

}  // namespace homenode::balancer
