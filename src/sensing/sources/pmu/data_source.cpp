#include "sensing/sources/pmu/data_source.h"

#include <array>
#include <utility>

namespace homenode::sensing {
namespace {

constexpr std::uint64_t load = 0x02;
constexpr std::uint64_t store = 0x04;
constexpr std::uint64_t prefetch = 0x08;

// Numbers of levels.
constexpr std::uint64_t number_memory_side_cache = 0x6;
constexpr std::uint64_t number_cxl = 0x9;
constexpr std::uint64_t number_any_cache = 0xb;
constexpr std::uint64_t number_ram = 0xd;
constexpr std::uint64_t number_persistent = 0xe;
constexpr std::uint64_t number_not_available = 0xf;

std::uint64_t field(std::uint64_t word, unsigned first, unsigned bits) {
  return (word >> first) & ((std::uint64_t{1} << bits) - 1);
}

SampleOperation operation_of(std::uint64_t bits) {
  if (bits & store) return SampleOperation::write;
  return bits & (load | prefetch) ? SampleOperation::read : SampleOperation::unknown;
}

SampleLevel near_level(std::uint64_t number) {
  switch (number) {
    case 1:
      return SampleLevel::l1;
    case 2:
      return SampleLevel::l2;
    case 3:
    case 4:
    case number_any_cache:
      return SampleLevel::l3;
    case number_memory_side_cache:
    case number_ram:
    case number_persistent:
      return SampleLevel::local_memory;
    // Memory behind CXL is a node without CPUs, so it is local to none.
    case number_cxl:
      return SampleLevel::remote_memory;
    default:
      return SampleLevel::unknown;
  }
}

SampleLevel far_level(SampleLevel near) {
  switch (near) {
    case SampleLevel::l1:
    case SampleLevel::l2:
    case SampleLevel::l3:
      return SampleLevel::remote_cache;
    case SampleLevel::local_memory:
    case SampleLevel::remote_memory:
      return SampleLevel::remote_memory;
    default:
      return SampleLevel::unknown;
  }
}

/// The farthest level counts: a word may name a cache and what was behind it.
SampleLevel level_of_bits(std::uint64_t bits) {
  constexpr std::uint64_t hit = 0x02;
  constexpr std::uint64_t miss = 0x04;
  constexpr std::array<std::pair<std::uint64_t, SampleLevel>, 6> levels{{
      {0x300, SampleLevel::remote_memory},
      {0xc00, SampleLevel::remote_cache},
      {0x080, SampleLevel::local_memory},
      {0x040, SampleLevel::l3},
      {0x020, SampleLevel::l2},
      {0x008, SampleLevel::l1},
  }};
  if ((bits & miss) != 0 && (bits & hit) == 0) return SampleLevel::unknown;
  for (const auto& [mask, level] : levels) {
    if (bits & mask) return level;
  }
  return SampleLevel::unknown;
}

SampleLevel level_of(std::uint64_t word) {
  const std::uint64_t number = field(word, 33, 4);
  if (number == 0 || number == number_not_available) return level_of_bits(field(word, 5, 14));
  const bool remote = field(word, 37, 1) != 0;
  const std::uint64_t hops = field(word, 43, 3);
  // Hops of kind 1 lead to another core of the same node.
  const bool far = hops > 1 || (remote && hops != 1);
  const SampleLevel near = near_level(number);
  return far ? far_level(near) : near;
}

}  // namespace

AccessKind kind_of_data_source(std::uint64_t word) {
  return {operation_of(field(word, 0, 5)), level_of(word)};
}

}  // namespace homenode::sensing
