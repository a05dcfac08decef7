#include "cli/balance/balance.h"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <signal.h>

#include <algorithm>
#include <chrono>

#include "balancer/control.h"
#include "balancer/history.h"
#include "balancer/log.h"
#include "balancer/metrics.h"
#include "balancer/supervisor.h"
#include "base/id_list.h"
#include "os/atomic_file.h"
#include "os/lab_clock.h"

namespace homenode::cli {
namespace {

constexpr const char* explanation =
    "Looks at the processes every few seconds. Where much use of memory is remote and two looks "
    "find it worth the cost, it binds threads to the nodes of their memory, or moves memory that "
    "one node's threads use alone. It takes back what does not help, and all of it at its end.\n\n"
    "homenode balance status [--json] asks a balancer that runs what it does and for whom, "
    "homenode "
    "balance explain PID [--json] for its last decisions about a process and what they rest on. "
    "Both find it by --socket or --state.";

/// A process that was not seen for so long is in the metrics and the history no more.
constexpr double forget_s = 60;

double seconds_since_1970() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

class Balance final : public Verb {
 public:
  int run(Context& context) override {
    const auto code = try_run(context);
    return code ? *code : report(context, name(), code.error());
  }
  void take_program(std::vector<std::string> program) override { program_ = std::move(program); }
  [[nodiscard]] bool runs_program() const override { return true; }
  [[nodiscard]] bool is_program(const std::vector<std::string>& rest) const override {
    return !rest.empty() && !is_request(rest);
  }
  [[nodiscard]] std::string name() const override { return "balance"; }
  void define(CLI::App& app) override {
    define_balance_options(app, options_);
    app.footer(explanation);
  }
  [[nodiscard]] std::vector<Example> examples() const override {
    return {{"sh -c 'homenode balance --pid $$ --dry-run --once --interval 0.2'",
             "What it would do with one process (here the shell itself), and why"},
            {"homenode balance --interval 0.2 -- sleep 0.5",
             "Start a program and balance it until it ends"},
            {"homenode balance --restore", "Put back what one that was killed has changed"},
            {"homenode balance --interval 0.2 --socket ask -- homenode balance status --socket ask",
             "Ask a balancer what it does: here, from the program that it has started"}};
  }

 private:
  Result<int> try_run(Context& context) {
    if (is_request(program_)) return ask(context);
    auto loop = read_options(context.os);
    if (!loop) return loop.as_unexpected();
    if (!options_.advise.empty()) return advise(context);
    const std::string state =
        options_.state.empty() ? default_state_file(context.os) : options_.state;
    const sensing::SystemFiles files{context.os};
    auto journal = balancer::load_state(files, state);
    if (!journal) return journal.as_unexpected();
    balancer::Changes changes(files, balancer::saves_to(state), std::move(*journal));
    if (auto done = put_back(context, changes, *loop); !done) return done.as_unexpected();
    if (options_.restore) return remove_state(context, changes, state, exit_done);
    loop->observer.scratch = scratch_ = state + ".samples";
    const auto control = open_control(context, changes, *loop);
    if (!control) return control.as_unexpected();
    auto ended = balance(context, files, changes, std::move(*loop), control->get());
    if (!ended) return ended.as_unexpected();
    return remove_state(context, changes, state, *ended);
  }

  /// The command line's, and the configuration's where that says nothing.
  [[nodiscard]] Result<balancer::LoopOptions> read_options(os::Os& os) const {
    if (options_.config.empty()) return make_loop_options(os, options_, program_, {});
    const auto config = balancer::read_config(os, options_.config);
    if (!config) return config.as_unexpected();
    return make_loop_options(os, options_, program_, *config);
  }

