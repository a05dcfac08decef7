// The options of `balance`.
#include "cli/balance/balance.h"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstdlib>
#include <optional>

#include "base/sizes.h"
#include "base/words.h"
#include "cli/invoke.h"
#include "cli/program_line.h"
#include "cli/sample/sample.h"
#include "launch/agent.h"

namespace homenode::cli {
namespace {

std::chrono::nanoseconds in_nanoseconds(double seconds) {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
      std::chrono::duration<double>(seconds));
}

Result<std::chrono::nanoseconds> time_in(const char* option, const std::string& text) {
  constexpr double most_s = 86400;
  const auto value = real_in(text);
  if (value && *value > 0 && *value <= most_s) return in_nanoseconds(*value);
  return bad_usage(fmt::format("{}: '{}' is no number of seconds", option, text),
                   "write a number such as 5 or 0.5, up to a day");
}

/// The number of a user: as it is written, or that of the name in /etc/passwd.
std::optional<unsigned> user_in(os::Os& os, const std::string& name) {
  if (const auto number = number_in<unsigned>(name)) return number;
  std::string passwd;
  if (os.read_file("/etc/passwd", passwd) < 0) return std::nullopt;
  std::string_view rest = passwd;
  while (!rest.empty()) {
    std::string_view line = take_line(rest);
    if (take_until(line, ':') != name) continue;
    take_until(line, ':');
    return number_in<unsigned>(take_until(line, ':'));
  }
  return std::nullopt;
}

Result<balancer::Selection> selection_of(os::Os& os, const BalanceOptions& options) {
  balancer::Selection selection;
  for (const std::string& text : options.pids) {
    const auto pid = number_in<pid_t>(text);
    if (!pid || *pid <= 0) {
      return bad_usage(fmt::format("--pid: '{}' is no process", text), "'ps -e' lists them");
    }
    selection.pids.insert(*pid);
  }
  for (const std::string& name : options.users) {
    const auto user = user_in(os, name);
    if (!user) {
      return bad_usage(fmt::format("--user: there is no user '{}'", name),
                       "give a name of /etc/passwd, or a number");
    }
    selection.users.insert(*user);
  }
  for (const std::string& cgroup : options.cgroups) {
    if (!cgroup.starts_with('/')) {
      return bad_usage(fmt::format("--cgroup: '{}' is no path of a cgroup", cgroup),
                       "write it as /proc/PID/cgroup does, such as /user.slice");
    }
    selection.cgroups.push_back(cgroup);
  }
  selection.all = options.all;
  return selection;
}

bool names_processes(const BalanceOptions& options) {
  return !options.pids.empty() || !options.users.empty() || !options.cgroups.empty() || options.all;
}

Result<void> check_advise(const BalanceOptions& options, bool chosen) {
  if (!chosen && !options.restore) return {};
  return bad_usage("--advise is for a program that does not run yet",
                   "leave out the processes and --restore");
}

/// Exactly one way to name processes, and no contradiction.
Result<void> check(const BalanceOptions& options, const std::vector<std::string>& program) {
  const bool chosen = names_processes(options);
  if (!options.advise.empty()) return check_advise(options, chosen || !program.empty());
  if (options.restore) {
    if (!chosen && program.empty()) return {};
    return bad_usage("--restore puts back all that is in the state file",
                     "leave out the processes");
  }
  if (!chosen && program.empty()) {
    return bad_usage("nothing is chosen", "name --pid, --cgroup, --user, --all or a program");
  }
  if (chosen && !program.empty()) {
    return bad_usage("a program is balanced by itself", "leave out --pid, --cgroup, --user, --all");
  }
  if (options.apply && options.dry_run) {
    return bad_usage("--apply and --dry-run contradict each other", "leave one out");
  }
  if (options.json) {
    return bad_usage("--json is for status and explain", "--log writes decisions as JSON");
  }
  if (!options.once || program.empty()) return {};
  return bad_usage("--once is for processes that run", "leave it out, or name --pid");
}

CLI::Option* add_text(CLI::App& app, const char* name, std::string& text, const char* type,
                      const char* help) {
  CLI::Option* const option = app.add_option(name, text, help)->type_name(type);
  if (!text.empty()) option->capture_default_str();
  return option;
}

Result<balancer::Whose> whose(os::Os& os, const balancer::Names& names) {
  balancer::Whose found;
  for (const std::string& name : names.users) {
    const auto user = user_in(os, name);
    if (!user) {
      return failed(fmt::format("the configuration names '{}', who is no user", name),
                    "give a name of /etc/passwd, or a number");
    }
    found.users.insert(*user);
  }
  found.cgroups = names.cgroups;
  found.programs.insert(names.programs.begin(), names.programs.end());
  return found;
}

Result<void> take_config(os::Os& os, const balancer::Config& config, balancer::LoopOptions& loop) {
  auto only = whose(os, config.only);
  auto never = only ? whose(os, config.never) : only;
  if (!never) return never.as_unexpected();
  loop.observer.only = std::move(*only);
  loop.observer.never = std::move(*never);
  loop.observer.limits = config.limits;
  if (config.interval_s) loop.interval = in_nanoseconds(*config.interval_s);
  if (config.burst_s) loop.observer.burst = in_nanoseconds(*config.burst_s);
  if (config.overhead) loop.observer.overhead = *config.overhead;
  return {};
}

Result<void> take_times(const BalanceOptions& options, balancer::LoopOptions& loop) {
  if (!options.interval.empty()) {
    const auto interval = time_in("--interval", options.interval);
    if (!interval) return interval.as_unexpected();
    loop.interval = *interval;
  }
  if (!options.burst.empty()) {
    const auto burst = time_in("--burst", options.burst);
    if (!burst) return burst.as_unexpected();
    loop.observer.burst = *burst;
  }
  return {};
}

/// Those that may stand after a request too.
void define_request_options(CLI::App& app, BalanceOptions& options) {
  app.add_flag("--json", options.json,
               "with status or explain: print JSON (schemas homenode.balance.status/1, explain/1)");
  add_text(app, "--socket", options.socket, "PATH",
           "answer or ask there (default: the state file's name and .socket)");
  add_text(app, "--state", options.state, "FILE",
           "keep there what has to be put back (default: one of the user's in /run or /tmp)");
}

/// As split_program_line() gives them.
Result<void> take_options(const std::vector<std::string>& given, BalanceOptions& options) {
  for (std::size_t i = 0; i < given.size(); ++i) {
    if (given[i] == "--json") options.json = true;
    if (given[i] == "--help") {
      return bad_usage("status and explain have no help of their own",
                       "'homenode balance --help' explains them");
    }
    if (given[i] == "--socket") options.socket = given[++i];
    if (given[i] == "--state") options.state = given[++i];
  }
  return {};
}

}  // namespace

