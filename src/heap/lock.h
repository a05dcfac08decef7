// A lock of one word that sleeps in the kernel, needs no constructor and may be made anew in the
// child of a fork. Serves the allocator. (After U. Drepper, Futexes Are Tricky, mutex 2.)
#pragma once

#include "heap/system.h"

namespace homenode::heap {

/// Tells the processor that this is a loop that waits.
inline void pause_cpu() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

class Lock {
 public:
  void lock() {
    unsigned seen = 0;
    if (__atomic_compare_exchange_n(&word_, &seen, 1U, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)) {
      return;
    }
    for (int spin = 0; spin < 64; ++spin) {
      pause_cpu();
      seen = 0;
      if (__atomic_load_n(&word_, __ATOMIC_RELAXED) == 0 &&
          __atomic_compare_exchange_n(&word_, &seen, 1U, false, __ATOMIC_ACQUIRE,
                                      __ATOMIC_RELAXED)) {
        return;
      }
    }
    while (__atomic_exchange_n(&word_, 2U, __ATOMIC_ACQUIRE) != 0) system::wait(&word_, 2);
  }
  void unlock() {
    if (__atomic_exchange_n(&word_, 0U, __ATOMIC_RELEASE) == 2) system::wake(&word_);
  }
  /// In the child of a fork, whose other threads are gone.
  void renew() { __atomic_store_n(&word_, 0U, __ATOMIC_RELAXED); }

 private:
  unsigned word_ = 0;  ///< 0 free, 1 taken, 2 taken and somebody may sleep.
};

class Guard {
 public:
  explicit Guard(Lock& lock) : lock_(lock) { lock_.lock(); }
  ~Guard() { lock_.unlock(); }
  Guard(const Guard&) = delete;
  Guard& operator=(const Guard&) = delete;

 private:
  Lock& lock_;
};

}  // namespace homenode::heap
