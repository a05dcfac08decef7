// Everything here runs inside other people's code at any instruction: system calls of our own
// entry alone, no lock but the window's, no library call. The handlers' first act is to allow
// themselves all keys: the program's stack may be armed, and both signals are blocked here.
#include "agent/pkeys/handlers.h"

#include <ucontext.h>

#include <cerrno>

#include "agent/pkeys/calls_table.h"
#include "agent/pkeys/entry.h"
#include "agent/pkeys/keys.h"
#include "agent/pkeys/signal_frame.h"
#include "agent/pkeys/window.h"

namespace homenode::agent::pkeys {
namespace {

constexpr int protection_key_fault = 4;  // SEGV_PKUERR
constexpr int dispatched_call = 2;       // SYS_USER_DISPATCH
constexpr std::uint64_t call_bytes = 2;  // Of the instruction.
/// So many calls that block our signals are met in windows before the program is left alone.
constexpr std::uint32_t most_blocking_calls = 1;

constinit Ring ring;
constinit bool installed = false;

/// The kernel's form of struct sigaction.
struct KernelAction {
  void* handler;
  std::uint64_t flags;
  void (*restorer)();
  std::uint64_t mask;
};
constexpr std::uint64_t own_restorer = 0x04000000;  // SA_RESTORER

/// The program's, for SIGSEGV and SIGSYS. Written aside and then switched to, because a handler may
/// read at any time.
struct ProgramAction {
  struct sigaction versions[2];
  Atomic<unsigned> current;
};
constinit ProgramAction program_actions[2] = {};

ProgramAction& action_of(int signal) {
  return program_actions[signal == SIGSEGV ? 0 : 1];
}

void record(const siginfo_t& info, const SignalFrame& frame, Thread& thread) {
  Window& window = the_window();
  const std::uint32_t number = window.number.load_acquire();
  if (window.phase.load_acquire() != Phase::armed) return;
  const auto address = reinterpret_cast<std::uintptr_t>(info.si_addr);
  Sample sample;
  std::size_t i = 0;
  const std::size_t count = window.range_count.load_acquire();
  while (i < count && (address < window.ranges[i].first || address >= window.ranges[i].end)) ++i;
  if (i == count) return;
  const ArmedRange range = window.ranges[i];
  sample.time_ns = now_ns();
  sample.address = address;
  sample.instruction = frame.at(REG_RIP);
  sample.weight = static_cast<std::uint32_t>(sample.time_ns - window.armed_ns.load_relaxed());
  sample.pid = static_cast<std::uint32_t>(the_run().pid.load_relaxed());
  sample.tid = thread.tid.load_relaxed();
  unsigned cpu = 0;
  unsigned node = 0;
  if (kernel_call(SYS_getcpu, &cpu, &node, nullptr) == 0) {
    sample.cpu = static_cast<std::uint16_t>(cpu);
    sample.cpu_node = static_cast<std::uint16_t>(node);
  }
  sample.memory_node = range.nodes[(address - range.first) >> range.page_shift];
  sample.round = static_cast<std::uint16_t>(number);
  constexpr std::uint64_t written = 2;
  sample.operation =
      (frame.at(REG_ERR) & written) != 0 ? SampleOperation::write : SampleOperation::read;
  sample.source = SampleSource::pkeys;
  sample.page_shift = static_cast<std::uint8_t>(range.shift);
  sample.flags = sample_first_touch;
  // What was read belongs to one window only if that is still the same.
  if (window.number.load_acquire() == number) ring.put(sample);
}

/// As if nobody handled the signal: a fault comes again at once, what was sent is sent again.
void by_default(int signal, const siginfo_t& info) {
  KernelAction action{};
  action.flags = own_restorer;
  action.restorer = &hn_pkeys_restore;
  kernel_call(SYS_rt_sigaction, signal, &action, nullptr, sizeof action.mask);
  if (info.si_code <= 0 || signal == SIGSYS) {
    kernel_call(SYS_tgkill, kernel_call(SYS_getpid), kernel_call(SYS_gettid), signal);
  }
}

std::uint64_t word_of(const sigset_t& mask) {
  return reinterpret_cast<const std::uint64_t&>(mask);
}

constexpr std::uint64_t bit_of(int signal) {
  return std::uint64_t{1} << static_cast<unsigned>(signal - 1);
}

/// To the program, on the terms that it asked for, but that our signals are never blocked.
void pass_to_program(int signal, siginfo_t* info, void* context) {
  ProgramAction& kept = action_of(signal);
  const unsigned current = kept.current.load_acquire();
  const struct sigaction action = kept.versions[current];
  const bool takes_info = (action.sa_flags & SA_SIGINFO) != 0;
  if (!takes_info && action.sa_handler == SIG_DFL) return by_default(signal, *info);
  if (!takes_info && action.sa_handler == SIG_IGN) {
    return info->si_code <= 0 ? void() : by_default(signal, *info);
  }
  if ((action.sa_flags & static_cast<int>(SA_RESETHAND)) != 0) {
    struct sigaction none {};
    change_action(signal, &none, nullptr);
  }
  const auto& frame = *static_cast<ucontext_t*>(context);
  std::uint64_t blocked = word_of(frame.uc_sigmask) | word_of(action.sa_mask);
  blocked &= ~(bit_of(SIGSEGV) | bit_of(SIGSYS));
  kernel_call(SYS_rt_sigprocmask, SIG_SETMASK, &blocked, nullptr, sizeof blocked);
  set_rights(denied_rights);
  if (takes_info) {
    action.sa_sigaction(signal, info, context);
  } else {
    action.sa_handler(signal);
  }
}

/// A fault by a key that is not ours is the program's; but one of ours may be older than the end of
/// its window, whose pages have key 0 again, and does not come again when the access is tried once
/// more. It may at the end of a later window: a thread that goes through memory in order often has
/// its faults at the same few addresses.
class Repeated {
 public:
  /// Whether the access faults however often it is tried.
  bool always(std::uint64_t address) {
    const std::uint32_t window = the_window().number.load_relaxed();
    if (address != address_ || window != window_) *this = {};
    address_ = address;
    window_ = window;
    return ++times_ > most;
  }

