#include "sensing/sources/sampling.h"

#include <fmt/format.h>
#include <signal.h>

#include <algorithm>
#include <cerrno>
#include <utility>
#include <vector>

namespace homenode::sensing {
namespace {

using std::chrono::milliseconds;

/// How long sources are left to themselves: at the start, and later.
constexpr milliseconds shortest_pause{5};
constexpr milliseconds longest_pause{100};
/// Lists that take no longer to read are read however small the budget is.
constexpr std::uint64_t quick_ns = 10'000'000;
/// All threads and mappings are read again so often, besides those with news.
constexpr std::uint64_t read_all_every_ns = 1'000'000'000;

std::uint64_t realtime_ns() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::nanoseconds>(now).count());
}

Unexpected cannot_start(const std::string& program, int error) {
  return failed(fmt::format("cannot start '{}'", program),
                error == ENOENT ? "check the name and PATH; for a script, the interpreter in its "
                                  "first line"
                                : "check that it is an executable file for this machine",
                error);
}

/// The process of a recording, from before its first instruction to its end.
class Subject {
 public:
  Subject(os::Os& os, const SampleRequest& request) : os_(os), request_(request) {}
  Subject(const Subject&) = delete;
  Subject& operator=(const Subject&) = delete;
  ~Subject() {
    if (waiting_.go >= 0) os_.abandon(waiting_);
    if (descriptor_ >= 0) os_.close_file(descriptor_);
  }

  Result<void> find(const Environment& environment) {
    if (request_.pid == 0) {
      const int error = os_.start_waiting(request_.program, environment, waiting_);
      if (error != 0) return cannot_start(request_.program.front(), -error);
      pid_ = waiting_.pid;
    } else {
      pid_ = request_.pid;
    }
    const int error = os_.open_process(pid_, descriptor_);
    if (error == 0) return {};
    if (error != -ESRCH) {
      return not_supported("this kernel does not report the end of processes",
                           "use Linux 5.3 or newer", -error);
    }
    return failed(fmt::format("there is no process {}", pid_), "'ps -e' lists the processes");
  }

  /// 0, or the -errno for which the program could not be executed.
  int release() { return request_.pid != 0 ? 0 : os_.release(waiting_); }

  /// Waits for the source or the end of the process; true when it has ended.
  bool wait(std::vector<int> descriptors, milliseconds longest) {
    const int own = descriptor_;
    descriptors.push_back(own);
    os_.wait_for_input(descriptors, longest);
    return os_.wait_for_input({&own, 1}, milliseconds(0)) > 0;
  }

  /// Waits until a program that was started has ended; nothing for one that ran before.
  std::optional<int> exit_code(const os::Pace& pace) {
    if (request_.pid != 0) return std::nullopt;
    std::optional<os::Ending> ending;
    while (!(ending = os_.ending_of(pid_, false))) {
      pass_stop_on(pace);
      wait({}, longest_pause);
    }
    constexpr int by_signal = 128;
    return ending->by_signal ? by_signal + ending->number : ending->number;
  }

  /// Who ends the sampler means the program that it started too.
  void pass_stop_on(const os::Pace& pace) {
    if (request_.pid != 0 || passed_on_ || !pace.stopped()) return;
    passed_on_ = true;
    os_.send_signal(pid_, SIGTERM);
  }

  [[nodiscard]] pid_t pid() const { return pid_; }

 private:
  os::Os& os_;
  const SampleRequest& request_;
  os::WaitingProgram waiting_;
  pid_t pid_ = 0;
  int descriptor_ = -1;
  bool passed_on_ = false;
};

class Recorder {
 public:
  Recorder(os::Os& os, const machine::Machine& machine, Source& source,
           const RecordingOptions& options, const os::Pace& pace, SampleFile file)
      : os_(os),
        source_(source),
        options_(options),
        pace_(pace),
        nodes_(NodeLookup::of_system(os, machine)),
        file_(std::move(file)),
        processes_(os, file_),
        budget_(options.request.overhead),
        sampling_{os,      options.request,          nodes_, file_, processes_,
                  budget_, [this] { return now(); }, 0},
        subject_(os, options.request) {}

  Result<RecordingEnd> record() {
    auto environment = source_.environment(os_, options_.request);
    if (!environment) return environment.as_unexpected();
    // Of two values of a variable, the program gets the later one.
    Environment all = options_.request.environment;
    all.insert(all.end(), environment->begin(), environment->end());
    if (auto found = subject_.find(all); !found) return found.as_unexpected();
    auto begun = begin();
    const int refused = begun ? subject_.release() : 0;
    if (!begun || refused < 0) {
      const auto stopped = source_.stop(sampling_);
      if (!begun) return begun.as_unexpected();
      RecordingEnd end;
      end.not_started = cannot_start(options_.request.program.front(), -refused).take();
      return end;
    }
    source_.released(sampling_);
    // A server's clients shall not wait for the sampler; but rings would overflow.
    if (source_.descriptors().empty()) os_.give_way();
    RecordingEnd end;
    auto done = processes_.write_changes(now(), true);
    if (done) done = run(end);
    update_cost();
    if (auto stopped = source_.stop(sampling_); done) done = std::move(stopped);
    if (done) done = processes_.write_changes(now(), true);
    if (!done) end.trouble = done.error();
    end.exit_code = subject_.exit_code(pace_);
    end.budget = budget_;
    end.samples = file_.samples() + sampling_.samples_from_within;
    const auto written =
        file_.append_document(end_document(now(), end.samples, budget_, end.exit_code, end.why));
    if (!written && !end.trouble) end.trouble = written.error();
    return end;
  }

