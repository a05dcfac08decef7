// Memory for the exceptions that are thrown inside the shared library. libstdc++ keeps a pool for
// them that it fills when it is loaded, before main() and in every program; this one costs nothing
// until something is thrown. Serves libhomenode.so, which has its own copy of libstdc++.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace homenode::capi {

/// Blocks from malloc; a few of its own stand in where malloc has none, so that std::bad_alloc can
/// still be thrown. Thread safe; no system call but those of malloc; nothing to construct.
class ExceptionMemory {
 public:
  using Allocate = void*(std::size_t bytes);
  static constexpr std::size_t slot_bytes = 1024;
  static constexpr std::size_t slot_count = 32;

  /// Zeroed and aligned for every type; null when there is none. `allocate` is malloc, or what a
  /// test has instead.
  void* take(std::size_t bytes, Allocate* allocate);
  /// False when the block is none of its own: then it is malloc's to free.
  bool give_back(void* block);

 private:
  alignas(std::max_align_t) std::array<unsigned char, slot_bytes * slot_count> slots_{};
  std::atomic<std::uint32_t> used_{0};  ///< A bit for each slot.
  static_assert(slot_count == 32);
};

}  // namespace homenode::capi
