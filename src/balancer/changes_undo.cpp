// Putting back what the journal names: the second half of changes.cpp.
#include <fmt/format.h>

#include <algorithm>
#include <cerrno>

#include "actuation/move.h"
#include "actuation/refusal.h"
#include "balancer/changes.h"
#include "base/id_list.h"

namespace homenode::balancer {
namespace {

using actuation::Call;

}  // namespace

bool Changes::restore(const ThreadChange& change, Restored& restored) {
  if (!lives(change.process, change.thread)) {
    ++restored.gone;
    return false;
  }
  CpuSet now;
  int result = files_.os.sched_getaffinity(change.thread.id, now);
  if (result == 0 && now == change.before) return false;
  if (result == 0 && std::ranges::find(change.after, now) == change.after.end()) {
    ++restored.changed_since;
    return false;
  }
  if (result == 0) result = files_.os.sched_setaffinity(change.thread.id, change.before);
  if (result == 0) {
    ++restored.threads;
    return false;
  }
  if (result == -ESRCH) {
    ++restored.gone;
    return false;
  }
  restored.refusals.push_back(
      actuation::refusal(files_.os,
                         {.call = Call::sched_setaffinity,
                          .tried = fmt::format("cannot give thread {} the CPUs {} again",
                                               change.thread.id, to_list(change.before)),
                          .cpus = change.before},
                         result)
          .take());
  return true;
}

bool Changes::restore(const PageChange& change, Restored& restored) {
  if (!lives(change.process)) {
    ++restored.gone;
    return false;
  }
  for (std::uint64_t start = 0; start < change.pages; start += pages_of_a_call) {
    const auto pages = sensing::addresses_of(
        {change.first + start * change.stride * change.page_size.value,
         std::min(pages_of_a_call, change.pages - start), change.page_size, change.stride});
    std::vector<int> status;
    int result = sensing::query_pages(files_.os, change.process.id, pages, status);
    std::vector<void*> moved;
    for (std::size_t i = 0; result == 0 && i < pages.size(); ++i) {
      if (status[i] == static_cast<int>(change.to.value())) moved.push_back(pages[i]);
    }
    if (!moved.empty()) {
      result = actuation::move_batch(files_.os, change.process.id, moved, change.from);
    }
    if (result == -ESRCH) return false;
    if (result < 0) {
      restored.refusals.push_back(
          actuation::refusal(
              files_.os,
              {.call = Call::move_pages,
               .tried = fmt::format("cannot move pages of process {} back to node {}",
                                    change.process.id, change.from.value())},
              result)
              .take());
      return true;
    }
    restored.pages += moved.size();
  }
  return false;
}

void Changes::restore_pages(const std::function<bool(const PageChange&)>& chosen,
                            Restored& restored) {
  std::vector<PageChange> kept;
  for (auto change = journal_.pages.rbegin(); change != journal_.pages.rend(); ++change) {
    if (!chosen(*change) || restore(*change, restored)) kept.push_back(*change);
  }
  std::ranges::reverse(kept);
  journal_.pages = std::move(kept);
}

std::size_t Changes::pages_of(const TaskKey& process) const {
  return static_cast<std::size_t>(
      std::ranges::count(journal_.pages, process, &PageChange::process));
}

void Changes::begin_plan(const TaskKey& process) {
  Mark mark;
  mark.pages = pages_of(process);
  for (const ThreadChange& change : journal_.threads) {
    if (change.process == process && !change.after.empty()) {
      mark.threads[change.thread] = change.after.back();
    }
  }
  marks_[process] = std::move(mark);
}

void Changes::take_back_threads(const TaskKey& process, const Mark& mark, Restored& restored) {
  std::vector<ThreadChange> kept;
  for (ThreadChange& change : journal_.threads) {
    const auto bound = mark.threads.find(change.thread);
    if (change.process != process) {
      kept.push_back(change);
    } else if (bound == mark.threads.end()) {
      if (restore(change, restored)) kept.push_back(change);
    } else {
      ThreadChange latest{process, change.thread, bound->second, change.after};
      restore(latest, restored);
      change.after.push_back(bound->second);
      kept.push_back(change);
    }
  }
  journal_.threads = std::move(kept);
}

Result<Restored> Changes::take_back(const TaskKey& process) {
  Restored restored;
  const Mark mark = marks_[process];
  marks_.erase(process);
  take_back_threads(process, mark, restored);
  std::size_t left = pages_of(process);
  restore_pages(
      [&](const PageChange& change) { return change.process == process && left-- > mark.pages; },
      restored);
  if (auto saved = save(); !saved) return saved.as_unexpected();
  return restored;
}

Result<Restored> Changes::restore() {
  Restored restored;
  if (journal_.empty()) return restored;
  std::erase_if(journal_.threads,
                [&](const ThreadChange& change) { return !restore(change, restored); });
  restore_pages([](const PageChange&) { return true; }, restored);
  if (journal_.kernel_balancing) {
    const int result = files_.os.write_file(files_.root + kernel_balancing_file,
                                            *journal_.kernel_balancing + "\n");
    if (result == 0) {
      journal_.kernel_balancing.reset();
    } else {
      restored.refusals.push_back(
          failed("cannot switch the kernel's balancing on again",
                 fmt::format("write {} to {}", *journal_.kernel_balancing, kernel_balancing_file),
                 -result)
              .take());
    }
  }
  if (auto saved = save(); !saved) return saved.as_unexpected();
  return restored;
}

}  // namespace homenode::balancer
