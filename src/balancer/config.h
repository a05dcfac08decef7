// The configuration file of the balancer: which processes it may balance, how often it looks, and
// the thresholds of balance/limits.h. Read at the start and again at SIGHUP.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "balance/limits.h"
#include "base/result.h"
#include "os/os.h"

namespace homenode::balancer {

/// Processes by whose they are and what they run.
struct Names {
  std::vector<std::string> users;     ///< Names or numbers.
  std::vector<std::string> cgroups;   ///< And those below them.
  std::vector<std::string> programs;  ///< As /proc/PID/comm has them: 15 bytes at most.
};

struct Config {
  balance::Limits limits;
  std::optional<double> interval_s;
  std::optional<double> burst_s;
  std::optional<double> overhead;
  Names only;   ///< Where it names any, all others are left alone.
  Names never;  ///< Left alone.
};

/// Lines of "name = value"; '#' begins a comment, and names of `only` and `never` may be repeated.
/// Errors: failed, naming the line. Pure.
Result<Config> config_in(std::string_view text);

/// Errors: failed when the file cannot be read; as config_in(), with the file's name.
Result<Config> read_config(os::Os& os, const std::string& path);

}  // namespace homenode::balancer
