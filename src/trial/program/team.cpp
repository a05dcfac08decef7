#include "trial/program/team.h"

#include <fmt/format.h>
#include <omp.h>
#include <pthread.h>

#include <cassert>
#include <latch>
#include <mutex>

#include "actuation/process.h"
#include "base/marker.h"

namespace homenode::trial {

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

TeamPlace::TeamPlace(os::Os& os, unsigned threads) : os_(os), threads_(static_cast<int>(threads)) {
  omp_set_dynamic(0);  // Always teams of the size that is asked for.
}

TeamPlace::~TeamPlace() {
  if (!before_) return;
#pragma omp parallel num_threads(threads_)
  static_cast<void>(before_->take({}, {}));
}

Result<void> TeamPlace::take(const placement::Placement& placement) {
  assert(is_valid(placement));
  if (placement.threads || placement.process_memory) before_.emplace(os_);
  std::mutex lock;
  std::optional<Error> refusal;
  const auto note = [&](const Result<void>& result) {
    if (result) return;
    const std::lock_guard guard(lock);
    refusal = result.error();
  };
#pragma omp parallel num_threads(threads_)
  {
    const auto rank = static_cast<std::size_t>(omp_get_thread_num());
    hn_marker_thread(rank);
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
  std::vector<ThreadPlace> places(static_cast<std::size_t>(threads_));
  bool known = true;
#pragma omp parallel num_threads(threads_) reduction(&& : known)
  {
    ThreadPlace& mine = places[static_cast<std::size_t>(omp_get_thread_num())];
    known = os_.getcpu(mine.cpu, mine.node) == 0;
  }
  if (!known) places.clear();
  return places;
}

}  // namespace homenode::trial
