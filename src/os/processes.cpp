#include "os/processes.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>

namespace homenode::os {

pid_t fork_bound() {
  const pid_t starter = getpid();
  const pid_t process = fork();
  if (process < 0) return -errno;
  if (process > 0) return process;
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  // The starter may have ended before the call above.
  if (getppid() != starter) _exit(1);
  return 0;
}

std::optional<Ending> wait_for(pid_t process) {
  int status = 0;
  while (waitpid(process, &status, 0) < 0) {
    if (errno != EINTR) return std::nullopt;
  }
  if (WIFSIGNALED(status)) return Ending{true, WTERMSIG(status)};
  return Ending{false, WEXITSTATUS(status)};
}

void raise_file_limit() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}

pid_t thread_id() {
  return static_cast<pid_t>(syscall(SYS_gettid));
}

}  // namespace homenode::os
