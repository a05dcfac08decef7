// A lock of one word that sleeps in the kernel, needs no constructor. Serves the allocator. (After
// U. Drepper, Futexes Are Tricky, mutex 2.)
#pragma once

#include "base/atomic.h"
#include "heap/system.h"

// Which lock guards what, for clang's analysis (-Wthread-safety); nothing for other compilers. A
// test has clang-tidy look: tests/python/structure/test_locks.py.
#if defined(__clang__)
#define HN_LOCKS(attribute) __attribute__((attribute))
#else
#define HN_LOCKS(attribute)
#endif
/// Of a variable: only who holds the lock reads or writes it.
#define HN_GUARDED_BY(lock) HN_LOCKS(guarded_by(lock))
/// Of a function: its caller holds the lock.
#define HN_REQUIRES(lock) HN_LOCKS(requires_capability(lock))
/// Of a function: its caller does not hold the lock, which is taken within.
#define HN_EXCLUDES(lock) HN_LOCKS(locks_excluded(lock))
/// Of a function that takes locks as the analysis cannot follow: a comment says why.
#define HN_UNCHECKED HN_LOCKS(no_thread_safety_analysis)

namespace homenode::heap {

/// Tells the processor that this is a loop that waits.
inline void pause_cpu() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

class HN_LOCKS(capability("lock")) Lock {
 public:
  void lock() HN_LOCKS(acquire_capability()) {
    unsigned seen = 0;
    if (word_.replace_acquire(seen, 1)) {
      return;
    }
    for (int spin = 0; spin < 64; ++spin) {
      pause_cpu();
      seen = 0;
      if (word_.load_relaxed() == 0 && word_.replace_acquire(seen, 1)) {
        return;
      }
    }
    while (word_.exchange_acquire(2) != 0) system::wait(word_.address(), 2);
  }
  void unlock() HN_LOCKS(release_capability()) {
    if (word_.exchange_release(0) == 2) system::wake(word_.address());
  }

 private:
  Atomic<unsigned> word_;  ///< 0 free, 1 taken, 2 taken and somebody may sleep.
};

class HN_LOCKS(scoped_lockable) Guard {
 public:
  explicit Guard(Lock& lock) HN_LOCKS(acquire_capability(lock)) : lock_(lock) { lock_.lock(); }
  ~Guard() HN_LOCKS(release_capability()) { lock_.unlock(); }
  Guard(const Guard&) = delete;
  Guard& operator=(const Guard&) = delete;

 private:
  Lock& lock_;
};

}  // namespace homenode::heap
