#include "trial/stress/perturber.h"

#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <utility>

#include "os/processes.h"

namespace homenode::trial {
namespace {

/// A message is a list of numbers with its length in front; a stream socket has no limit on it.
using Numbers = std::vector<long>;

bool send_all(int socket, const void* data, std::size_t bytes) {
  const auto* from = static_cast<const char*>(data);
  while (bytes > 0) {
    const ssize_t sent = send(socket, from, bytes, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return false;
    from += sent;
    bytes -= static_cast<std::size_t>(sent);
  }
  return true;
}

bool receive_all(int socket, void* data, std::size_t bytes) {
  auto* to = static_cast<char*>(data);
  while (bytes > 0) {
    const ssize_t received = recv(socket, to, bytes, 0);
    if (received < 0 && errno == EINTR) continue;
    if (received <= 0) return false;
    to += received;
    bytes -= static_cast<std::size_t>(received);
  }
  return true;
}

bool send_numbers(int socket, const Numbers& numbers) {
  const std::size_t count = numbers.size();
  return send_all(socket, &count, sizeof count) &&
         send_all(socket, numbers.data(), count * sizeof(long));
}

bool receive_numbers(int socket, Numbers& numbers) {
  std::size_t count = 0;
  if (!receive_all(socket, &count, sizeof count)) return false;
  numbers.resize(count);
  return receive_all(socket, numbers.data(), count * sizeof(long));
}

/// Waits; false when the program is gone before the time is over.
bool wait_unless_closed(int socket, long milliseconds) {
  using Clock = std::chrono::steady_clock;
  const auto end = Clock::now() + std::chrono::milliseconds(milliseconds);
  for (;;) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now());
    if (left.count() <= 0) return true;
    pollfd wait{socket, POLLIN, 0};  // The program says nothing more, so this is its end.
    if (poll(&wait, 1, static_cast<int>(left.count())) > 0) return false;
  }
}

/// The errno of the first refusal, or 0. Threads that have ended are let be.
long set_all(os::Os& os, const std::vector<pid_t>& threads, const std::vector<CpuSet>& cpus) {
  for (std::size_t i = 0; i < threads.size(); ++i) {
    const int result = os.sched_setaffinity(threads[i], cpus[i % cpus.size()]);
    if (result != 0 && result != -ESRCH) return -result;
  }
  return 0;
}

/// What the forked process does until the program ends.
void perturb(os::Os& os, int socket) {
  Numbers pairs;
  if (!receive_numbers(socket, pairs)) return;
  std::vector<pid_t> threads;
  std::vector<CpuSet> cpus;
  for (std::size_t i = 0; i + 1 < pairs.size(); i += 2) {
    threads.push_back(static_cast<pid_t>(pairs[i]));
    cpus.push_back({CpuId(static_cast<unsigned>(pairs[i + 1]))});
  }
  if (!send_numbers(socket, {set_all(os, threads, cpus)})) return;

  Numbers release;  // Milliseconds, then all CPUs.
  if (!receive_numbers(socket, release) || !wait_unless_closed(socket, release.at(0))) return;
  CpuSet all;
  for (std::size_t i = 1; i < release.size(); ++i) {
    all.insert(CpuId(static_cast<unsigned>(release[i])));
  }
  if (!send_numbers(socket, {set_all(os, threads, {all})})) return;
  receive_numbers(socket, release);  // Until the program ends.
}

Result<void> answer_of(int socket, const char* tried) {
  Numbers answer;
  if (!receive_numbers(socket, answer) || answer.size() != 1) {
    return failed(fmt::format("the perturbing process ended before it could {}", tried),
                  "see whether something kills it (the kernel's log), and run again");
  }
  if (answer[0] == 0) return {};
  return failed(fmt::format("the perturbing process cannot {}", tried),
                "see which CPUs this process may use (Cpus_allowed_list in /proc/self/status)",
                static_cast<int>(answer[0]));
}

}  // namespace

Result<Perturber> Perturber::start(os::Os& os) {
  int sockets[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets) != 0) {
    return failed("cannot make a socket to the perturbing process",
                  "raise the limit of open files (ulimit -n)", errno);
  }
  const pid_t process = os::fork_bound();
  if (process == 0) {
    prctl(PR_SET_NAME, "hn-perturber");
    close(sockets[0]);
    perturb(os, sockets[1]);
    _exit(0);
  }
  close(sockets[1]);
  if (process < 0) {
    close(sockets[0]);
    return failed("cannot start the perturbing process", "raise the limit (ulimit -u, pids.max)",
                  -process);
  }
  return Perturber(process, sockets[0]);
}

Perturber::Perturber(Perturber&& other) noexcept
    : process_(std::exchange(other.process_, -1)), socket_(std::exchange(other.socket_, -1)) {}

Perturber::~Perturber() {
  if (process_ < 0) return;
  close(socket_);
  kill(process_, SIGKILL);
  os::wait_for(process_);
}

Result<void> Perturber::pin(const std::vector<PinnedThread>& threads) {
  Numbers pairs;
  for (const PinnedThread& pinned : threads) {
    pairs.push_back(pinned.thread);
    pairs.push_back(static_cast<long>(pinned.cpu.value()));
  }
  send_numbers(socket_, pairs);  // What went wrong shows in the answer.
  return answer_of(socket_, "pin the threads");
}

Result<void> Perturber::release_after(double hold_s, const CpuSet& cpus) {
  Numbers release{static_cast<long>(hold_s * 1e3)};
  for (CpuId cpu : cpus.to_vector()) release.push_back(static_cast<long>(cpu.value()));
  if (send_numbers(socket_, release)) return {};
  return failed("the perturbing process is gone", "see the kernel's log, and run again", errno);
}

Result<void> Perturber::released() {
  return answer_of(socket_, "release the threads");
}

}  // namespace homenode::trial
