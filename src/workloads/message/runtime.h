// The runtime of a message-driven program: one thread per PE, which takes messages from its inbox
// and hands each to the program until no message is under way anywhere (quiescence).
//
// A run ends by itself. Every PE counts what it sent before it is put into an inbox, and what it
// handled after the handler has returned. Who finds nothing to do reads all counts of handled
// messages, then all of sent ones. Every message seen as handled was seen as sent, and so was all
// that its handler sent; when the two sums are equal, the messages seen are all that there ever
// were. The start of each PE counts as a message, so nobody can find silence before all began.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>

#include "workloads/message/inbox.h"
#include "workloads/message/message.h"

namespace homenode::workloads::message {

/// One processing element: what its own thread writes, and its inbox.
struct alignas(line_bytes) Pe {
  alignas(line_bytes) Inbox inbox;
  alignas(line_bytes) std::atomic<std::uint64_t> sent{1};  ///< Its own start.
  std::atomic<std::uint64_t> handled{0};
};

class Runtime;

/// The program's side. All but `build` run inside the part that is timed.
class Objects {
 public:
  Objects() = default;
  Objects(const Objects&) = delete;
  Objects& operator=(const Objects&) = delete;
  virtual ~Objects() = default;

  /// Once in each PE's thread, before any starts: makes the objects of that PE.
  virtual void build(unsigned pe) = 0;
  /// Once in each PE's thread: what is sent without having received anything.
  virtual void start(Runtime& runtime, unsigned pe) = 0;
  /// A message for an object of `pe`, in its thread. The message is the receiver's: it is sent on
  /// or given back to its pool.
  virtual void receive(Runtime& runtime, unsigned pe, Message& message) = 0;
};

/// What others do in the PEs' threads, and how these wait.
struct PeTeam {
  /// Before build(): binding. When it gives false for any PE, nothing runs.
  std::function<bool(unsigned pe)> prepare = [](unsigned) { return true; };
  /// After the end.
  std::function<void(unsigned pe)> finish = [](unsigned) {};
  /// How often an empty inbox is looked at before the thread sleeps; 0 where PEs share CPUs.
  unsigned looks = 1000;
};

struct RunOutcome {
  int start_errno = 0;         ///< Not 0 when the threads could not be started; nothing ran then.
  bool prepared = false;       ///< False when a `prepare` said no; nothing ran then.
  double seconds = 0.0;        ///< From the first start to silence, wall time of the steady clock.
  std::uint64_t messages = 0;  ///< That were handled, starts apart.
};

/// Runs the objects on PEs 0 to pes.size() - 1, each in a thread; the caller is PE 0.
/// `pes` are new (not yet of any type) where run_objects() makes them: memory[i] is PE i's, aligned
/// to a cache line, of sizeof(Pe) bytes.
RunOutcome run_objects(Objects& objects, std::span<void* const> memory, const PeTeam& team);

class Runtime {
 public:
  /// The PEs must have been made by the time that the first message is sent.
  Runtime(Objects& objects, std::span<void* const> memory, unsigned looks)
      : objects_(objects), memory_(memory), looks_(looks) {}

  /// Called in the thread of `from`. Messages from one PE to another arrive in this order.
  void send(unsigned from, unsigned to, Message& message);

  /// Makes PE `pe` in its memory.
  void make(unsigned pe);
  /// The whole life of a PE, in its thread.
  void serve(unsigned pe);
  /// After the end.
  [[nodiscard]] std::uint64_t handled() const;

 private:
  [[nodiscard]] Pe& at(unsigned pe) const { return *static_cast<Pe*>(memory_[pe]); }
  void stop_if_silent();

  Objects& objects_;
  std::span<void* const> memory_;
  unsigned looks_;
  alignas(line_bytes) std::atomic<std::uint64_t> pauses_{0};
  std::atomic<bool> stop_{false};
};

}  // namespace homenode::workloads::message
