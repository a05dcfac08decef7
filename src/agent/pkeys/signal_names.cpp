// libc's functions about signals, before libc's own: a program's actions for the two signals of the
// sampler are kept aside, and no thread blocks them. Serves the sampler by protection keys.
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <ucontext.h>

#include <cerrno>

#include "agent/calls.h"
#include "agent/pkeys/handlers.h"
#include "agent/pkeys/window.h"

namespace homenode::agent::pkeys {
namespace {

/// A mask without our signals; the given one where it may stay as it is, or is none.
class FilteredMask {
 public:
  explicit FilteredMask(const sigset_t* given) : given_(given) {
    if (given == nullptr || !own_handlers_installed()) return;
    copy_ = *given;
    remove_our_signals(copy_);
    given_ = &copy_;
  }
  [[nodiscard]] const sigset_t* get() const { return given_; }

 private:
  const sigset_t* given_;
  sigset_t copy_{};
};

using Handler = void (*)(int);

Handler change_handler(int signal, Handler handler, int flags) {
  struct sigaction wanted {};
  struct sigaction before {};
  wanted.sa_handler = handler;
  wanted.sa_flags = flags;
  change_action(signal, &wanted, &before);
  return before.sa_handler;
}

}  // namespace
}  // namespace homenode::agent::pkeys

using namespace homenode::agent::pkeys;
using homenode::agent::following;

#pragma GCC visibility push(default)
extern "C" {

int sigaction(int signal, const struct sigaction* wanted, struct sigaction* before) {
  using Function = int(int, const struct sigaction*, struct sigaction*);
  static constinit Function* real = nullptr;
  following(real, "sigaction");
  if (!own_handlers_installed()) return real(signal, wanted, before);
  if (is_ours(signal)) {
    change_action(signal, wanted, before);
    return 0;
  }
  if (wanted == nullptr) return real(signal, wanted, before);
  struct sigaction without = *wanted;
  remove_our_signals(without.sa_mask);
  return real(signal, &without, before);
}

Handler signal(int number, Handler handler) {
  using Function = Handler(int, Handler);
  static constinit Function* real = nullptr;
  following(real, "signal");
  if (!is_ours(number) || !own_handlers_installed()) return real(number, handler);
  return change_handler(number, handler, SA_RESTART);
}

Handler bsd_signal(int number, Handler handler) {
  return signal(number, handler);
}

Handler ssignal(int number, Handler handler) {
  return signal(number, handler);
}

Handler sysv_signal(int number, Handler handler) {
  using Function = Handler(int, Handler);
  static constinit Function* real = nullptr;
  following(real, "sysv_signal");
  if (!is_ours(number) || !own_handlers_installed()) return real(number, handler);
  return change_handler(number, handler, static_cast<int>(SA_RESETHAND) | SA_NODEFER);
}

// NOLINTNEXTLINE(bugprone-reserved-identifier): the name is glibc's.
Handler __sysv_signal(int number, Handler handler) {
  return sysv_signal(number, handler);
}

int sigprocmask(int how, const sigset_t* mask, sigset_t* before) {
  using Function = int(int, const sigset_t*, sigset_t*);
  static constinit Function* real = nullptr;
  const FilteredMask filtered(how == SIG_UNBLOCK ? nullptr : mask);
  return following(real, "sigprocmask")(how, how == SIG_UNBLOCK ? mask : filtered.get(), before);
}

int pthread_sigmask(int how, const sigset_t* mask, sigset_t* before) {
  using Function = int(int, const sigset_t*, sigset_t*);
  static constinit Function* real = nullptr;
  const FilteredMask filtered(how == SIG_UNBLOCK ? nullptr : mask);
  return following(real, "pthread_sigmask")(how, how == SIG_UNBLOCK ? mask : filtered.get(),
                                            before);
}

int pthread_attr_setsigmask_np(pthread_attr_t* attributes, const sigset_t* mask) {
  using Function = int(pthread_attr_t*, const sigset_t*);
  static constinit Function* real = nullptr;
  return following(real, "pthread_attr_setsigmask_np")(attributes, FilteredMask(mask).get());
}

int sigsuspend(const sigset_t* mask) {
  using Function = int(const sigset_t*);
  static constinit Function* real = nullptr;
  return following(real, "sigsuspend")(FilteredMask(mask).get());
}

int pselect(int count, fd_set* reads, fd_set* writes, fd_set* others, const timespec* time,
            const sigset_t* mask) {
  using Function = int(int, fd_set*, fd_set*, fd_set*, const timespec*, const sigset_t*);
  static constinit Function* real = nullptr;
  return following(real, "pselect")(count, reads, writes, others, time, FilteredMask(mask).get());
}

int ppoll(pollfd* files, nfds_t count, const timespec* time, const sigset_t* mask) {
  using Function = int(pollfd*, nfds_t, const timespec*, const sigset_t*);
  static constinit Function* real = nullptr;
  return following(real, "ppoll")(files, count, time, FilteredMask(mask).get());
}

int epoll_pwait(int file, epoll_event* events, int count, int time, const sigset_t* mask) {
  using Function = int(int, epoll_event*, int, int, const sigset_t*);
  static constinit Function* real = nullptr;
  return following(real, "epoll_pwait")(file, events, count, time, FilteredMask(mask).get());
}

int epoll_pwait2(int file, epoll_event* events, int count, const timespec* time,
                 const sigset_t* mask) {
  using Function = int(int, epoll_event*, int, const timespec*, const sigset_t*);
  static constinit Function* real = nullptr;
  return following(real, "epoll_pwait2")(file, events, count, time, FilteredMask(mask).get());
}

int sigaltstack(const stack_t* wanted, stack_t* before) {
  using Function = int(const stack_t*, stack_t*);
  static constinit Function* real = nullptr;
  if (own_thread() == nullptr) return following(real, "sigaltstack")(wanted, before);
  const int result = change_signal_stack(wanted, before);
  if (result == 0) return 0;
  errno = -result;
  return -1;
}

// These two go on as jumps: they return to where the caller's context says, not to here.

int setcontext(const ucontext_t* context) {
  using Function = int(const ucontext_t*);
  static constinit Function* real = nullptr;
  if (own_handlers_installed()) remove_our_signals(const_cast<ucontext_t*>(context)->uc_sigmask);
  return following(real, "setcontext")(context);
}

int swapcontext(ucontext_t* before, const ucontext_t* context) {
  using Function = int(ucontext_t*, const ucontext_t*);
  static constinit Function* real = nullptr;
  if (own_handlers_installed()) remove_our_signals(const_cast<ucontext_t*>(context)->uc_sigmask);
  return following(real, "swapcontext")(before, context);
}
}
#pragma GCC visibility pop
