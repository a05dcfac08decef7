// A lock of one word that sleeps in the kernel, needs no constructor. Serves the allocator. (After
// U. Drepper, Futexes Are Tricky, mutex 2.)
#pragma once

#include "base/atomic.h"
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
  void unlock() {
    if (word_.exchange_release(0) == 2) system::wake(word_.address());
  }

 private:
  Atomic<unsigned> word_;  ///< 0 free, 1 taken, 2 taken and somebody may sleep.
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
