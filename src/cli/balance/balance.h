// homenode balance: keeps the threads and the memory of live processes together, as long as it
// runs. Here are its options as the command line gives them, and what they ask for.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "balancer/config.h"
#include "balancer/inner_samples.h"
#include "balancer/loop.h"
#include "balancer/request.h"
#include "cli/options.h"
#include "cli/verb.h"

namespace homenode::cli {

struct BalanceOptions {
  std::vector<std::string> pids;
  std::vector<std::string> users;
  std::vector<std::string> cgroups;
  bool all = false;
  bool apply = false;
  bool dry_run = false;
  bool once = false;
  bool restore = false;
  bool json = false;
  std::string source = "auto";
  // Empty where the command line has none, so that the configuration's counts.
  std::string interval;
  std::string burst;
  std::string overhead;
  std::string least_memory;
  std::string config;
  std::string advise;
  std::string log;
  std::string metrics;
  std::string state;
  std::string socket;
  std::string kernel_balancing = "leave";
};

void define_balance_options(CLI::App& app, BalanceOptions& options);

/// `program` is what follows the options, which count more than the configuration. Errors:
/// bad_usage naming the value that is wrong; failed where it is one of the configuration's.
Result<balancer::LoopOptions> make_loop_options(os::Os& os, const BalanceOptions& options,
                                                const std::vector<std::string>& program,
                                                const balancer::Config& config);

/// Checks the source that is named. Where it samples from within the program that is to be started,
/// `inner` reads those samples, and `loop` has it: they are taken all the time, as much of it as
/// the looks are, and at as much of the cost as theirs. Errors: what is wrong with the source.
Result<void> prepare_source(Context& context, const std::vector<std::string>& program,
                            balancer::LoopOptions& loop,
                            std::unique_ptr<balancer::InnerSamples>& inner);

/// Whether what follows the options is no program, but asks a balancer that runs.
bool is_request(const std::vector<std::string>& line);

/// "status" or "explain PID", with --json, --socket and --state before or after it, which are put
/// into `options`. Errors: bad_usage naming what is wrong. pre: is_request(line).
Result<balancer::Request> make_request(const std::vector<std::string>& line,
                                       BalanceOptions& options);

/// Where the journal is kept where nobody names a file: one for each user, gone with the system's
/// next start.
std::string default_state_file(os::Os& os);

/// Where a balancer with these options listens for those who ask it: beside its state file.
std::string socket_file(os::Os& os, const BalanceOptions& options);

std::unique_ptr<Verb> make_balance();

}  // namespace homenode::cli
