// What `homenode measure` reports of its progress on the error stream.
#pragma once

#include <chrono>
#include <ostream>
#include <string>
#include <vector>

#include "measure/session.h"

namespace homenode::cli {

/// How far the measurement is: one line that is drawn again on a terminal, a plain line now and
/// then elsewhere.
class MeasureProgress {
 public:
  /// Nanoseconds since any moment; a parameter so that tests need no clock.
  using Now = std::chrono::nanoseconds (*)();

  MeasureProgress(std::ostream& err, bool terminal, Now now);
  void say(const measure::Progress& progress);
  /// Takes the line off the terminal.
  void finish();

 private:
  std::ostream& err_;
  bool terminal_;
  bool drawn_ = false;
  Now now_;
  std::chrono::nanoseconds last_;
};

/// The steady clock's.
std::chrono::nanoseconds progress_now();
/// The error stream of this process is a terminal.
bool error_stream_is_terminal();

}  // namespace homenode::cli
