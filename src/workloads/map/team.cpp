#include <pthread.h>
#include <cerrno>

#include <condition_variable>
#include <mutex>
#include <vector>

#include "workloads/map/course.h"
#include "workloads/map/team.h"
#include "workloads/program/team.h"

namespace homenode::workloads::map {
namespace {

/// Holds the threads back until all of them exist: a course begun with too few would never end.
class Gate {
 public:
  void decide(bool open) {
    const std::lock_guard lock(mutex_);
    open_ = open;
    decided_ = true;
    changed_.notify_all();
  }
  bool pass() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return decided_; });
    return open_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool decided_ = false;
  bool open_ = false;
};

struct Member {
  Gate* gate = nullptr;
  Course* course = nullptr;
  unsigned rank = 0;
};

void* run_member(void* argument) {
  const Member& member = *static_cast<const Member*>(argument);
  if (member.gate->pass()) member.course->take_part(member.rank);
  return nullptr;
}

}  // namespace

Outcome run_with_pthreads(const Job& job) {
  Gate gate;
  Course course(job);
  std::vector<Member> members(job.threads);
  std::vector<pthread_t> threads;
  threads.reserve(job.threads);
  int error = 0;
  for (unsigned rank = 1; rank < job.threads && error == 0; ++rank) {
    members[rank] = {&gate, &course, rank};
    pthread_t thread{};
    error = pthread_create(&thread, nullptr, run_member, &members[rank]);
    if (error == 0) threads.push_back(thread);
  }
  gate.decide(error == 0);
  if (error == 0) course.take_part(0);
  for (pthread_t thread : threads) pthread_join(thread, nullptr);
  if (error != 0) return {error, false, 0.0};
  return course.outcome();
}

Outcome run_with_openmp(const Job& job) {
  Course course(job);
  const auto part = [&course](unsigned rank) { course.take_part(rank); };
  if (!run_openmp_team(job.threads, part)) return {EAGAIN, false, 0.0};
  return course.outcome();
}

}  // namespace homenode::workloads::map
