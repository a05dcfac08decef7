#include <cerrno>

#include "workloads/map/course.h"
#include "workloads/map/team.h"
#include "workloads/program/team.h"

namespace homenode::workloads::map {

Outcome run_with_openmp(const Job& job) {
  Course course(job);
  const auto part = [&course](unsigned rank) { course.take_part(rank); };
  if (!run_openmp_team(job.threads, part)) return {EAGAIN, false, 0.0};
  return course.outcome();
}

}  // namespace homenode::workloads::map
