// The options of `sample` as the command line gives them, and what they ask for.
#include "cli/sample/sample.h"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "base/sizes.h"

namespace homenode::cli {
namespace {

constexpr double longest_seconds = 1e8;
constexpr double percent = 0.01;

/// A positive number, or nothing.
std::optional<double> positive_number(std::string_view text) {
  const auto value = real_in(text);
  return value && *value > 0 ? value : std::nullopt;
}

}  // namespace

Result<double> parse_overhead(std::string_view text) {
  constexpr double most = 100;
  if (text.ends_with('%')) {
    const auto value = positive_number(text.substr(0, text.size() - 1));
    if (value && *value <= most) return *value * percent;
  }
  return bad_usage(fmt::format("--overhead: '{}' is no share", text),
                   "write a part of the program's processor time, such as 1% or 0.5%");
}

void define_sample_options(CLI::App& app, SampleOptions& options) {
  app.add_option("--with", options.source,
                 "the source of the samples, or auto: the best that works here")
      ->type_name("SOURCE")
      ->capture_default_str();
  app.add_option("--output", options.output, "the file to write, which 'homenode profile' reads")
      ->type_name("FILE")
      ->capture_default_str();
  app.add_option("--overhead", options.overhead,
                 "what sampling may cost, over the program's processor time")
      ->type_name("SHARE")
      ->capture_default_str();
  app.add_option("--duration", options.duration, "end the sampling, not the program, after so long")
      ->type_name("SECONDS");
  app.add_flag("--no-allocations", options.no_allocations,
               "do not preload what records which call stack allocated which memory");
  app.add_flag("--list", options.list,
               "list the sources, what each sees, costs and needs, and whether it works here");
  app.add_flag("--json", options.json,
               "with --list: print one JSON object (schema homenode.sources/1)");
}

std::optional<pid_t> sampled_process(const std::vector<std::string>& line) {
  const auto pid = line.size() == 1 ? number_in<pid_t>(line.front()) : std::nullopt;
  return pid && *pid > 0 ? pid : std::nullopt;
}

Result<SampleCommand> make_sample_command(const SampleOptions& options,
                                          const std::vector<std::string>& line) {
  SampleCommand command;
  if (options.json && !options.list) {
    return bad_usage("--json belongs to --list", "the samples go to the file of --output");
  }
  const auto overhead = parse_overhead(options.overhead);
  if (!overhead) return overhead.as_unexpected();
  command.request.overhead = *overhead;
  command.request.output = options.output;
  if (!options.duration.empty()) {
    const auto seconds = positive_number(options.duration);
    if (!seconds || *seconds > longest_seconds) {
      return bad_usage(fmt::format("--duration: '{}' is no number of seconds", options.duration),
                       "write a number such as 10 or 0.5");
    }
    command.longest = std::chrono::duration_cast<std::chrono::nanoseconds>(
        std::chrono::duration<double>(*seconds));
  }
  if (options.list) return command;
  if (line.empty()) {
    return bad_usage("the process is missing",
                     "give its PID, or a program as in 'homenode sample -- ./solver'");
  }
  if (const auto pid = sampled_process(line)) {
    command.request.pid = *pid;
  } else {
    command.request.program = line;
  }
  return command;
}

}  // namespace homenode::cli
