// Time and Ctrl-C for what takes a while: the watch and the repair. A value, so that tests need
// neither a clock nor a signal.
#pragma once

#include <chrono>
#include <csignal>
#include <functional>

namespace homenode::os {

struct Pace {
  /// Nanoseconds since any moment.
  std::function<std::chrono::nanoseconds()> now;
  /// Waits so long, or until the person wants an end.
  std::function<void(std::chrono::nanoseconds)> pause;
  /// The person wants an end.
  std::function<bool()> stopped;
};

/// Ctrl-C and SIGTERM are remembered instead of killing the process, as long as this lives. One at
/// a time.
class StopSignals {
 public:
  /// What Ctrl-C does: it is remembered too; or nothing, as it is meant for a program that the same
  /// terminal sends it to.
  enum class Interrupt { stops, is_for_others };

  explicit StopSignals(Interrupt interrupt = Interrupt::stops);
  ~StopSignals();
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;

  /// The steady clock, sleeping, and whether a signal has come.
  [[nodiscard]] static Pace pace();

 private:
  struct sigaction interrupt_ {};
  struct sigaction terminate_ {};
};

/// SIGHUP is counted instead of killing the process, as long as this lives. One at a time.
class HangupSignal {
 public:
  HangupSignal();
  ~HangupSignal();
  HangupSignal(const HangupSignal&) = delete;
  HangupSignal& operator=(const HangupSignal&) = delete;

  /// Whether one has come since this was asked last.
  [[nodiscard]] static bool take();

 private:
  struct sigaction before_ {};
};

}  // namespace homenode::os
