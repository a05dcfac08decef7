#include "trial/stress/daemons.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "os/processes.h"
#include "sensing/process_names.h"

namespace homenode::trial {
namespace {

constexpr const char* balancing_file = "/proc/sys/kernel/numa_balancing";
constexpr int exec_failed = 127;
/// With which whoever ends a program asks it to. The keeper ignores them; its daemon does not.
constexpr std::array tidying_signals{SIGINT, SIGTERM, SIGHUP};
constexpr const char* older_than_numad_asks = "monotonic 100000 0";

/// What the keeper says: which step was refused, and why.
struct Answer {
  enum Step { done, balancing, numad, balance } step = done;
  int errno_value = 0;
  int exit_code = 0;  ///< Of the daemon.
};

int write_text(const char* path, std::string_view text) {
  const int file = open(path, O_WRONLY | O_CLOEXEC);
  if (file < 0) return -errno;
  const ssize_t written = write(file, text.data(), text.size());
  const int error = errno;
  close(file);
  return written == static_cast<ssize_t>(text.size()) ? 0 : -error;
}

/// 1 for a process that a signal ended.
int exit_code_of(pid_t process) {
  const auto ending = os::wait_for(process);
  return ending && !ending->by_signal ? ending->number : 1;
}

/// Starts numad and gives its exit code when it ends, which its first process does at once; -errno
/// where it is not started.
int run_numad(const std::string& interval, bool aged) {
  const pid_t process = fork();
  if (process == 0) {
    // Both are refused without privilege; numad then weighs this process when it is 300 s old.
    if (aged && unshare(CLONE_NEWTIME) == 0) {
      (void)write_text("/proc/self/timens_offsets", older_than_numad_asks);
    }
    const pid_t inside = fork();  // The namespace is that of processes to come.
    if (inside == 0) {
      execlp("numad", "numad", "-i", interval.c_str(), static_cast<char*>(nullptr));
      _exit(exec_failed);
    }
    if (inside < 0) _exit(1);
    _exit(exit_code_of(inside));
  }
  if (process < 0) return -errno;
  return exit_code_of(process);
}

/// `homenode balance` for one process, as a child of the keeper.
class OwnBalancer {
 public:
  /// Nothing, and errno, where it cannot be started.
  static std::optional<OwnBalancer> start(pid_t target, const std::string& interval) {
    std::string folder = "/tmp/homenode-stress-XXXXXX";
    if (mkdtemp(folder.data()) == nullptr) return std::nullopt;
    const pid_t process = fork();
    if (process < 0) return std::nullopt;
    if (process == 0) {
      for (int number : tidying_signals) signal(number, SIG_DFL);
      prctl(PR_SET_PDEATHSIG, SIGTERM);
      const int nowhere = open("/dev/null", O_WRONLY);
      dup2(nowhere, STDOUT_FILENO);
      const std::string pid = std::to_string(target);
      const std::string state = folder + "/state";
      execl("/proc/self/exe", "homenode", "balance", "--pid", pid.c_str(), "--interval",
            interval.c_str(), "--state", state.c_str(), static_cast<char*>(nullptr));
      _exit(exec_failed);
    }
    return OwnBalancer(process, folder);
  }

  /// 0 as soon as its socket is there; else the exit code with which it ended.
  [[nodiscard]] int wait_until_it_answers() const {
    const std::string socket = folder_ + "/state.socket";
    siginfo_t ended{};
    while (::access(socket.c_str(), F_OK) != 0) {
      if (waitid(P_PID, static_cast<id_t>(process_), &ended, WEXITED | WNOHANG | WNOWAIT) != 0 ||
          ended.si_pid != 0) {
        return exit_code_of(process_);
      }
      usleep(look_again_us);
    }
    return 0;
  }

  /// It puts back what it has changed.
  void end() const {
    kill(process_, SIGTERM);
    exit_code_of(process_);
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }

 private:
  static constexpr useconds_t look_again_us = 20'000;

  OwnBalancer(pid_t process, std::string folder) : process_(process), folder_(std::move(folder)) {}

  pid_t process_;
  std::string folder_;
};

/// The keeper: what changes the system, and changes it back.
class Keeper {
 public:
  Keeper(os::Os& os, StressMode mode, unsigned interval_s)
      : os_(os), mode_(mode), interval_(std::to_string(interval_s)) {}

  Answer change() {
    // numad puts itself into the background; as its next of kin the keeper can wait for it.
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    if (const Answer answer = switch_kernel(); answer.step != Answer::done) return answer;
    if (mode_ == StressMode::numad) return start_numad();
    if (mode_ == StressMode::balance) return start_balance();
    return {};
  }

  void change_back() {
    if (numad_) run_numad("0", false);  // Its own way of being told to end.
    if (balancer_) balancer_->end();
    while (waitpid(-1, nullptr, 0) > 0 || errno == EINTR) {
    }
    if (changed_) (void)write_text(balancing_file, before_);
  }

