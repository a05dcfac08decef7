// Programs that are started and guards on the system that this runs on. Serves os/linux.h.
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>

#include "os/linux.h"

namespace homenode::os {
namespace {

/// The child's part of start_waiting(). Does not return.
[[noreturn]] void wait_and_execute(Linux& os, int go, int refusal,
                                   const std::vector<std::string>& program) {
  char word = 0;
  ssize_t count = 0;
  while ((count = read(go, &word, 1)) < 0 && errno == EINTR) {
  }
  if (count != 1) _exit(0);
  const int error = -os.execute(program);
  count = write(refusal, &error, sizeof error);
  constexpr int not_found = 127;
  _exit(count == sizeof error ? not_found : 1);
}

/// The guard's part of start_guard(). It holds nothing open that others wait for, and signals that
/// a terminal sends to all do not end it.
[[noreturn]] void wait_and_write(int alive, const char* path, const std::string& content) {
  setsid();
  for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE}) signal(number, SIG_IGN);
  const long most = sysconf(_SC_OPEN_MAX);
  constexpr long enough = 4096;
  for (int file = 0; file < std::min(most, enough); ++file) {
    if (file != alive) close(file);
  }
  char word = 0;
  while (read(alive, &word, 1) < 0 && errno == EINTR) {
  }
  const int file = open(path, O_WRONLY | O_CLOEXEC);
  if (file < 0) _exit(1);
  const ssize_t count = write(file, content.data(), content.size());
  _exit(count == static_cast<ssize_t>(content.size()) ? 0 : 1);
}

void close_both(const std::array<int, 2>& ends) {
  close(ends[0]);
  close(ends[1]);
}

void close_end(int& descriptor) {
  if (descriptor >= 0) close(descriptor);
  descriptor = -1;
}

}  // namespace

int Linux::start_waiting(const std::vector<std::string>& program,
                         const std::vector<std::pair<std::string, std::string>>& environment,
                         WaitingProgram& child) {
  std::array<int, 2> go{};
  std::array<int, 2> refusal{};
  if (pipe2(go.data(), O_CLOEXEC) != 0) return -errno;
  if (pipe2(refusal.data(), O_CLOEXEC) != 0) {
    const int error = errno;
    close_both(go);
    return -error;
  }
  child.pid = fork();
  if (child.pid == 0) {
    close(go[1]);
    close(refusal[0]);
    for (const auto& [name, value] : environment) setenv(name.c_str(), value.c_str(), 1);
    wait_and_execute(*this, go[0], refusal[1], program);
  }
  const int error = errno;
  close(go[0]);
  close(refusal[1]);
  child.go = go[1];
  child.refusal = refusal[0];
  if (child.pid > 0) return 0;
  close_end(child.go);
  close_end(child.refusal);
  return -error;
}

int Linux::release(WaitingProgram& child) {
  constexpr char word = 1;
  if (write(child.go, &word, 1) != 1) return -EPIPE;
  close_end(child.go);
  int error = 0;
  ssize_t count = 0;
  while ((count = read(child.refusal, &error, sizeof error)) < 0 && errno == EINTR) {
  }
  close_end(child.refusal);
  if (count != sizeof error) return 0;  // The exec closed the other end.
  waitpid(child.pid, nullptr, 0);
  return -error;
}

void Linux::abandon(WaitingProgram& child) {
  close_end(child.go);
  close_end(child.refusal);
  waitpid(child.pid, nullptr, 0);
}

std::optional<Ending> Linux::ending_of(pid_t child, bool wait) {
  int status = 0;
  pid_t ended = 0;
  while ((ended = waitpid(child, &status, wait ? 0 : WNOHANG)) < 0 && errno == EINTR) {
  }
  if (ended != child) return std::nullopt;
  if (WIFSIGNALED(status)) return Ending{true, WTERMSIG(status)};
  return Ending{false, WEXITSTATUS(status)};
}

int Linux::send_signal(pid_t process, int signal) {
  return kill(process, signal) == 0 ? 0 : -errno;
}

int Linux::start_guard(const std::string& path, const std::string& content, Guard& guard) {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) return -errno;
  guard.pid = fork();
  if (guard.pid == 0) {
    close(ends[1]);
    wait_and_write(ends[0], path.c_str(), content);
  }
  const int error = errno;
  close(ends[0]);
  guard.alive = ends[1];
  if (guard.pid > 0) return 0;
  close_end(guard.alive);
  return -error;
}

int Linux::end_guard(Guard& guard) {
  close_end(guard.alive);
  const auto ending = ending_of(guard.pid, true);
  return ending && !ending->by_signal && ending->number == 0 ? 0 : -EIO;
}

}  // namespace homenode::os
