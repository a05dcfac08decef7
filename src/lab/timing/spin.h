// Recognises, as QEMU translates a block, an instruction by which a thread that spins gives itself
// away: `pause`, which is made for that, or the jump of a loop that only loads and compares.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "lab/timing/decode.h"

namespace homenode::lab {

/// Whether the instruction is `pause`.
[[nodiscard]] bool is_pause(Code code);

/// The position of a spin point in a block of user code: its `pause`; or its last instruction,
/// where that jumps back to the block's start and all before it loads the same memory in every
/// round, moves and compares. Nothing where there is neither.
[[nodiscard]] std::optional<std::size_t> spin_point(std::span<const Code> block);

/// From one spin point to the next a thread spins, if that is not too far.
class SpinRounds {
 public:
  static constexpr std::uint64_t longest_round_instructions = 100;

  /// Another thread runs, or will.
  void forget() { last_.reset(); }
  /// Whether a round may be under way as so many instructions have been executed.
  [[nodiscard]] bool is_under_way(std::uint64_t instructions) const {
    return last_ && instructions - *last_ <= longest_round_instructions;
  }
  /// Comes to a spin point; whether that ends a round.
  bool arrive(std::uint64_t instructions) {
    const bool ends_round = is_under_way(instructions);
    last_ = instructions;
    return ends_round;
  }

 private:
  std::optional<std::uint64_t> last_;  ///< The instructions at the last spin point.
};

}  // namespace homenode::lab
