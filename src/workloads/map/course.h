// MAP-numa: the course that every member of a team runs, whatever started its thread.
#pragma once

#include <pthread.h>

#include <atomic>

#include "workloads/map/team.h"
#include "workloads/program/program.h"

namespace homenode::workloads::map {

/// One run of a job. Every thread calls take_part once with its rank; outcome() is for the caller
/// when all have returned. The barrier is pthread's, which sleeps in the kernel, for OpenMP too:
/// the OpenMP runtime's own spins by default, which starves the others where CPUs are shared.
class Course {
 public:
  explicit Course(const Job& job);
  Course(const Course&) = delete;
  Course& operator=(const Course&) = delete;
  ~Course();

  void take_part(unsigned rank);
  [[nodiscard]] Outcome outcome() const;

 private:
  void wait() { pthread_barrier_wait(&barrier_); }

  const Job& job_;
  pthread_barrier_t barrier_;
  std::atomic<bool> refused_{false};
  TimedPart part_;
  double seconds_ = 0.0;
};

}  // namespace homenode::workloads::map
