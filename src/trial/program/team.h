// The OpenMP team of a program: can it be had, and where does each of its threads run.
#pragma once

#include <optional>
#include <vector>

#include "base/result.h"
#include "os/os.h"
#include "placement/placement.h"
#include "trial/own_place.h"
#include "trial/program/run.h"

namespace homenode::trial {

/// Whether so many threads can be started now. The OpenMP runtime ends the process where they
/// cannot, so it is tried first. Errors: failed with what to do.
Result<void> check_threads(unsigned threads);

/// The CPUs and the memory policy of each thread of a team, put back at the end.
class TeamPlace {
 public:
  TeamPlace(os::Os& os, unsigned threads);
  TeamPlace(const TeamPlace&) = delete;
  TeamPlace& operator=(const TeamPlace&) = delete;
  ~TeamPlace();

  /// Tells the lab the rank of each thread, binds it to its CPUs and sets the policy of all other
  /// memory, as far as the placement says, in the threads that later teams of this size have too.
  /// Errors: as bind_thread() and set_process_policy().
  Result<void> take(const placement::Placement& placement);

  /// Where each rank runs now; empty where the kernel does not say.
  std::vector<ThreadPlace> look();

 private:
  os::Os& os_;
  int threads_;
  std::optional<OwnPlace> before_;  ///< Of the main thread, which is what new threads begin with.
};

}  // namespace homenode::trial
