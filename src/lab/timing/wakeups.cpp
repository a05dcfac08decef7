#include "lab/timing/wakeups.h"

#include <algorithm>

namespace homenode::lab {

void Wakeups::clear() {
  const std::lock_guard lock(mutex_);
  tasks_.clear();
}

/// pre: locked.
void Wakeups::raise(GoingOn& task, std::uint64_t time_ps) {
  task.ready_ps = std::max(task.ready_ps.value_or(0), time_ps);
}

void Wakeups::not_before(Task task, std::uint64_t time_ps) {
  const std::lock_guard lock(mutex_);
  raise(tasks_[task], time_ps);
}

void Wakeups::stop(Task task, const Stop& stop) {
  const std::lock_guard lock(mutex_);
  GoingOn& known = tasks_[task];
  raise(known, stop.time_ps);
  known.stop = stop;
}

void Wakeups::wake(Task task, std::uint64_t ready_ps, const Wake& wake, bool is_new) {
  const std::lock_guard lock(mutex_);
  GoingOn& known = tasks_[task];
  // The kernel uses the memory of tasks that are gone again.
  if (is_new) known = {};
  raise(known, ready_ps);
  known.wake = wake;
  known.is_new = is_new;
}

std::optional<std::uint64_t> Wakeups::ready_ps(Task task) const {
  const std::lock_guard lock(mutex_);
  const auto found = tasks_.find(task);
  return found == tasks_.end() ? std::nullopt : found->second.ready_ps;
}

GoingOn Wakeups::go_on(Task task) {
  const std::lock_guard lock(mutex_);
  const auto found = tasks_.find(task);
  if (found == tasks_.end()) return {};
  const GoingOn known = found->second;
  found->second = {known.ready_ps, {}, {}, false};
  return known;
}

std::vector<GoingOn> Wakeups::waiting() const {
  const std::lock_guard lock(mutex_);
  std::vector<GoingOn> all;
  for (const auto& [task, known] : tasks_) {
    if (known.stop) all.push_back(known);
  }
  return all;
}

}  // namespace homenode::lab