  /// What a balancer that runs answers.
  Result<int> ask(Context& context) {
    const auto request = make_request(program_, options_);
    if (!request) return request.as_unexpected();
    const os::StopSignals signals;
    const os::Pace pace = pace_of(context);
    const auto answer =
        balancer::ask(context.os, socket_file(context.os, options_), *request, pace);
    if (!answer) return answer.as_unexpected();
    const bool one = request->kind == balancer::Request::Kind::explain;
    const auto text = options_.json ? answer
                      : one         ? balancer::explain_text(*answer)
                                    : balancer::status_text(*answer);
    if (!text) return text.as_unexpected();
    context.out << *text;
    return exit_done;
  }

  /// Prints nodes as numactl takes them. All that have any room where nothing fits: exit code 1.
  Result<int> advise(Context& context) const {
    const auto demand = balance::parse_demand(options_.advise);
    if (!demand) return bad_usage("--advise: " + demand.error().tried, demand.error().next);
    const auto machine = context.full_machine();
    if (!machine) return machine.as_unexpected();
    const os::StopSignals signals;
    const os::Pace pace = pace_of(context);
    const auto advice = balancer::advise_now(context.os, *machine, *demand, pace);
    if (!advice) return advice.as_unexpected();
    context.out << to_list(advice->nodes) << '\n';
    if (advice->fits) return exit_done;
    constexpr unsigned mib = 20;
    say(context, fmt::format("only {:.1f} CPUs are idle and {} MiB are free; ask for less, or wait",
                             advice->idle_cpus, advice->free.value >> mib));
    return exit_failed;
  }

  /// What a balancer that was killed has left. A dry run only says that there is something.
  Result<void> put_back(Context& context, balancer::Changes& changes,
                        const balancer::LoopOptions& loop) const {
    if (changes.journal().empty()) return {};
    if (loop.dry_run && !options_.restore) {
      say(context, "an earlier balancer left changes; 'homenode balance --restore' undoes them");
      return {};
    }
    return tell_restored(context, changes.restore());
  }

  Result<void> tell_restored(Context& context, const Result<balancer::Restored>& restored) const {
    if (!restored) return restored.as_unexpected();
    if (const auto text = restored_text(*restored); !text.empty()) say(context, text);
    for (const Error& error : restored->refusals) report(context, name(), error);
    return {};
  }

  /// The file goes with the last change in it.
  static int remove_state(Context& context, const balancer::Changes& changes,
                          const std::string& state, int code) {
    if (changes.journal().empty()) context.os.remove_file(state);
    return changes.journal().empty() || code != exit_done ? code : exit_done;
  }

  void say(Context& context, const std::string& text) const {
    context.err << fmt::format("homenode {}: {}\n", name(), text);
  }

  Result<int> balance(Context& context, const sensing::SystemFiles& files,
                      balancer::Changes& changes, balancer::LoopOptions loop,
                      balancer::Control* control) {
    const auto machine = context.full_machine();
    if (!machine) return machine.as_unexpected();
    balancer::Log log(context.os, options_.log);
    if (auto opened = log.open(); !opened) return opened.as_unexpected();
    auto writable = os::check_output_folder(options_.metrics, "--metrics");
    if (!writable) return writable.as_unexpected();
    using Interrupt = os::StopSignals::Interrupt;
    const os::StopSignals signals(program_.empty() ? Interrupt::stops : Interrupt::is_for_others);
    const os::HangupSignal hangup;
    const os::Pace pace = pace_of_service(context);
    balancer::Supervisor supervisor(
        context.os,
        balancer::supervision_in(std::getenv("NOTIFY_SOCKET"), std::getenv("WATCHDOG_USEC"),
                                 std::getenv("WATCHDOG_PID"), changes.journal().owner.id));
    say_kernel_balancing(context, loop);
    auto prepared = prepare_source(context, program_, loop, inner_);
    if (!prepared) return prepared.as_unexpected();
    const auto costs = costs_of(context, *machine, pace, loop);
    if (auto started = start(context, loop); !started) return started.as_unexpected();
    const auto over = [&] { return is_over(context, pace); };
    balancer::Loop* running = nullptr;
    loop.wait = [&](std::chrono::nanoseconds time) {
      wait({context, pace, supervisor, control, *running}, changes.journal(), time);
    };
    balancer::Loop balancer(files, *machine, pace, changes, std::move(loop), costs);
    running = &balancer;
    told(context, supervisor.ready());
    const auto restored = balancer.run(
        [&](const balancer::Outcome& outcome) {
          told(context, supervisor.alive(pace.now()));
          tell(context, log, outcome);
        },
        over);
    if (auto done = tell_restored(context, restored); !done) return done.as_unexpected();
    return child_.pid == 0 ? exit_done : exit_code_of(context);
  }

