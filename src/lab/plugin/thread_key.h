// A thread as the plugin can tell it.
#pragma once

#include <compare>
#include <cstdint>

namespace homenode::lab {

/// A thread by its address space and its thread pointer.
struct ThreadKey {
  std::uint64_t cr3 = 0;
  std::uint64_t fs_base = 0;
  friend constexpr auto operator<=>(const ThreadKey&, const ThreadKey&) = default;
};

}  // namespace homenode::lab
