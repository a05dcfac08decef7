// homenode bench stress: the threads. Thread 0 of the team is the one that watches; the others
// work.
#pragma once

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <optional>

#include "actuation/region.h"
#include "trial/stress/perturber.h"
#include "trial/stress/run.h"
#include "workloads/stress/walk.h"

namespace homenode::trial {

class StressTeam {
 public:
  StressTeam(os::Os& os, actuation::Region memory, Perturber& perturber, StressReport& report);
  StressTeam(const StressTeam&) = delete;
  StressTeam& operator=(const StressTeam&) = delete;
  ~StressTeam();

  /// Runs everything between the allocation and the check. Errors: see run_stress().
  Result<void> run();
  /// Errors: failed when a thread read, or the memory holds, anything else than was written.
  [[nodiscard]] Result<void> check_content() const;

 private:
  struct alignas(64) Worker {
    pid_t thread = 0;
    std::atomic<unsigned> node = 0;  ///< Where it was when it looked last.
    std::uint64_t cycles = 0;
    bool read_wrong = false;
  };

  [[nodiscard]] workloads::stress::Block block(unsigned number) const;
  [[nodiscard]] actuation::Region region_of(unsigned number) const;
  bool prepare_watcher();
  bool prepare_worker(unsigned thread);
  void work(unsigned thread);
  bool walk(unsigned thread, unsigned block_number);
  void watch();
  void take_sample(double seconds);
  void refuse(const Error& error);

  os::Os& os_;
  actuation::Region memory_;
  Perturber& perturber_;
  StressReport& report_;
  std::vector<Worker> workers_;
  std::vector<void*> sampled_addresses_;
  std::atomic<bool> stop_ = false;
  int done_event_ = -1;  ///< Counts the workers that have finished.

  std::mutex lock_;
  std::condition_variable changed_;
  std::size_t arrived_ = 0;     ///< Workers whose number is known.
  std::optional<bool> pinned_;  ///< Whether they were pinned; nothing until that is known.
  std::optional<Error> error_;
};

}  // namespace homenode::trial