  struct Running {
    Context& context;
    const os::Pace& pace;
    balancer::Supervisor& supervisor;
    balancer::Control* control;
    balancer::Loop& loop;
  };

  /// Between two looks: answers clients, says that it lives, reads the configuration if asked to.
  void wait(const Running& running, const balancer::Journal& journal,
            std::chrono::nanoseconds time) {
    constexpr std::chrono::nanoseconds longest_piece = std::chrono::seconds(1);
    const os::Pace& pace = running.pace;
    told(running.context, running.supervisor.status(history_.summary(journal)));
    const auto end = pace.now() + time;
    for (auto now = pace.now(); now < end && !pace.stopped(); now = pace.now()) {
      told(running.context, running.supervisor.alive(now));
      if (os::HangupSignal::take()) reload(running);
      const auto piece = std::min(end - now, longest_piece);
      if (running.control == nullptr) {
        pace.pause(piece);
      } else {
        running.control->serve(piece, pace);
      }
    }
    if (pace.stopped()) told(running.context, running.supervisor.stopping());
  }

  /// What is wrong with the new configuration is said, and the old one stays.
  void reload(const Running& running) {
    told(running.context, running.supervisor.reloading(running.pace.now()));
    auto loop = read_options(running.context.os);
    if (!loop) {
      report(running.context, name(), loop.error());
      say(running.context, "it goes on with the configuration that it has");
    } else {
      loop->observer.scratch = scratch_;
      loop->observer.inner = inner_.get();
      if (child_.pid != 0) loop->observer.selection.pids.insert(child_.pid);
      running.loop.use(loop->interval, std::move(loop->observer));
      history_.set_interval(std::chrono::duration<double>(loop->interval).count());
      say(running.context, "has read the configuration again");
    }
    told(running.context, running.supervisor.ready());
  }

  /// Without a configuration to read again, and without a service manager that would ask for it,
  /// the end of the terminal is an end as any other.
  [[nodiscard]] os::Pace pace_of_service(const Context& context) {
    os::Pace pace = pace_of(context);
    if (!options_.config.empty() || std::getenv("NOTIFY_SOCKET") != nullptr) return pace;
    pace.stopped = [this, stopped = std::move(pace.stopped)] {
      hung_up_ = hung_up_ || os::HangupSignal::take();
      return hung_up_ || stopped();
    };
    return pace;
  }

  /// That nobody hears it is said once.
  void told(Context& context, const Result<void>& said) {
    if (!said && !unheard_) report(context, name(), said.error());
    unheard_ = unheard_ || !said;
  }

  /// Null where it cannot listen beside the state file, as another that only looks may do so; and
  /// with --once, which is over soon, unless a socket is named.
  Result<std::unique_ptr<balancer::Control>> open_control(Context& context,
                                                          const balancer::Changes& changes,
                                                          const balancer::LoopOptions& loop) {
    if (loop.once && options_.socket.empty()) return std::unique_ptr<balancer::Control>();
    const double interval_s = std::chrono::duration<double>(loop.interval).count();
    history_ = balancer::History({changes.journal().owner.id, seconds_since_1970(), interval_s,
                                  loop.dry_run, std::max(forget_s, 3 * interval_s)});
    auto control = balancer::Control::open(
        context.os, socket_file(context.os, options_), [&](const balancer::Request& request) {
          return history_.answer(request, changes.journal(), seconds_since_1970());
        });
    if (control || !options_.socket.empty()) return control;
    say(context, "'homenode balance status' will not find this one: " + control.error().message());
    return std::unique_ptr<balancer::Control>();
  }

