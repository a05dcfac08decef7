#include "lab/timing/wakeups.h"

#include <algorithm>

namespace homenode::lab {

void Wakeups::clear() {
  const std::lock_guard lock(mutex_);
  ready_ps_.clear();
}

void Wakeups::not_before(Task task, std::uint64_t time_ps) {
  const std::lock_guard lock(mutex_);
  std::uint64_t& ready_ps = ready_ps_[task];
  ready_ps = std::max(ready_ps, time_ps);
}

std::optional<std::uint64_t> Wakeups::ready_ps(Task task) const {
  const std::lock_guard lock(mutex_);
  const auto found = ready_ps_.find(task);
  if (found == ready_ps_.end()) return std::nullopt;
  return found->second;
}

}  // namespace homenode::lab
