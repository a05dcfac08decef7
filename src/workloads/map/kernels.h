// MAP-numa: the kernels. One element fills a cache line; one operation is one 8-byte load, one
// 8-byte store, or both on the same element, and no arithmetic on the data.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "workloads/map/layout.h"
#include "workloads/map/pattern.h"
#include "workloads/map/walk.h"

namespace homenode::workloads::map {

inline constexpr std::size_t line_bytes = 64;

/// A value and blank field up to one cache line, so that no two elements share one.
struct alignas(line_bytes) Element {
  std::uint64_t value;
  unsigned char blank[line_bytes - sizeof(std::uint64_t)];
};
static_assert(sizeof(Element) == line_bytes);

enum class Operation {
  read,
  write,
  readwrite,  ///< A load, then a store of the loaded value to the same element.
};

/// One load of an element. Relaxed atomic: on every 64-bit machine a plain load, which the compiler
/// may neither drop nor widen, and no data race where threads share elements.
inline void read_element(Element& element) {
  const std::uint64_t value = __atomic_load_n(&element.value, __ATOMIC_RELAXED);
  __asm__ volatile("" : : "r"(value));
}

/// One store to an element.
inline void write_element(Element& element, std::uint64_t value) {
  __atomic_store_n(&element.value, value, __ATOMIC_RELAXED);
}

/// One load, then one store of what was loaded. Another thread's store in between may be undone,
/// which shared write patterns do not mind.
inline void read_and_write_element(Element& element) {
  std::uint64_t value = __atomic_load_n(&element.value, __ATOMIC_RELAXED);
  // The compiler must not know that the value is what the element already holds.
  __asm__ volatile("" : "+r"(value));
  __atomic_store_n(&element.value, value, __ATOMIC_RELAXED);
}

/// What one thread does in one pass.
struct Pass {
  Element* array = nullptr;
  std::vector<Span> spans;  ///< In elements from `array`, in walking order.
  Order order = Order::sequential;
  Operation operation = Operation::read;
  std::uint64_t seed = 1;   ///< Of the random order. Random scatters within each span in turn.
  std::uint64_t value = 1;  ///< What the operation write stores.
};

/// Walks all spans once.
void run_pass(const Pass& pass);

/// Writes every element of `array` once: the first touch.
void initialise(Element* array, std::size_t count);

/// Copies every element of the array from where the first layout has it to where the second has it.
/// pre: both layouts are of the same shape; both memories are as large as their layouts say.
void lay_out_anew(const Element* from, const Layout& before, Element* to, const Layout& after);

}  // namespace homenode::workloads::map
