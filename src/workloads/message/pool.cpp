#include "workloads/message/pool.h"

#include <cstdlib>
#include <new>

namespace homenode::workloads::message {

Pool::Pool(void* memory, std::size_t slots, std::size_t payload_bytes)
    : payload_bytes_(payload_bytes), slots_(slots), from_malloc_(memory == nullptr) {
  if (from_malloc_) return;
  // From the last to the first, so that they are taken in the order of their addresses.
  for (std::size_t i = slots; i-- > 0;) {
    auto* const message = new (static_cast<std::byte*>(memory) + i * slot_bytes(payload_bytes))
        Message{.next = free_, .home = this};
    free_ = message;
  }
}

Message* Pool::take() {
  if (from_malloc_) {
    void* const memory = std::aligned_alloc(line_bytes, slot_bytes(payload_bytes_));
    if (memory == nullptr) return nullptr;
    allocated_.fetch_add(1, std::memory_order_relaxed);
    return new (memory) Message{.home = this};
  }
  if (free_ == nullptr) free_ = returned_.take_newest_first();
  Message* const message = free_;
  if (message != nullptr) free_ = message->next;
  return message;
}

void Pool::give_back(Message& message) {
  Pool& home = *message.home;
  if (home.from_malloc_) {
    home.allocated_.fetch_sub(1, std::memory_order_relaxed);
    std::free(&message);
  } else {
    home.returned_.push(message);
  }
}

std::size_t Pool::missing() {
  if (from_malloc_) return static_cast<std::size_t>(allocated_.load());
  while (Message* const message = returned_.take_newest_first()) {
    Message* last = message;
    while (last->next != nullptr) last = last->next;
    last->next = free_;
    free_ = message;
  }
  std::size_t present = 0;
  for (const Message* at = free_; at != nullptr; at = at->next) ++present;
  return slots_ - present;
}

}  // namespace homenode::workloads::message
