// libc's functions that block all signals for a while, or start threads or processes of libc's own,
// before libc's own: the calling thread is away meanwhile. And those after which the sampler's
// thread would be in the way. Serves the sampler by protection keys.
//
// Found by looking for rt_sigprocmask in the code of glibc 2.36; what others there may be is found
// out while a window is open, and ends sampling (handlers.cpp).
#include <aio.h>
#include <linux/prctl.h>
#include <mqueue.h>
#include <netdb.h>
#include <pthread.h>
#include <sched.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <wordexp.h>

#include <csignal>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <ctime>

#include "agent/calls.h"
#include "agent/pkeys/sampler.h"
#include "agent/pkeys/threads.h"
#include "agent/pkeys/window.h"

namespace homenode::agent::pkeys {
namespace {

template <class Function>
using Real = Function*;

/// The next function of this name, with the calling thread away.
template <class Function, class... Arguments>
auto away_in(Function*& kept, const char* name, Arguments... arguments) {
  Function* const real = following(kept, name);
  const Away away;
  return real(arguments...);
}

/// Before a sandbox, or what a process with several threads must not do.
void end_sampling(const char* why) {
  if (!is_running()) return;
  refuse(why);
  stop_sampler();
}

constexpr char sandbox[] = "it goes into a sandbox (seccomp)";
constexpr char namespaces[] = "it changes its namespaces";
constexpr char ring_calls[] = "it uses io_uring";

}  // namespace
}  // namespace homenode::agent::pkeys

using namespace homenode::agent::pkeys;
using homenode::agent::following;

#pragma GCC visibility push(default)
extern "C" {

int pthread_kill(pthread_t thread, int signal) {
  static constinit Real<int(pthread_t, int)> real = nullptr;
  return away_in(real, "pthread_kill", thread, signal);
}

int pthread_cancel(pthread_t thread) {
  static constinit Real<int(pthread_t)> real = nullptr;
  return away_in(real, "pthread_cancel", thread);
}

int pthread_sigqueue(pthread_t thread, int signal, const sigval value) {
  static constinit Real<int(pthread_t, int, sigval)> real = nullptr;
  return away_in(real, "pthread_sigqueue", thread, signal, value);
}

int posix_spawn(pid_t* pid, const char* path, const posix_spawn_file_actions_t* actions,
                const posix_spawnattr_t* attributes, char* const* arguments,
                char* const* environment) {
  static constinit decltype(&posix_spawn) real = nullptr;
  return away_in(real, "posix_spawn", pid, path, actions, attributes, arguments, environment);
}

int posix_spawnp(pid_t* pid, const char* file, const posix_spawn_file_actions_t* actions,
                 const posix_spawnattr_t* attributes, char* const* arguments,
                 char* const* environment) {
  static constinit decltype(&posix_spawnp) real = nullptr;
  return away_in(real, "posix_spawnp", pid, file, actions, attributes, arguments, environment);
}

int system(const char* command) {
  static constinit Real<int(const char*)> real = nullptr;
  return away_in(real, "system", command);
}

FILE* popen(const char* command, const char* type) {
  static constinit Real<FILE*(const char*, const char*)> real = nullptr;
  return away_in(real, "popen", command, type);
}

int wordexp(const char* words, wordexp_t* result, int flags) {
  static constinit Real<int(const char*, wordexp_t*, int)> real = nullptr;
  return away_in(real, "wordexp", words, result, flags);
}

void abort() {
  static constinit Real<void()> real = nullptr;
  following(real, "abort");
  go_away();
  real();
  __builtin_unreachable();
}

int timer_create(clockid_t clock, sigevent* event, timer_t* timer) {
  static constinit Real<int(clockid_t, sigevent*, timer_t*)> real = nullptr;
  return away_in(real, "timer_create", clock, event, timer);
}

int mq_notify(mqd_t queue, const sigevent* event) {
  static constinit Real<int(mqd_t, const sigevent*)> real = nullptr;
  return away_in(real, "mq_notify", queue, event);
}

int getaddrinfo_a(int mode, gaicb** list, int count, sigevent* event) {
  static constinit Real<int(int, gaicb**, int, sigevent*)> real = nullptr;
  return away_in(real, "getaddrinfo_a", mode, list, count, event);
}

int aio_read(aiocb* request) {
  static constinit Real<int(aiocb*)> real = nullptr;
  return away_in(real, "aio_read", request);
}

int aio_write(aiocb* request) {
  static constinit Real<int(aiocb*)> real = nullptr;
  return away_in(real, "aio_write", request);
}

int aio_fsync(int operation, aiocb* request) {
  static constinit Real<int(int, aiocb*)> real = nullptr;
  return away_in(real, "aio_fsync", operation, request);
}

int lio_listio(int mode, aiocb* const* list, int count, sigevent* event) {
  static constinit Real<int(int, aiocb* const*, int, sigevent*)> real = nullptr;
  return away_in(real, "lio_listio", mode, list, count, event);
}

/// A process that shares memory with this one and is none of its threads.
int clone(int (*function)(void*), void* stack, int flags, void* argument, ...) {
  using Function = int(int (*)(void*), void*, int, void*, void*, void*, void*);
  static constinit Function* real = nullptr;
  va_list more;
  va_start(more, argument);
  void* const parent = va_arg(more, void*);
  void* const tls = va_arg(more, void*);
  void* const child = va_arg(more, void*);
  va_end(more);
  if ((flags & CLONE_VM) != 0 && (flags & (CLONE_VFORK | CLONE_THREAD)) == 0) {
    end_sampling("it shares its memory with another process (clone)");
  }
  return following(real, "clone")(function, stack, flags, argument, parent, tls, child);
}

int unshare(int flags) {
  static constinit Real<int(int)> real = nullptr;
  end_sampling(namespaces);
  return following(real, "unshare")(flags);
}

int setns(int file, int type) {
  static constinit Real<int(int, int)> real = nullptr;
  end_sampling(namespaces);
  return following(real, "setns")(file, type);
}

int prctl(int option, ...) {
  static constinit Real<int(int, unsigned long, unsigned long, unsigned long, unsigned long)> real =
      nullptr;
  va_list more;
  va_start(more, option);
  unsigned long words[4];
  for (unsigned long& word : words) word = va_arg(more, unsigned long);
  va_end(more);
  if (option == PR_SET_SECCOMP || option == PR_SET_SYSCALL_USER_DISPATCH) end_sampling(sandbox);
  return following(real, "prctl")(option, words[0], words[1], words[2], words[3]);
}

/// The declaration of unistd.h has an ellipsis; the arguments are where they are with one. Goes on
/// as a jump.
long homenode_syscall(long number, long a, long b, long c, long d, long e, long f) asm("syscall");
long homenode_syscall(long number, long a, long b, long c, long d, long e, long f) {
  using Function = long(long, long, long, long, long, long, long);
  static constinit Function* real = nullptr;
  if (number == SYS_seccomp || (number == SYS_prctl && a == PR_SET_SECCOMP)) end_sampling(sandbox);
  if (number == SYS_unshare || number == SYS_setns) end_sampling(namespaces);
  if (number == SYS_io_uring_setup) end_sampling(ring_calls);
  return following(real, "syscall")(number, a, b, c, d, e, f);
}
}
#pragma GCC visibility pop
