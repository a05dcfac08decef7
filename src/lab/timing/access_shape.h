// What is known of a memory access when its instruction is translated: which registers its address
// depends on, which register it loads, and what kind of access it is. Small enough to travel as
// the data word of a callback.
#pragma once

#include <cstdint>

namespace homenode::lab {

/// A general register's number.
using Register = unsigned;

class AccessShape {
 public:
  static constexpr Register none = 16;     ///< Nothing to wait for.
  static constexpr Register nowhere = 17;  ///< Nothing that is filled.
  static constexpr unsigned registers = 18;

  constexpr AccessShape() = default;
  constexpr explicit AccessShape(std::uintptr_t bits) : bits_(bits) {}

  /// The loads into these registers have to be done before the address is known.
  [[nodiscard]] constexpr AccessShape waiting_for(Register base, Register index) const {
    return AccessShape((bits_ & ~std::uintptr_t{0x3ff}) | base | std::uintptr_t{index} << 5U);
  }
  /// The register that a load fills.
  [[nodiscard]] constexpr AccessShape filling(Register target) const {
    return AccessShape((bits_ & ~(std::uintptr_t{0x1f} << 10U)) | std::uintptr_t{target} << 10U);
  }
  /// A store that goes past the caches.
  [[nodiscard]] constexpr AccessShape past_caches() const { return AccessShape(bits_ | 1U << 15U); }
  /// An atomic operation: nothing passes it.
  [[nodiscard]] constexpr AccessShape ordered() const { return AccessShape(bits_ | 1U << 16U); }

  /// Made by the kernel's code.
  [[nodiscard]] constexpr AccessShape by_kernel() const { return AccessShape(bits_ | 1U << 17U); }

  [[nodiscard]] constexpr Register base() const { return bits_ & 0x1fU; }
  [[nodiscard]] constexpr Register index() const { return bits_ >> 5U & 0x1fU; }
  [[nodiscard]] constexpr Register target() const { return bits_ >> 10U & 0x1fU; }
  [[nodiscard]] constexpr bool is_past_caches() const { return (bits_ >> 15U & 1U) != 0; }
  [[nodiscard]] constexpr bool is_ordered() const { return (bits_ >> 16U & 1U) != 0; }
  [[nodiscard]] constexpr bool is_by_kernel() const { return (bits_ >> 17U & 1U) != 0; }
  [[nodiscard]] constexpr std::uintptr_t bits() const { return bits_; }

 private:
  std::uintptr_t bits_ = none | std::uintptr_t{none} << 5U | std::uintptr_t{nowhere} << 10U;
};

}  // namespace homenode::lab
