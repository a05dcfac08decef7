#include "workloads/message/runtime.h"

#include <new>

#include "workloads/map/team.h"

namespace homenode::workloads::message {
namespace {

/// Tells the processor that this thread waits.
void relax() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

/// A count of this thread's own that others read.
void count(std::atomic<std::uint64_t>& counter) {
  counter.store(counter.load(std::memory_order_relaxed) + 1, std::memory_order_release);
}

}  // namespace

void Runtime::make(unsigned pe) {
  new (memory_[pe]) Pe;
}

void Runtime::send(unsigned from, unsigned to, Message& message) {
  count(at(from).sent);
  at(to).inbox.put(message);
}

void Runtime::serve(unsigned pe) {
  Pe& self = at(pe);
  objects_.start(*this, pe);
  count(self.handled);
  unsigned looks = 0;
  while (!stop_.load(std::memory_order_relaxed)) {
    Message* message = self.inbox.take();
    if (message == nullptr) {
      if (looks++ < looks_) {
        relax();
        continue;
      }
      stop_if_silent();
      self.inbox.sleep(stop_);
    }
    looks = 0;
    while (message != nullptr) {
      Message* const next = message->next;  // The handler hands the message on.
      objects_.receive(*this, pe, *message);
      count(self.handled);
      message = next;
    }
  }
}

void Runtime::stop_if_silent() {
  // Of two PEs that fall silent together, the later one here sees all that the other counted.
  pauses_.fetch_add(1, std::memory_order_acq_rel);
  const auto pes = static_cast<unsigned>(memory_.size());
  std::uint64_t handled = 0;
  std::uint64_t sent = 0;
  for (unsigned pe = 0; pe < pes; ++pe) handled += at(pe).handled.load(std::memory_order_acquire);
  for (unsigned pe = 0; pe < pes; ++pe) sent += at(pe).sent.load(std::memory_order_acquire);
  if (handled != sent) return;
  stop_.store(true, std::memory_order_seq_cst);
  for (unsigned pe = 0; pe < pes; ++pe) at(pe).inbox.wake();
}

std::uint64_t Runtime::handled() const {
  std::uint64_t sum = 0;
  for (unsigned pe = 0; pe < memory_.size(); ++pe) sum += at(pe).handled.load() - 1;
  return sum;
}

RunOutcome run_objects(Objects& objects, std::span<void* const> memory, const PeTeam& team) {
  Runtime runtime(objects, memory, team.looks);
  map::Job job;
  job.threads = static_cast<unsigned>(memory.size());
  job.prepare = [&](unsigned pe) {
    if (!team.prepare(pe)) return false;
    runtime.make(pe);
    objects.build(pe);
    return true;
  };
  job.pass = [&](unsigned pe) { runtime.serve(pe); };
  job.finish = team.finish;
  const map::Outcome outcome = map::run_with_pthreads(job);
  if (outcome.start_errno != 0 || !outcome.prepared) {
    return {outcome.start_errno, outcome.prepared, 0.0, 0};
  }
  return {0, true, outcome.seconds, runtime.handled()};
}

}  // namespace homenode::workloads::message
