#include "workloads/program/team.h"

#include <omp.h>

#include <atomic>
#include <mutex>

#include "base/marker.h"

namespace homenode::workloads {
namespace {

/// What the region below works on. It is handed over and back through atomics, not captured: the
/// thread sanitizer does not see into the OpenMP runtime, but it understands these.
struct Handover {
  const std::function<void(unsigned)>& part;
  unsigned threads = 0;
  std::atomic<unsigned> done{0};
};

constinit std::mutex one_team_at_a_time;
constinit std::atomic<Handover*> handed_over{nullptr};

}  // namespace

bool run_openmp_team(unsigned threads, const std::function<void(unsigned rank)>& part) {
  const std::lock_guard lock(one_team_at_a_time);
  Handover handover{part, threads};
  handed_over = &handover;
  omp_set_dynamic(0);  // Exactly as many threads as asked for, or the check below says no.
#pragma omp parallel num_threads(threads)
  {
    Handover& mine = *handed_over.load();
    // The same answer in every thread: either all take part or none, so no barrier is left alone.
    if (static_cast<unsigned>(omp_get_num_threads()) == mine.threads) {
      mine.part(static_cast<unsigned>(omp_get_thread_num()));
      ++mine.done;
    }
  }
  return handover.done == threads;
}

unsigned enter_team() {
  const auto rank = static_cast<unsigned>(omp_get_thread_num());
  hn_marker_thread(rank);
  return rank;
}

}  // namespace homenode::workloads
