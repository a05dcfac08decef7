// What the timed lab must know of the instructions of a block before they run: how each memory
// access depends on loads before it, and where the kernel is entered, left, or changes mappings.
// By a small data-flow analysis inside the block; a value that comes from another block is taken
// to come from the load that last filled its register there.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "lab/timing/access_shape.h"

namespace homenode::lab {

enum class KernelEvent {
  none,
  interrupt_entry,   ///< An interrupt (no exception of the program's own) has come in.
  interrupt_return,  ///< The instruction that ends an interrupt or an exception.
  system_return,     ///< Back to user code from a system call.
  mapping_change,    ///< Translations of this vCPU become invalid.
};

struct Decoded {
  AccessShape shape;  ///< Of the instruction's memory accesses, if it makes any.
  KernelEvent event = KernelEvent::none;
};

using Code = std::span<const std::uint8_t>;

/// Decodes a block of 64-bit code, one item for each instruction. `kernel`: the code is the
/// kernel's, so its events matter. Instructions that are not understood get the default shape.
[[nodiscard]] std::vector<Decoded> decode_block(std::span<const Code> block, bool kernel);

}  // namespace homenode::lab
