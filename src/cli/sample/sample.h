// homenode sample: which thread uses which memory of a program, written to a file while it runs.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "cli/options.h"
#include "cli/verb.h"
#include "sensing/sources/source.h"

namespace homenode::cli {

/// What stands on the command line.
struct SampleOptions {
  std::string source = "auto";
  std::string output = "homenode.samples";
  std::string overhead = "1%";
  std::string duration;
  bool no_allocations = false;
  bool list = false;
  bool json = false;
};

/// What it asks for, checked.
struct SampleCommand {
  sensing::SampleRequest request;  ///< Without the command's own file.
  std::optional<std::chrono::nanoseconds> longest;
};

/// "1%": a part of a program's processor time, up to all of it. Errors: bad_usage.
Result<double> parse_overhead(std::string_view text);

void define_sample_options(CLI::App& app, SampleOptions& options);

/// The process that the line after the options names: one number is a PID, all else a program with
/// its arguments.
std::optional<pid_t> sampled_process(const std::vector<std::string>& line);

/// `line` is what follows the options, as above.
/// Errors: bad_usage naming the value that is wrong.
Result<SampleCommand> make_sample_command(const SampleOptions& options,
                                          const std::vector<std::string>& line);

}  // namespace homenode::cli