  void say_kernel_balancing(Context& context, const balancer::LoopOptions& loop) const {
    std::string value;
    if (context.os.read_file(balancer::kernel_balancing_file, value) < 0) return;
    if (value.starts_with('0')) return;
    say(context, loop.stop_kernel_balancing && !loop.dry_run
                     ? "the kernel's balancing is off until this ends"
                     : "the kernel's balancing is on and left alone; it may move the same pages "
                       "(--kernel-balancing off stops it meanwhile)");
  }

  /// The lab's host time says nothing of what a move costs, so the guesses hold there.
  [[nodiscard]] balancer::MigrationCosts costs_of(Context& context, const machine::Machine& machine,
                                                  const os::Pace& pace,
                                                  const balancer::LoopOptions& loop) const {
    if (loop.dry_run || os::in_lab()) return {};
    const auto costs = balancer::measure_migration(context.os, machine, pace);
    if (costs.measured) {
      say(context, fmt::format("moving a page costs {:.1f} us, {:.1f} us with busy CPUs",
                               costs.idle.page_ns / 1e3, costs.busy.page_ns / 1e3));
    }
    return costs;
  }

  Result<void> start(Context& context, balancer::LoopOptions& loop) {
    if (program_.empty()) return {};
    int result = context.os.start_waiting(
        program_, inner_ ? inner_->environment() : sensing::Environment{}, child_);
    if (result == 0) result = context.os.release(child_);
    if (result != 0) {
      return failed(fmt::format("cannot start '{}'", program_.front()),
                    "check the name and PATH, and that it is an executable file", -result);
    }
    loop.observer.selection.pids.insert(child_.pid);
    return {};
  }

  bool is_over(Context& context, const os::Pace& pace) {
    if (child_.pid == 0) return false;
    if (!ending_) ending_ = context.os.ending_of(child_.pid, false);
    if (!ending_ && pace.stopped()) context.os.send_signal(child_.pid, SIGTERM);
    return ending_.has_value();
  }

  int exit_code_of(Context& context) {
    constexpr int by_signal = 128;
    if (!ending_) {
      context.os.send_signal(child_.pid, SIGTERM);
      ending_ = context.os.ending_of(child_.pid, true);
    }
    if (!ending_) return exit_failed;
    return ending_->by_signal ? by_signal + ending_->number : ending_->number;
  }

  void tell(Context& context, balancer::Log& log, const balancer::Outcome& outcome) {
    // The output of a program that is started is its own.
    std::ostream& out = program_.empty() ? context.out : context.err;
    out << outcome_text(outcome) << std::flush;
    const double now_s = seconds_since_1970();
    history_.add(outcome, now_s);
    const auto written = log.add(outcome_json(outcome, now_s));
    if (!written) report(context, name(), written.error());
    if (options_.metrics.empty()) return;
    metrics_.add(outcome, now_s);
    const auto replaced = os::write_atomically(options_.metrics, metrics_.to_prometheus());
    if (!replaced && !metrics_failed_) report(context, name(), replaced.error());
    metrics_failed_ = !replaced;
  }

  BalanceOptions options_;
  balancer::Metrics metrics_{forget_s};
  balancer::History history_{{}};
  bool metrics_failed_ = false;  ///< Said once, until it works again.
  bool unheard_ = false;         ///< By the service manager.
  bool hung_up_ = false;
  std::string scratch_;
  std::unique_ptr<balancer::InnerSamples> inner_;
  os::WaitingProgram child_;
  std::vector<std::string> program_;
  std::optional<os::Ending> ending_;
};

}  // namespace

std::unique_ptr<Verb> make_balance() {
  return std::make_unique<Balance>();
}

}  // namespace homenode::cli