 private:
  Answer switch_kernel() {
    const bool wanted = mode_ == StressMode::kernel;
    if (os_.read_file(balancing_file, before_) != 0) {
      if (wanted) return {Answer::balancing, ENOENT, 0};
      before_.clear();
    }
    const bool is_on = !before_.empty() && before_.front() != '0';
    if (is_on == wanted) return {};
    const int result = write_text(balancing_file, wanted ? "1" : "0");
    if (result != 0) return {Answer::balancing, -result, 0};
    changed_ = true;
    return {};
  }

  Answer start_numad() {
    const int code = run_numad(interval_, true);
    if (code != 0) return {Answer::numad, std::max(-code, 0), code};
    numad_ = true;
    return {};
  }

  Answer start_balance() {
    balancer_ = OwnBalancer::start(getppid(), interval_);
    if (!balancer_) return {Answer::balance, errno, 0};
    const int code = balancer_->wait_until_it_answers();
    return code == 0 ? Answer{} : Answer{Answer::balance, 0, code};
  }

  os::Os& os_;
  StressMode mode_;
  std::string interval_;
  std::string before_;
  std::optional<OwnBalancer> balancer_;
  bool changed_ = false;
  bool numad_ = false;
};

void keep(os::Os& os, StressMode mode, unsigned interval_s, int socket) {
  setsid();  // Whoever ends the program from a terminal leaves this one to tidy up.
  for (int number : tidying_signals) signal(number, SIG_IGN);
  prctl(PR_SET_NAME, "hn-keeper");
  Keeper keeper(os, mode, interval_s);
  const Answer answer = keeper.change();
  if (send(socket, &answer, sizeof answer, MSG_NOSIGNAL) == sizeof answer) {
    char nothing = 0;
    while (recv(socket, &nothing, 1, 0) < 0 && errno == EINTR) {
    }
  }
  keeper.change_back();
}

bool numad_runs(os::Os& os) {
  const auto named = sensing::find_processes({os}, "numad");
  return named && !named->empty();
}

Result<void> explain(const Answer& answer, StressMode mode) {
  if (answer.step == Answer::done) return {};
  if (answer.step == Answer::balancing) {
    return not_supported(
        fmt::format("cannot switch the kernel's balancing {} ({})",
                    mode == StressMode::kernel ? "on" : "off", balancing_file),
        "run this as root, on a kernel with CONFIG_NUMA_BALANCING and several nodes",
        answer.errno_value);
  }
  const bool is_numad = answer.step == Answer::numad;
  const std::string name = is_numad ? "numad" : "homenode balance";
  if (answer.errno_value != 0) {
    return failed(fmt::format("cannot start {}", name), "raise the limit (ulimit -u, pids.max)",
                  answer.errno_value);
  }
  if (answer.exit_code == exec_failed) {
    return not_supported("there is no numad", "install numad, or leave it out of --modes");
  }
  return failed(fmt::format("{} ended with exit code {}", name, answer.exit_code),
                is_numad ? "run 'numad -i 5' as root and read what it says; it needs several nodes "
                           "and a /var/log that it can write to"
                         : "read what it says above, or leave it out of --modes");
}

}  // namespace

Result<StressDaemons> StressDaemons::start(os::Os& os, StressMode mode, unsigned interval_s) {
  if (numad_runs(os)) {
    return failed("a numad is running that this test did not start",
                  "end it with 'numad -i 0', or leave --modes out");
  }
  std::array<int, 2> sockets{};
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets.data()) != 0) {
    return failed("cannot make a socket to the process that switches daemons",
                  "raise the limit of open files (ulimit -n)", errno);
  }
  const pid_t process = fork();
  if (process == 0) {
    close(sockets[0]);
    keep(os, mode, interval_s, sockets[1]);
    _exit(0);
  }
  const int error = errno;
  close(sockets[1]);
  if (process < 0) {
    close(sockets[0]);
    return failed("cannot start the process that switches daemons",
                  "raise the limit (ulimit -u, pids.max)", error);
  }
  StressDaemons daemons(process, sockets[0]);
  Answer answer{Answer::balancing, ECHILD, 0};
  while (recv(sockets[0], &answer, sizeof answer, 0) < 0 && errno == EINTR) {
  }
  if (auto changed = explain(answer, mode); !changed) return changed.as_unexpected();
  if (mode == StressMode::numad && !numad_runs(os)) {
    return failed("numad did not stay", "see whether it can write /var/log/numad.log");
  }
  return daemons;
}

StressDaemons::StressDaemons(StressDaemons&& other) noexcept
    : keeper_(std::exchange(other.keeper_, -1)), socket_(std::exchange(other.socket_, -1)) {}

StressDaemons::~StressDaemons() {
  if (keeper_ < 0) return;
  close(socket_);
  os::wait_for(keeper_);
}

}  // namespace homenode::trial
