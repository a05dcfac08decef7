// Another implementation of the same problem, as a command: run once, timed, and its rate read from
// what it prints.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace homenode::trial {

struct PeerRun {
  double wall_seconds = 0.0;  ///< The whole command.
  double cpu_seconds = 0.0;
  std::optional<double> rate;    ///< Of its own account, 1e6 operations a second.
  std::optional<bool> verified;  ///< What it says of itself, where it does.
};

/// The last "Mop/s total = 123.4" of a text, as the binaries of NPB print it.
std::optional<double> rate_in(std::string_view text);
/// "Verification = SUCCESSFUL" or anything else after "Verification =".
std::optional<bool> verification_in(std::string_view text);

/// Runs the command in a shell with OMP_NUM_THREADS set. Errors: failed when it cannot be started
/// or ends with another exit code than 0.
Result<PeerRun> run_peer(const std::string& command, unsigned threads);

}  // namespace homenode::trial
