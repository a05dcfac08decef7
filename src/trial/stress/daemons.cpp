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
#include <string>
#include <utility>
#include <vector>

#include "os/processes.h"
#include "sensing/process_names.h"

namespace homenode::trial {
namespace {

constexpr const char* balancing_file = "/proc/sys/kernel/numa_balancing";
constexpr int exec_failed = 127;
constexpr const char* older_than_numad_asks = "monotonic 100000 0";

/// What the keeper says: which step was refused, and why.
struct Answer {
  enum Step { done, balancing, numad } step = done;
  int errno_value = 0;
  int exit_code = 0;  ///< Of numad.
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

/// The keeper: what changes the system, and changes it back.
class Keeper {
 public:
  Keeper(os::Os& os, const WantedDaemons& wanted) : os_(os), wanted_(wanted) {}

  Answer change() {
    // numad puts itself into the background; as its next of kin the keeper can wait for it.
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    if (os_.read_file(balancing_file, before_) != 0) {
      if (wanted_.kernel_balancing) return {Answer::balancing, ENOENT, 0};
      before_.clear();
    }
    const bool is_on = !before_.empty() && before_.front() != '0';
    if (is_on != wanted_.kernel_balancing) {
      const int result = write_text(balancing_file, wanted_.kernel_balancing ? "1" : "0");
      if (result != 0) return {Answer::balancing, -result, 0};
      changed_ = true;
    }
    if (!wanted_.numad) return {};
    const int code = run_numad(std::to_string(wanted_.numad_interval_s), true);
    if (code != 0) return {Answer::numad, std::max(-code, 0), code};
    started_ = true;
    return {};
  }

  void change_back() {
    if (started_) {
      run_numad("0", false);  // Its own way of being told to end.
      while (waitpid(-1, nullptr, 0) > 0 || errno == EINTR) {
      }
    }
    if (changed_) (void)write_text(balancing_file, before_);
  }

 private:
  os::Os& os_;
  WantedDaemons wanted_;
  std::string before_;
  bool changed_ = false;
  bool started_ = false;
};

void keep(os::Os& os, const WantedDaemons& wanted, int socket) {
  setsid();  // Whoever ends the program from a terminal leaves this one to tidy up.
  for (int number : {SIGINT, SIGTERM, SIGHUP}) signal(number, SIG_IGN);
  prctl(PR_SET_NAME, "hn-keeper");
  Keeper keeper(os, wanted);
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

Result<void> explain(const Answer& answer, const WantedDaemons& wanted) {
  if (answer.step == Answer::done) return {};
  if (answer.step == Answer::balancing) {
    return not_supported(
        fmt::format("cannot switch the kernel's balancing {} ({})",
                    wanted.kernel_balancing ? "on" : "off", balancing_file),
        "run this as root, on a kernel with CONFIG_NUMA_BALANCING and several nodes",
        answer.errno_value);
  }
  if (answer.errno_value != 0) {
    return failed("cannot start numad", "raise the limit (ulimit -u, pids.max)",
                  answer.errno_value);
  }
  if (answer.exit_code == exec_failed) {
    return not_supported("there is no numad", "install numad, or leave it out of --modes");
  }
  return failed(fmt::format("numad ended with exit code {}", answer.exit_code),
                "run 'numad -i 5' as root and read what it says; it needs several nodes and a "
                "/var/log that it can write to");
}

}  // namespace

Result<StressDaemons> StressDaemons::start(os::Os& os, const WantedDaemons& wanted) {
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
    keep(os, wanted, sockets[1]);
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
  if (auto changed = explain(answer, wanted); !changed) return changed.as_unexpected();
  if (wanted.numad && !numad_runs(os)) {
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
