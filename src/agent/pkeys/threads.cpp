#include "agent/pkeys/threads.h"

#include <linux/prctl.h>
#include <pthread.h>
#include <sys/mman.h>

#include <cerrno>

#include "agent/pkeys/entry.h"
#include "agent/pkeys/process_mappings.h"
#include "agent/pkeys/window.h"

namespace homenode::agent::pkeys {
namespace {

constexpr std::size_t large_enough_bytes = std::size_t{64} << 10U;

constinit Thread places[max_threads];
constinit Atomic<std::size_t> used_places;
constinit Atomic<std::uint32_t> away_count;
constinit thread_local Thread* mine = nullptr;

void dispatch_calls(Thread& thread, bool on) {
  const long length = hn_pkeys_end - hn_pkeys_first;
  kernel_call(SYS_prctl, PR_SET_SYSCALL_USER_DISPATCH,
              on ? PR_SYS_DISPATCH_ON : PR_SYS_DISPATCH_OFF, on ? hn_pkeys_first : nullptr,
              on ? length : 0, on ? thread.selector.address() : nullptr);
}

AddressRange range_of(const stack_t& stack) {
  if ((stack.ss_flags & SS_DISABLE) != 0) return {};
  const auto first = reinterpret_cast<std::uintptr_t>(stack.ss_sp);
  return {first, first + stack.ss_size};
}

/// Handlers of ours then never need the stack that the thread happens to run on.
void take_signal_stack(Thread& thread) {
  stack_t before{};
  kernel_call(SYS_sigaltstack, nullptr, &before);
  thread.program_stack = before;
  thread.program_stack.ss_flags = before.ss_flags & ~SS_ONSTACK;
  thread.alternate = range_of(before);
  if ((before.ss_flags & SS_ONSTACK) != 0 || thread.own_stack == nullptr) return;
  if ((before.ss_flags & SS_DISABLE) == 0 && before.ss_size >= large_enough_bytes) return;
  stack_t ours{};
  ours.ss_sp = thread.own_stack;
  ours.ss_size = signal_stack_bytes;
  kernel_call(SYS_sigaltstack, &ours, nullptr);
}

/// As libc has it.
AddressRange stack_of_made() {
  pthread_attr_t attributes;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return {};
  void* first = nullptr;
  std::size_t bytes = 0;
  AddressRange found;
  if (pthread_attr_getstack(&attributes, &first, &bytes) == 0) {
    found.first = reinterpret_cast<std::uintptr_t>(first);
    found.end = found.first + bytes;
  }
  pthread_attr_destroy(&attributes);
  return found;
}

/// The mapping that it lies in. Asks neither libc, whose answer takes memory, nor its allocator,
/// whose own thread this may be.
AddressRange stack_of_found() {
  AddressRange found;
  const auto here = reinterpret_cast<std::uintptr_t>(&found);
  read_mappings([&](const Mapping& mapping) {
    const AddressRange range{mapping.first, mapping.end};
    if (!range.contains(here, here + 1)) return true;
    found = range;
    return false;
  });
  return found;
}

AddressRange find_stack(ThreadOrigin origin) {
  switch (origin) {
    case ThreadOrigin::first:
      break;  // The kernel names its stack.
    case ThreadOrigin::made:
      return stack_of_made();
    case ThreadOrigin::found:
      return stack_of_found();
  }
  return {};
}

Thread* take_place(std::uint32_t tid) {
  for (std::size_t i = 0; i < max_threads; ++i) {
    std::uint32_t free = 0;
    if (!places[i].tid.replace_acquire(free, tid)) continue;
    std::size_t used = used_places.load_relaxed();
    while (used < i + 1 && !used_places.replace_release(used, i + 1)) {
    }
    return &places[i];
  }
  return nullptr;
}

/// Behind a page without access, so that it is a mapping of its own and ends with a fault.
void* map_signal_stack() {
  const long result = kernel_call(SYS_mmap, 0, page_bytes + signal_stack_bytes, PROT_NONE,
                                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (is_error(result)) return nullptr;
  const long stack = result + static_cast<long>(page_bytes);
  if (kernel_call(SYS_mprotect, stack, signal_stack_bytes, PROT_READ | PROT_WRITE) != 0) {
    return nullptr;
  }
  return reinterpret_cast<void*>(stack);  // NOLINT(performance-no-int-to-ptr)
}

/// From here on: what it touches of an open window faults, and its calls come to us.
void become_watched(Thread& thread) {
  thread.allowed_keys.store_relaxed(0);
  // Dispatched at first, whether a window is open or not: its first call finds out.
  thread.selector.store_release(1);
  dispatch_calls(thread, true);
  set_rights(denied_rights);
}

}  // namespace

Thread* all_threads() {
  return places;
}

std::size_t thread_places() {
  return used_places.load_acquire();
}

Thread* own_thread() {
  return mine;
}

void adopt(Thread* thread) {
  mine = thread;
}

std::size_t running_threads() {
  std::size_t count = 0;
  for (std::size_t i = 0; i < thread_places(); ++i) {
    if (places[i].presence.load_acquire() == Presence::watched && !places[i].waits) ++count;
  }
  return count;
}

std::uint32_t threads_away() {
  return away_count.load_acquire();
}

SignalsHeld::SignalsHeld() {
  const std::uint64_t all = ~std::uint64_t{0};
  kernel_call(SYS_rt_sigprocmask, SIG_SETMASK, &all, &kept_, sizeof all);
}

SignalsHeld::~SignalsHeld() {
  kernel_call(SYS_rt_sigprocmask, SIG_SETMASK, &kept_, nullptr, sizeof kept_);
}

void watch_thread(ThreadOrigin origin) {
  if (!is_running() || mine != nullptr) return;
  const AddressRange stack = find_stack(origin);
  const auto tid = static_cast<std::uint32_t>(kernel_call(SYS_gettid));
  const SignalsHeld held;
  Thread* const thread = take_place(tid);
  if (thread == nullptr) return refuse("it has more than 1024 threads");
  thread->stack = stack;
  thread->depth = 0;
  if (thread->own_stack == nullptr) thread->own_stack = map_signal_stack();
  if (thread->own_stack == nullptr) {
    thread->tid.store_release(0);
    return refuse("no memory is left for the signal stack of a thread");
  }
  take_signal_stack(*thread);
  char* pointer = nullptr;
  asm("mov %%fs:0, %0" : "=r"(pointer));
  thread->area.store_relaxed(reinterpret_cast<RestartableArea*>(pointer + the_run().area_offset));
  mine = thread;
  become_watched(*thread);
  thread->presence.store_release(Presence::watched);
}

void go_away() {
  Thread* const thread = mine;
  if (thread == nullptr || !is_running()) return;
  if (thread->depth > 0) {
    ++thread->depth;
    return;
  }
  const SignalsHeld held;
  thread->depth = 1;
  const WindowLock lock;
  close_window();
  away_count.add_relaxed(1);
  thread->presence.store_release(Presence::away);
  dispatch_calls(*thread, false);
  set_rights(all_rights);
}

void come_back() {
  Thread* const thread = mine;
  if (thread == nullptr || thread->depth == 0 || !is_running()) return;
  if (thread->depth > 1) {
    --thread->depth;
    return;
  }
  const SignalsHeld held;
  thread->depth = 0;
  become_watched(*thread);
  thread->presence.store_release(Presence::watched);
  away_count.subtract_relaxed(1);
}

void leave_for_good() {
  Thread* const thread = mine;
  if (thread == nullptr) return;
  go_away();
  const SignalsHeld held;
  dispatch_calls(*thread, false);  // Also where the sampler has ended, and nobody goes away.
  stack_t none{};
  none.ss_flags = SS_DISABLE;
  stack_t now{};
  kernel_call(SYS_sigaltstack, nullptr, &now);
  if (now.ss_sp == thread->own_stack) kernel_call(SYS_sigaltstack, &none, nullptr);
  mine = nullptr;
  thread->presence.store_release(Presence::leaving);
}

void forget_thread(Thread& thread) {
  const Presence presence = thread.presence.load_acquire();
  if (presence == Presence::away || presence == Presence::leaving) {
    away_count.subtract_relaxed(1);
  }
  if (thread.call_file >= 0) kernel_call(SYS_close, thread.call_file);
  if (thread.status_file >= 0) kernel_call(SYS_close, thread.status_file);
  thread.call_file = thread.status_file = -1;
  thread.presence.store_release(Presence::none);
  thread.tid.store_release(0);
}

int change_signal_stack(const stack_t* wanted, stack_t* before) {
  Thread* const thread = mine;
  const SignalsHeld held;
  stack_t now{};
  kernel_call(SYS_sigaltstack, nullptr, &now);
  const stack_t seen = thread->program_stack;
  if (wanted != nullptr) {
    const bool on = (now.ss_flags & SS_ONSTACK) != 0;
    const bool ends = (wanted->ss_flags & SS_DISABLE) != 0;
    const bool replaced = !on && (ends || wanted->ss_size < large_enough_bytes);
    stack_t given = *wanted;
    if (replaced) {
      given.ss_sp = thread->own_stack;
      given.ss_size = signal_stack_bytes;
      given.ss_flags = 0;
    }
    if (!ends && wanted->ss_size < static_cast<std::size_t>(2048)) return -ENOMEM;
    const long result = kernel_call(SYS_sigaltstack, &given, nullptr);
    if (result < 0) return static_cast<int>(result);
    thread->program_stack = *wanted;
    thread->alternate = range_of(*wanted);
  }
  if (before != nullptr) {
    *before = seen;
    before->ss_flags |= now.ss_flags & SS_ONSTACK;
  }
  return 0;
}

}  // namespace homenode::agent::pkeys
