#include <omp.h>

#include <atomic>
#include <cerrno>
#include <mutex>

#include "workloads/map/course.h"
#include "workloads/map/team.h"

namespace homenode::workloads::map {
namespace {

/// What the region below works on. It is handed over and back through atomics, not captured: the
/// thread sanitizer does not see into the OpenMP runtime, but it understands these.
struct Handover {
  Course* course = nullptr;
  unsigned threads = 0;
  std::atomic<unsigned> done{0};
};

constinit std::mutex one_at_a_time;
constinit std::atomic<Handover*> handed_over{nullptr};

}  // namespace

Outcome run_with_openmp(const Job& job) {
  const std::lock_guard lock(one_at_a_time);
  Course course(job);
  Handover handover{&course, job.threads};
  handed_over = &handover;
  omp_set_dynamic(0);  // Exactly as many threads as asked for, or the check below says no.
#pragma omp parallel num_threads(job.threads)
  {
    Handover& mine = *handed_over.load();
    // The same answer in every thread: either all take part or none, so no barrier is left alone.
    if (static_cast<unsigned>(omp_get_num_threads()) == mine.threads) {
      mine.course->take_part(static_cast<unsigned>(omp_get_thread_num()));
      ++mine.done;
    }
  }
  if (handover.done != job.threads) return {EAGAIN, false, 0.0};
  return course.outcome();
}

}  // namespace homenode::workloads::map
