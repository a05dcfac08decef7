#include "workloads/probe/injector.h"

#include <cassert>

namespace homenode::workloads::probe {
namespace {

/// Spends time without touching memory.
void idle(std::size_t rounds) {
  for (std::size_t i = 0; i < rounds; ++i) asm volatile("" ::: "memory");
}

}  // namespace

std::uint64_t inject(const Injection& injection, const std::atomic<bool>& stop) {
  assert(injection.first < injection.count && injection.count % injected_elements == 0);
  std::uint64_t elements = 0;
  std::size_t at = injection.first;
  while (!stop.load(std::memory_order_relaxed)) {
    (void)injection.read({nullptr, injection.source + at, nullptr, injected_elements});
    elements += injected_elements;
    at += injected_elements;
    if (at == injection.count) at = 0;
    idle(injection.idle_rounds);
  }
  return elements;
}

}  // namespace homenode::workloads::probe
