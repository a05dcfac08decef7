#include "workloads/probe/cycle.h"

#include <bit>
#include <cassert>

namespace homenode::workloads::probe {
namespace {

/// Steele's splitmix64: one well mixed number after the other.
std::uint64_t next_random(std::uint64_t& state) {
  state += 0x9e3779b97f4a7c15U;
  std::uint64_t z = state;
  z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
  return z ^ (z >> 31U);
}

}  // namespace

Scatter::Scatter(std::size_t count, std::uint64_t seed) : count_(count), factor_{} {
  assert(count > 0);
  const auto bits = static_cast<unsigned>(std::bit_width(count - 1));
  mask_ = bits == 0 ? 0 : ~std::uint64_t{0} >> (64U - bits);
  shift_ = bits < 2 ? 1 : bits / 2;
  for (std::uint64_t& factor : factor_) factor = next_random(seed) | 1U;
  offset_ = next_random(seed);
}

std::size_t Scatter::operator()(std::size_t position) const {
  assert(position < count_);
  // Each line can be undone within k bits, so the whole is a permutation of 2^k numbers; those past
  // the end are mapped on until they come back into the range.
  std::uint64_t value = position;
  do {
    value = (value * factor_[0] + offset_) & mask_;
    value ^= value >> shift_;
    value = (value * factor_[1]) & mask_;
    value ^= value >> shift_;
    value = (value * factor_[0]) & mask_;
    value ^= value >> shift_;
  } while (value >= count_);
  return value;
}

Stop* link_cycle(Stop* array, const CycleShape& shape) {
  assert(shape.lines > 0 && shape.lines_per_group > 0 && shape.lines % shape.lines_per_group == 0);
  assert(shape.stride > 0 && shape.lines_per_group % shape.stride == 0);
  const std::size_t groups = shape.lines / shape.lines_per_group;
  const std::size_t stops = shape.lines_per_group / shape.stride;
  const Scatter group_order(groups, shape.seed);
  Stop* first = nullptr;
  Stop* last = nullptr;
  for (std::size_t i = 0; i < groups; ++i) {
    const std::size_t group = group_order(i);
    const Scatter order(stops, shape.seed + group + 1);
    for (std::size_t j = 0; j < stops; ++j) {
      Stop* const stop = array + group * shape.lines_per_group + order(j) * shape.stride;
      if (last == nullptr)
        first = stop;
      else
        last->next.store(stop, std::memory_order_relaxed);
      last = stop;
    }
  }
  last->next.store(first, std::memory_order_relaxed);
  return first;
}

Stop* follow(Stop* from, std::size_t steps) {
  Stop* stop = from;
#pragma GCC unroll 16
  for (std::size_t i = 0; i < steps; ++i) stop = stop->next.load(std::memory_order_relaxed);
  return stop;
}

Stop* own_and_follow(Stop* from, std::size_t steps) {
  // A compiler may make a load of an addition of 0 that it can see.
  std::ptrdiff_t nothing = 0;
  asm volatile("" : "+r"(nothing));
  Stop* stop = from;
  for (std::size_t i = 0; i < steps; ++i) {
    stop = stop->next.fetch_add(nothing, std::memory_order_relaxed);
  }
  return stop;
}

}  // namespace homenode::workloads::probe
