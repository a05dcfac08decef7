// Messages of one size that one PE sends to one other. They lie in memory that the caller gives, so
// that whoever placed it knows on which node every message is; or, without such memory, each comes
// from malloc and goes back to it, so that allocators can be compared.
#pragma once

#include <cstddef>
#include <cstdint>

#include "workloads/message/stack.h"

namespace homenode::workloads::message {

/// Of a message with `payload_bytes`: whole cache lines.
constexpr std::size_t slot_bytes(std::size_t payload_bytes) {
  return sizeof(Message) + (payload_bytes + line_bytes - 1) / line_bytes * line_bytes;
}

class alignas(line_bytes) Pool {
 public:
  /// Makes `slots` messages of `memory`, which it writes to; from malloc where `memory` is null.
  /// pre: memory is aligned to a cache line and has slots * slot_bytes(payload_bytes).
  Pool(void* memory, std::size_t slots, std::size_t payload_bytes);
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  /// The PE that sends from it: a message of any content; null where all are under way, or where
  /// malloc has none.
  Message* take();
  /// Any thread; the message is no longer the caller's.
  static void give_back(Message& message);

  /// After the run: messages that were taken and did not come back.
  [[nodiscard]] std::size_t missing();

 private:
  std::size_t payload_bytes_;
  std::size_t slots_;
  bool from_malloc_;
  Message* free_ = nullptr;
  std::atomic<std::int64_t> allocated_{0};     ///< With malloc alone.
  alignas(line_bytes) MessageStack returned_;  ///< Written by others.
};

}  // namespace homenode::workloads::message
