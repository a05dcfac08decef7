// What a PE receives: messages of any sender, without locks, and a sleep until there are some.
#pragma once

#include <atomic>

#include "workloads/message/stack.h"

namespace homenode::workloads::message {

class Inbox {
 public:
  /// Any thread. Messages of one sender arrive in the order in which it put them.
  void put(Message& message) {
    messages_.push(message);
    wake();
  }

  /// The owner: all that came in, the oldest first; null where there is nothing.
  Message* take() { return messages_.take_oldest_first(); }

  /// The owner: sleeps until there is a message or `stop` is set and wake() was called.
  ///
  /// It says that it sleeps, then looks; others put or stop, then look whether it sleeps. All four
  /// are sequentially consistent, so one of the two sees what the other did.
  void sleep(const std::atomic<bool>& stop) {
    asleep_.store(1, std::memory_order_seq_cst);
    while (messages_.empty() && !stop.load(std::memory_order_seq_cst)) {
      asleep_.wait(1, std::memory_order_seq_cst);
      asleep_.store(1, std::memory_order_seq_cst);
    }
    asleep_.store(0, std::memory_order_relaxed);
  }

  /// Any thread: ends the owner's sleep, if it sleeps.
  void wake() {
    if (asleep_.load(std::memory_order_seq_cst) == 0) return;
    asleep_.store(0, std::memory_order_seq_cst);
    asleep_.notify_one();
  }

 private:
  MessageStack messages_;
  std::atomic<int> asleep_{0};
};

}  // namespace homenode::workloads::message
