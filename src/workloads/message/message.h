// A message between the objects of a message-driven program: one cache line of words, then its
// payload. Messages live in pools (pool.h) and are handed on as they are, never copied.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace homenode::workloads::message {

class Pool;

inline constexpr std::size_t line_bytes = 64;

struct alignas(line_bytes) Message {
  Message* next = nullptr;  ///< In a list of messages, whose it is.
  Pool* home = nullptr;     ///< Where it goes back to.
  std::uint32_t object = 0;
  std::uint32_t kind = 0;
  std::uint32_t sender = 0;
  std::uint32_t link = 0;    ///< Which of the receiver's or sender's neighbours; the program's own.
  std::uint64_t number = 0;  ///< Of items in the payload, or a stamp.
  double figure = 0.0;

  /// The payload as items of one type; there must be room for them.
  template <class Item>
  [[nodiscard]] std::span<Item> items(std::size_t count) {
    return {reinterpret_cast<Item*>(this + 1), count};
  }
};

}  // namespace homenode::workloads::message
