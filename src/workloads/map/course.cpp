#include "workloads/map/course.h"

#include "base/marker.h"

namespace homenode::workloads::map {

Course::Course(const Job& job) : job_(job) {
  pthread_barrier_init(&barrier_, nullptr, job.threads);
}

Course::~Course() {
  pthread_barrier_destroy(&barrier_);
}

void Course::take_part(unsigned rank) {
  if (!job_.prepare(rank)) refused_ = true;
  hn_marker_thread(rank);
  wait();
  if (refused_) return;

  if (rank == 0) part_.begin();
  wait();
  for (unsigned pass = 0; pass < job_.passes; ++pass) job_.pass(rank);
  wait();
  if (rank == 0) seconds_ = part_.end();
  wait();

  job_.finish(rank);
}

Outcome Course::outcome() const {
  if (refused_) return {};
  return {0, true, seconds_};
}

}  // namespace homenode::workloads::map
