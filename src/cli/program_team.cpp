#include "cli/program_team.h"

#include <fmt/format.h>
#include <omp.h>
#include <pthread.h>

#include <latch>
#include <mutex>
#include <optional>

#include "actuation/process.h"

namespace homenode::cli {

Result<void> check_threads(unsigned threads) {
  const auto refused = [threads](int error) {
    return failed(
        fmt::format("cannot start {} threads", threads),
        "give fewer --threads, or raise the limit (ulimit -u, pids.max, OMP_THREAD_LIMIT)", error);
  };
  if (omp_get_thread_limit() < static_cast<int>(threads)) return refused(0);
  std::latch tried(1);
  const auto wait = [](void* latch) -> void* {
    static_cast<std::latch*>(latch)->wait();
    return nullptr;
  };
  std::vector<pthread_t> started;
  int error = 0;
  while (error == 0 && started.size() + 1 < threads) {
    pthread_t thread{};
    error = pthread_create(&thread, nullptr, wait, &tried);
    if (error == 0) started.push_back(thread);
  }
  tried.count_down();
  for (const pthread_t thread : started) pthread_join(thread, nullptr);
  if (error != 0) return refused(error);
  return {};
}

TeamPlace::TeamPlace(os::Os& os, unsigned threads) : os_(os), before_(threads) {
  omp_set_dynamic(0);  // Always teams of the size that is asked for.
}

TeamPlace::~TeamPlace() {
#pragma omp parallel num_threads(static_cast <int>(before_.size()))
  {
    const Before& mine = before_[static_cast<std::size_t>(omp_get_thread_num())];
    if (mine.bound) os_.sched_setaffinity(0, mine.cpus);
    if (mine.has_policy) os_.set_mempolicy(mine.mode, mine.nodes);
  }
}

Result<void> TeamPlace::take(const placement::Placement& placement) {
  // The main thread's own CPUs are what new threads begin with, so they are read before it moves.
  for (Before& each : before_) {
    each.bound = placement.threads && os_.sched_getaffinity(0, each.cpus) == 0;
    each.has_policy = placement.process_memory && os_.get_mempolicy(each.mode, each.nodes) == 0;
  }
  std::mutex lock;
  std::optional<Error> refusal;
  const auto note = [&](const Result<void>& result) {
    if (result) return;
    const std::lock_guard guard(lock);
    refusal = result.error();
  };
#pragma omp parallel num_threads(static_cast <int>(before_.size()))
  {
    const auto rank = static_cast<std::size_t>(omp_get_thread_num());
    if (placement.threads) {
      note(actuation::bind_thread(os_, 0, placement.threads->of(rank)));
    }
    if (placement.process_memory) {
      note(actuation::set_process_policy(os_, *placement.process_memory));
    }
  }
  if (refusal) return Unexpected(*refusal);
  return {};
}

std::vector<ThreadPlace> TeamPlace::look() {
  std::vector<ThreadPlace> places(before_.size());
  bool known = true;
#pragma omp parallel num_threads(static_cast <int>(before_.size())) reduction(&& : known)
  {
    ThreadPlace& mine = places[static_cast<std::size_t>(omp_get_thread_num())];
    known = os_.getcpu(mine.cpu, mine.node) == 0;
  }
  if (!known) places.clear();
  return places;
}

}  // namespace homenode::cli
