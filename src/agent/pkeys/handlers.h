// The sampler's two signal handlers, and the program's behind them. SIGSEGV: a thread touched an
// armed page. SIGSYS: a thread made a system call while a window is open. Serves the sampler by
// protection keys.
#pragma once

#include <csignal>

#include "agent/pkeys/ring.h"

namespace homenode::agent::pkeys {

/// Installs both. False where the kernel refuses.
bool install_handlers();
/// From then on; also once sampling has ended, and in forked children.
bool own_handlers_installed();

/// Whether a signal is one of ours, whose action of the program is kept by us.
inline bool is_ours(int signal) {
  return signal == SIGSEGV || signal == SIGSYS;
}
/// As sigaction(2) does for any other signal. pre: is_ours(signal).
void change_action(int signal, const struct sigaction* wanted, struct sigaction* before);

/// Removes the signals of the sampler, which a program must not block.
void remove_our_signals(sigset_t& mask);

/// What the handlers recorded, for the sampler to write.
Ring& the_ring();

}  // namespace homenode::agent::pkeys