bool is_request(const std::vector<std::string>& line) {
  return !line.empty() && (line.front() == "status" || line.front() == "explain");
}

Result<balancer::Request> make_request(const std::vector<std::string>& line,
                                       BalanceOptions& options) {
  if (names_processes(options) || !options.advise.empty() || options.restore) {
    return bad_usage(line.front() + " asks a balancer that runs",
                     "leave out the options for another one; './" + line.front() +
                         "' is a program of that name");
  }
  CLI::App app;
  BalanceOptions unused;
  define_request_options(app, unused);
  std::string words;
  for (std::vector<std::string> rest = line; !rest.empty();) {
    const auto split = split_program_line(app, rest);
    if (!split) return split.as_unexpected();
    if (auto taken = take_options(split->options, options); !taken) return taken.as_unexpected();
    rest = split->program;
    if (rest.empty()) break;
    words += rest.front() + ' ';
    rest.erase(rest.begin());
  }
  auto request = balancer::request_in(words);
  if (request) return request;
  return bad_usage(request.error().tried,
                   "write 'homenode balance status' or 'homenode balance explain PID'");
}

void define_balance_options(CLI::App& app, BalanceOptions& options) {
  const auto processes = [&app](const char* name, std::vector<std::string>& values,
                                const char* type, const char* help) {
    app.add_option(name, values, help)->type_name(type)->allow_extra_args(false);
  };
  const auto value = [&app](const char* name, std::string& text, const char* type,
                            const char* help) { return add_text(app, name, text, type, help); };
  processes("--pid", options.pids, "PID", "balance this process; may be repeated");
  processes("--cgroup", options.cgroups, "PATH",
            "balance the processes of a cgroup and those below");
  processes("--user", options.users, "USER", "balance the processes of a user");
  app.add_flag("--all", options.all, "look at all processes; only shows, unless --apply is given");
  app.add_flag("--apply", options.apply, "with --all: do it");
  app.add_flag("--dry-run", options.dry_run, "show what it would do, and why, and change nothing");
  app.add_flag("--once", options.once,
               "end when each process has a verdict; what was changed stays, until --restore");
  app.add_flag("--restore", options.restore, "put back what is in the state file, and end");
  value("--advise", options.advise, "CPUS[:MEMORY]",
        "print nodes that have so many CPUs idle and so much memory free (in MiB, or 2g), and end");
  value("--config", options.config, "FILE",
        "read settings there, and again at SIGHUP; options count more (homenode-balance(5))");
  value("--with", options.source, "SOURCE",
        "the source of the samples, or auto: the best that works without changing the system "
        "('homenode sample --list')");
  value("--interval", options.interval, "SECONDS", "time between two looks")->default_str("5");
  value("--burst", options.burst, "SECONDS", "for how long samples are taken in a look")
      ->default_str("0.5");
  value("--overhead", options.overhead, "SHARE",
        "what sampling may cost while it lasts, over the process's processor time")
      ->default_str("10%");
  value("--least-memory", options.least_memory, "SIZE", "leave smaller processes alone")
      ->default_str("64M");
  value("--log", options.log, "FILE",
        "write each decision there as a line of JSON (schema homenode.balance.log/1)");
  value("--metrics", options.metrics, "FILE",
        "keep counters there in the text format of Prometheus");
  define_request_options(app, options);
  value("--kernel-balancing", options.kernel_balancing, "leave|off",
        "leave the kernel's own balancing as it is, or switch it off meanwhile")
      ->check(CLI::IsMember({"leave", "off"}));
}

