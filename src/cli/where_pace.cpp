#include "cli/where_pace.h"

#include <cerrno>
#include <ctime>

namespace homenode::cli {
namespace {

volatile std::sig_atomic_t signal_has_come = 0;

void remember(int /*signal*/) {
  signal_has_come = 1;
}

/// Sleeps in short pieces: a signal that comes just before one is then seen soon after.
void sleep(std::chrono::nanoseconds time) {
  constexpr std::chrono::nanoseconds piece = std::chrono::milliseconds(100);
  while (time.count() > 0 && signal_has_come == 0) {
    const std::chrono::nanoseconds now = time < piece ? time : piece;
    const timespec wait{0, static_cast<long>(now.count())};
    nanosleep(&wait, nullptr);
    time -= now;
  }
}

}  // namespace

StopSignals::StopSignals() {
  signal_has_come = 0;
  struct sigaction action {};
  action.sa_handler = remember;  // NOLINT: the union of the system's header.
  sigaction(SIGINT, &action, &interrupt_);
  sigaction(SIGTERM, &action, &terminate_);
}

StopSignals::~StopSignals() {
  sigaction(SIGINT, &interrupt_, nullptr);
  sigaction(SIGTERM, &terminate_, nullptr);
}

Pace StopSignals::pace() {
  return {[] { return std::chrono::steady_clock::now().time_since_epoch(); }, sleep,
          [] { return signal_has_come != 0; }};
}

}  // namespace homenode::cli
