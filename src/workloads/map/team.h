// MAP-numa: a team of threads that runs passes between two barriers. Two versions, as in the
// paper: pthreads and OpenMP. The caller is rank 0 of both.
#pragma once

#include <functional>

namespace homenode::workloads::map {

/// What the team does. The functions are called at the same time from all threads, with the rank.
struct Job {
  unsigned threads = 1;
  unsigned passes = 1;
  /// Before anything is timed or counted: binding. When it gives false for any rank, no thread
  /// does a pass or `finish`.
  std::function<bool(unsigned rank)> prepare;
  /// One pass, inside the region of interest.
  std::function<void(unsigned rank)> pass;
  /// After the region of interest.
  std::function<void(unsigned rank)> finish;
};

struct Outcome {
  int start_errno = 0;    ///< Not 0 when the threads could not be started; nothing was run then.
  bool prepared = false;  ///< False when a prepare said no; nothing was run then.
  double seconds = 0.0;   ///< All passes together, wall time of the steady clock.
};

/// Both wait in sleeping barriers: a thread that waits leaves its CPU to the others. The region of
/// interest (base/marker.h) is begun and ended by rank 0 while all others wait, so that it
/// holds the passes alone; every thread announces its rank before that.
/// pre: threads > 0, all three functions are set.
Outcome run_with_pthreads(const Job& job);
/// EAGAIN when the OpenMP runtime gives fewer threads (OMP_THREAD_LIMIT).
Outcome run_with_openmp(const Job& job);

}  // namespace homenode::workloads::map