 private:
  [[nodiscard]] std::uint64_t now() const {
    return static_cast<std::uint64_t>(pace_.now().count());
  }

  Result<void> begin() {
    const SampleRequest& request = options_.request;
    SampleBegin begin{subject_.pid(),    request.program,  now(),           realtime_ns(),
                      options_.hostname, options_.machine, os_.page_bytes()};
    if (request.pid != 0) begin.command = command_of(request.pid);
    auto done = file_.append_document(begin_document(begin, source_.facts(), options_.refused));
    if (!done) return done;
    processes_.add_process(subject_.pid());
    os_.process_cpu_ns(0, own_before_ns_);
    program_before_ns_ = request.pid != 0 ? processes_.cpu_ns() : 0;
    return source_.start(sampling_, subject_.pid());
  }

  /// The arguments of a process that runs.
  std::vector<std::string> command_of(pid_t pid) {
    std::string text;
    std::vector<std::string> command;
    if (os_.read_file(fmt::format("/proc/{}/cmdline", pid), text) < 0) return command;
    std::string_view rest = text;
    while (!rest.empty()) {
      const std::size_t end = std::min(rest.find('\0'), rest.size());
      command.emplace_back(rest.substr(0, end));
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    return command;
  }

  void update_cost() {
    std::uint64_t own = 0;
    os_.process_cpu_ns(0, own);
    const std::uint64_t program = processes_.cpu_ns();
    budget_.set_used(own > own_before_ns_ ? own - own_before_ns_ : 0,
                     program > program_before_ns_ ? program - program_before_ns_ : 0);
  }

  /// Reads threads and mappings that have changed, or may have; as rarely as it takes for that to
  /// cost no more than the budget, where a process has tens of thousands.
  Result<void> write_lists(std::uint64_t age) {
    const std::uint64_t before = now();
    const auto cost = static_cast<double>(lists_cost_ns_);
    if (lists_cost_ns_ > quick_ns &&
        static_cast<double>(before - lists_written_ns_) * options_.request.overhead < cost) {
      return {};
    }
    const bool all = before - all_written_ns_ >= std::min(age / 2, read_all_every_ns);
    if (all) all_written_ns_ = before;
    auto done = processes_.write_changes(before, all);
    lists_written_ns_ = now();
    lists_cost_ns_ = lists_written_ns_ - before;
    return done;
  }

  /// Until the end, whose reason it gives. Errors: of the source or the file.
  Result<void> run(RecordingEnd& end) {
    const std::uint64_t begun = now();
    all_written_ns_ = begun;
    milliseconds pause = shortest_pause;
    for (;;) {
      const bool ended = subject_.wait(source_.descriptors(), pause);
      // Much happens at a start, and a program may not live long.
      pause = std::min(2 * pause, longest_pause);
      update_cost();
      if (auto done = source_.collect(sampling_); !done) return done;
      if (auto done = write_lists(now() - begun); !done) return done;
      subject_.pass_stop_on(pace_);
      if (ended) {
        end.why = "program ended";
      } else if (pace_.stopped() && options_.request.pid != 0) {
        end.why = "stopped";
      } else if (options_.longest &&
                 now() - begun >= static_cast<std::uint64_t>(options_.longest->count())) {
        end.why = "time is up";
      } else {
        continue;
      }
      return {};
    }
  }

  os::Os& os_;
  Source& source_;
  const RecordingOptions& options_;
  const os::Pace& pace_;
  NodeLookup nodes_;
  SampleFile file_;
  ProcessLog processes_;
  Budget budget_;
  Sampling sampling_;
  Subject subject_;
  std::uint64_t own_before_ns_ = 0;
  std::uint64_t program_before_ns_ = 0;
  std::uint64_t all_written_ns_ = 0;
  std::uint64_t lists_written_ns_ = 0;
  std::uint64_t lists_cost_ns_ = 0;  ///< Of the last time that they were read.
};

}  // namespace

Result<RecordingEnd> record(os::Os& os, const machine::Machine& machine, Source& source,
                            const RecordingOptions& options, const os::Pace& pace) {
  auto file = SampleFile::create(os, options.request.output);
  if (!file) return file.as_unexpected();
  Recorder recorder(os, machine, source, options, pace, std::move(*file));
  return recorder.record();
}

}  // namespace homenode::sensing
