// MG's right-hand side: 0 but for +1 where the ten largest and -1 where the ten smallest numbers of
// a random field are.
#pragma once

#include <array>
#include <cstddef>

namespace homenode::workloads::npb {

inline constexpr std::size_t mg_charge_count = 10;

/// Cells, counted from 0 with x fastest, of a cube of n^3.
struct MgCharges {
  std::array<std::size_t, mg_charge_count> largest{};
  std::array<std::size_t, mg_charge_count> smallest{};
};

/// Looks through the field without keeping it.
MgCharges find_charges(std::size_t n, unsigned threads);

}  // namespace homenode::workloads::npb