 private:
  /// As the number changes, faults of two windows may have the same.
  static constexpr unsigned most = 8;

  std::uint64_t address_ = 0;
  std::uint32_t window_ = 0;
  unsigned times_ = 0;
};
constinit thread_local Repeated repeated;

bool is_programs(const siginfo_t& info) {
  if (info.si_code != protection_key_fault) return true;
  if (is_own_key(static_cast<int>(info.si_pkey))) return false;
  return repeated.always(reinterpret_cast<std::uint64_t>(info.si_addr));
}

void on_fault(int signal, siginfo_t* info, void* context) {
  const int errno_before = errno;
  set_rights(all_rights);
  if (is_programs(*info)) {
    pass_to_program(signal, info, context);
    errno = errno_before;
    return;
  }
  const SignalFrame frame(context, the_run().rights_offset);
  Thread* const thread = own_thread();
  the_run().faults.add_relaxed(1);
  if (thread == nullptr) {
    // Nobody gave this thread rights of ours to lose, but its parent.
    frame.set_rights(all_rights);
    return;
  }
  const int key = static_cast<int>(info->si_pkey);
  if (!is_own_key(key)) return;
  record(*info, frame, *thread);
  const std::uint32_t number = the_window().number.load_relaxed();
  const bool again = thread->touched_window.load_relaxed() == number;
  const std::uint32_t before = again ? thread->allowed_keys.load_relaxed() : 0;
  const std::uint32_t allowed = before | bit_of_key(key);
  thread->allowed_keys.store_relaxed(allowed);
  thread->touched_window.store_release(number);
  frame.set_rights(with_keys(denied_rights, allowed));
}

void arguments_of(const SignalFrame& frame, std::uint64_t* arguments) {
  constexpr int registers[] = {REG_RDI, REG_RSI, REG_RDX, REG_R10, REG_R8, REG_R9};
  for (const int each : registers) *arguments++ = frame.at(each);
}

/// The call goes on in our entry, outside the handler, with all keys; then the program does.
void pass_on(const SignalFrame& frame) {
  const std::uint64_t stack = frame.at(REG_RSP) - red_zone_bytes - sizeof(Passage);
  const Passage passage{frame.rights(), frame.at(REG_RDX), 0, frame.at(REG_RIP)};
  *reinterpret_cast<Passage*>(stack) = passage;  // NOLINT(performance-no-int-to-ptr)
  frame.set(REG_RSP, stack);
  frame.set(REG_RIP, reinterpret_cast<std::uint64_t>(&hn_pkeys_pass));
  frame.set_rights(all_rights);
}

/// The call is made again, where it was made, and nothing is armed then.
void repeat_without_window(const SignalFrame& frame, Thread& thread) {
  {
    const WindowLock lock;
    if (the_window().phase.load_acquire() != Phase::closed) the_run().cancelled.add_relaxed(1);
    close_window();
    thread.selector.store_release(0);
  }
  frame.set(REG_RIP, frame.at(REG_RIP) - call_bytes);
}

/// libc itself makes such calls where a library asks it, past us, for a new thread. The window
/// closes for the call, and none opens while the thread is about to make it: it would die of its
/// next call. A program that does so time and again is left alone.
void note_blocking_call(std::uint64_t instruction) {
  Run& run = the_run();
  run.blocking_call_ns.store_relaxed(now_ns());
  if (run.blocking_calls.add_relaxed(1) < most_blocking_calls) return;
  run.refused_at.store_relaxed(instruction);
  refuse("it blocks SIGSYS or SIGSEGV in a way that the sampler cannot prevent");
}

void on_call(int signal, siginfo_t* info, void* context) {
  const int errno_before = errno;
  set_rights(all_rights);
  if (info->si_code != dispatched_call || own_thread() == nullptr) {
    pass_to_program(signal, info, context);
    errno = errno_before;
    return;
  }
  const SignalFrame frame(context, the_run().rights_offset);
  Thread& thread = *own_thread();
  Run& run = the_run();
  run.dispatches.add_relaxed(1);
  std::uint64_t arguments[6];
  arguments_of(frame, arguments);
  const std::uint64_t number = frame.at(REG_RAX);
  constexpr unsigned this_architecture = 0xc000003e;  // AUDIT_ARCH_X86_64
  const bool known = info->si_arch == this_architecture;
  if (known && number >= SYS_io_uring_setup && number <= SYS_io_uring_register) {
    refuse("it uses io_uring");
  }
  if (known && blocks_our_signals(number, arguments)) note_blocking_call(frame.at(REG_RIP));
  const bool open = the_window().phase.load_acquire() != Phase::closed;
  if (known && open && may_pass(number, arguments, run.pass_blocking)) return pass_on(frame);
  repeat_without_window(frame, thread);
}

bool install(int signal, void (*handler)(int, siginfo_t*, void*)) {
  KernelAction ours{};
  ours.handler = reinterpret_cast<void*>(handler);
  ours.flags = own_restorer | static_cast<std::uint64_t>(SA_SIGINFO | SA_ONSTACK | SA_RESTART);
  ours.restorer = &hn_pkeys_restore;
  ours.mask = ~std::uint64_t{0};
  struct KernelAction before {};
  if (kernel_call(SYS_rt_sigaction, signal, &ours, &before, sizeof ours.mask) != 0) return false;
  struct sigaction kept {};
  kept.sa_handler = reinterpret_cast<void (*)(int)>(before.handler);
  change_action(signal, &kept, nullptr);
  return true;
}

}  // namespace

Ring& the_ring() {
  return ring;
}

bool install_handlers() {
  installed = install(SIGSEGV, &on_fault) && install(SIGSYS, &on_call);
  return installed;
}

bool own_handlers_installed() {
  return installed;
}

void change_action(int signal, const struct sigaction* wanted, struct sigaction* before) {
  const SignalsHeld held;
  ProgramAction& kept = action_of(signal);
  const unsigned current = kept.current.load_acquire();
  const struct sigaction copy = kept.versions[current & 1U];
  if (wanted != nullptr) {
    kept.versions[(current & 1U) ^ 1U] = *wanted;
    kept.current.store_release((current & 1U) ^ 1U);
  }
  if (before != nullptr) *before = copy;
}

void remove_our_signals(sigset_t& mask) {
  reinterpret_cast<std::uint64_t&>(mask) &= ~(bit_of(SIGSEGV) | bit_of(SIGSYS));
}

}  // namespace homenode::agent::pkeys
