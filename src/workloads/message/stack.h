// A list of messages that many threads add to and one empties, without locks: a Treiber stack that
// is only ever taken whole, so that no message can come back between a look and an exchange (ABA).
#pragma once

#include <atomic>

#include "workloads/message/message.h"

namespace homenode::workloads::message {

class MessageStack {
 public:
  /// Any thread. Sequentially consistent: who then looks whether the other sleeps sees it if it
  /// looked before this.
  void push(Message& message) {
    Message* top = top_.load(std::memory_order_relaxed);
    do {
      message.next = top;
    } while (!top_.compare_exchange_weak(top, &message, std::memory_order_seq_cst,
                                         std::memory_order_relaxed));
  }

  /// The owner: all of them, the newest first; null where there is none.
  Message* take_newest_first() {
    if (top_.load(std::memory_order_relaxed) == nullptr) return nullptr;
    return top_.exchange(nullptr, std::memory_order_acquire);
  }

  /// The owner: all of them, the oldest first, so that the messages of one sender keep their order.
  Message* take_oldest_first() {
    Message* newest = take_newest_first();
    Message* oldest = nullptr;
    while (newest != nullptr) {
      Message* const next = newest->next;
      newest->next = oldest;
      oldest = newest;
      newest = next;
    }
    return oldest;
  }

  [[nodiscard]] bool empty() const { return top_.load(std::memory_order_seq_cst) == nullptr; }

 private:
  std::atomic<Message*> top_{nullptr};
};

}  // namespace homenode::workloads::message
