// What sampling costs the program: the processor time of the sampler, and that of the program's
// faults and dispatched calls, by what one of them was measured to cost at the start. Serves the
// sampler by protection keys.
#pragma once

#include <cstdint>

namespace homenode::agent::pkeys {

class Cost {
 public:
  /// Measures one fault and one dispatched call in the calling thread. pre: nobody needs `key`.
  void calibrate(std::uint64_t budget_ppm, int key);
  /// How long to wait until the budget allows another window like the last ones; 0: now.
  std::uint64_t pause_ns();
  /// A window has been opened and closed, or could not be opened.
  void end_window();

  [[nodiscard]] std::uint64_t sampler_ns() const;
  /// By the program's own threads.
  [[nodiscard]] std::uint64_t program_ns() const;
  [[nodiscard]] std::uint64_t faults_ns() const;
  [[nodiscard]] std::uint64_t fault_ns() const { return fault_ns_; }
  [[nodiscard]] std::uint64_t call_ns() const { return call_ns_; }

 private:
  [[nodiscard]] std::uint64_t spent_ns() const;

  std::uint64_t budget_ppm_ = 0;
  std::uint64_t fault_ns_ = 0;
  std::uint64_t call_ns_ = 0;
  std::uint64_t window_ns_ = 0;  ///< What a window costs, as far as is known.
  std::uint64_t before_ns_ = 0;  ///< Spent before the window.
  /// When and at how much of the program's processor time it was looked last.
  std::uint64_t looked_ns_ = 0;
  std::uint64_t program_then_ns_ = 0;
};

}  // namespace homenode::agent::pkeys
