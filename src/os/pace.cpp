#include "os/pace.h"

#include <algorithm>
#include <ctime>

namespace homenode::os {
namespace {

volatile std::sig_atomic_t signal_has_come = 0;
volatile std::sig_atomic_t hangup_has_come = 0;

void remember(int /*signal*/) {
  signal_has_come = 1;
}

void pass_over(int /*signal*/) {}

void remember_hangup(int /*signal*/) {
  hangup_has_come = 1;
}

/// Sleeps in short pieces: a signal that comes just before one is then seen soon after. The clock
/// says when it is over, also where the kernel cuts a piece short or refuses it.
void sleep(std::chrono::nanoseconds time) {
  using Clock = std::chrono::steady_clock;
  constexpr std::chrono::nanoseconds piece = std::chrono::milliseconds(100);
  const auto end = Clock::now() + time;
  while (signal_has_come == 0) {
    const std::chrono::nanoseconds left = end - Clock::now();
    if (left.count() <= 0) return;
    const timespec wait{0, static_cast<long>(std::min(left, piece).count())};
    nanosleep(&wait, nullptr);
  }
}

}  // namespace

StopSignals::StopSignals(Interrupt interrupt) {
  signal_has_come = 0;
  struct sigaction action {};
  action.sa_handler = remember;  // NOLINT: the union of the system's header.
  struct sigaction other = action;
  // Not SIG_IGN, which a program that is started inherits.
  if (interrupt == Interrupt::is_for_others) other.sa_handler = pass_over;  // NOLINT: as above.
  sigaction(SIGINT, &other, &interrupt_);
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

HangupSignal::HangupSignal() {
  hangup_has_come = 0;
  struct sigaction action {};
  action.sa_handler = remember_hangup;  // NOLINT: as above.
  sigaction(SIGHUP, &action, &before_);
}

HangupSignal::~HangupSignal() {
  sigaction(SIGHUP, &before_, nullptr);
}

bool HangupSignal::take() {
  const bool has_come = hangup_has_come != 0;
  hangup_has_come = 0;
  return has_come;
}

}  // namespace homenode::os
