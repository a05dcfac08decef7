// A value that several threads read and write, each time with the memory order that its name says.
// Serves the malloc and the agent, which live without the C++ library; zeroed memory is one of 0.
#pragma once

namespace homenode {

template <class T>
class Atomic {
 public:
  constexpr Atomic() = default;
  constexpr explicit Atomic(T value) : value_(value) {}
  Atomic(const Atomic&) = delete;
  Atomic& operator=(const Atomic&) = delete;

  [[nodiscard]] T load_relaxed() const { return load(__ATOMIC_RELAXED); }
  [[nodiscard]] T load_acquire() const { return load(__ATOMIC_ACQUIRE); }
  void store_relaxed(T value) { __atomic_store(&value_, &value, __ATOMIC_RELAXED); }
  void store_release(T value) { __atomic_store(&value_, &value, __ATOMIC_RELEASE); }

  /// These give what was there before.
  T add_relaxed(T more) { return __atomic_fetch_add(&value_, more, __ATOMIC_RELAXED); }
  T subtract_relaxed(T less) { return __atomic_fetch_sub(&value_, less, __ATOMIC_RELAXED); }
  T exchange_relaxed(T value) { return exchange(value, __ATOMIC_RELAXED); }
  T exchange_acquire(T value) { return exchange(value, __ATOMIC_ACQUIRE); }
  T exchange_release(T value) { return exchange(value, __ATOMIC_RELEASE); }

  /// True when `seen` was there and `wanted` is there now; otherwise `seen` is what is there, read
  /// in relaxed order.
  bool replace_relaxed(T& seen, T wanted) { return replace(seen, wanted, __ATOMIC_RELAXED); }
  bool replace_acquire(T& seen, T wanted) { return replace(seen, wanted, __ATOMIC_ACQUIRE); }
  bool replace_release(T& seen, T wanted) { return replace(seen, wanted, __ATOMIC_RELEASE); }
  bool replace_acquire_release(T& seen, T wanted) {
    return replace(seen, wanted, __ATOMIC_ACQ_REL);
  }

  /// For the kernel, which waits at addresses.
  T* address() { return &value_; }

 private:
  [[nodiscard]] T load(int order) const {
    T value;
    __atomic_load(&value_, &value, order);
    return value;
  }
  T exchange(T value, int order) {
    T before;
    __atomic_exchange(&value_, &value, &before, order);
    return before;
  }
  bool replace(T& seen, T wanted, int order) {
    return __atomic_compare_exchange(&value_, &seen, &wanted, false, order, __ATOMIC_RELAXED);
  }

  T value_{};
};

/// A look at what another thread writes as a plain value: it may be old, and is never torn.
template <class T>
T peek(const T& value) {
  return __atomic_load_n(&value, __ATOMIC_RELAXED);
}

/// Writes what others read as a plain value, when they know that it has been written.
template <class T>
void publish(T& place, T value) {
  __atomic_store(&place, &value, __ATOMIC_RELEASE);
}

/// Keeps the compiler from moving what is written before this behind what is written after it: who
/// sees it half-way is the child of a fork, or a signal handler.
inline void keep_order() {
  __asm__ volatile("" ::: "memory");
}

}  // namespace homenode