Result<balancer::LoopOptions> make_loop_options(os::Os& os, const BalanceOptions& options,
                                                const std::vector<std::string>& program,
                                                const balancer::Config& config) {
  if (auto checked = check(options, program); !checked) return checked.as_unexpected();
  balancer::LoopOptions loop;
  auto selection = selection_of(os, options);
  if (!selection) return selection.as_unexpected();
  loop.observer.selection = std::move(*selection);
  if (auto taken = take_config(os, config, loop); !taken) return taken.as_unexpected();
  if (auto taken = take_times(options, loop); !taken) return taken.as_unexpected();
  if (!options.overhead.empty()) {
    const auto overhead = parse_overhead(options.overhead);
    if (!overhead) return overhead.as_unexpected();
    loop.observer.overhead = *overhead;
  }
  if (!options.least_memory.empty()) {
    const auto least = parse_size(options.least_memory);
    if (!least) return bad_usage("--least-memory: " + least.error().tried, size_advice);
    loop.observer.limits.least_memory = *least;
  }
  loop.dry_run = options.dry_run || (options.all && !options.apply);
  loop.once = options.once;
  loop.observer.source = options.source;
  loop.stop_kernel_balancing = options.kernel_balancing == "off";
  return loop;
}

Result<void> prepare_source(Context& context, const std::vector<std::string>& program,
                            balancer::LoopOptions& loop,
                            std::unique_ptr<balancer::InnerSamples>& inner) {
  const balancer::ObserverOptions& observer = loop.observer;
  if (observer.source == "auto") return {};
  using Seconds = std::chrono::duration<double>;
  const double looked = Seconds(observer.burst) / Seconds(loop.interval);
  sensing::SampleRequest request;
  const auto& pids = observer.selection.pids;
  request.pid = pids.empty() ? 0 : *pids.begin();
  request.program = program;
  request.output = observer.scratch + ".inner";
  request.overhead = observer.overhead * std::min(1.0, looked);
  const char* const libexec = std::getenv("HOMENODE_LIBEXEC");
  auto folder =
      launch::agent_folder(context.os, own_executable(context), libexec == nullptr ? "" : libexec);
  if (folder) request.agent_folder = std::move(*folder);
  auto prepared = balancer::prepare_source(context.os, observer.source, std::move(request));
  if (!prepared) return prepared.as_unexpected();
  inner = std::move(*prepared);
  loop.observer.inner = inner.get();
  return {};
}

std::string default_state_file(os::Os& os) {
  os::FileStatus self;
  const unsigned user = os.file_status("/proc/self", self) == 0 ? self.owner : 0;
  if (user == 0) return "/run/homenode-balance.state";
  const std::string runtime = fmt::format("/run/user/{}", user);
  os::FileStatus folder;
  if (os.file_status(runtime, folder) == 0) return runtime + "/homenode-balance.state";
  return fmt::format("/tmp/homenode-balance-{}.state", user);
}

std::string socket_file(os::Os& os, const BalanceOptions& options) {
  if (!options.socket.empty()) return options.socket;
  return (options.state.empty() ? default_state_file(os) : options.state) + ".socket";
}

}  // namespace homenode::cli
