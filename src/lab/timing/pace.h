// Keeps the vCPUs' clocks in step: time is divided into epochs, and a vCPU whose clock has reached
// the end of the epoch waits until every other one that runs has. So it does not matter how the
// host schedules the vCPUs, and threads that wait for each other by spinning spin as long as they
// would. One that sleeps and is being woken up counts as one that runs, until it does. Waits are
// bounded: a vCPU that does not move (it waits for something in QEMU) is left behind after a while,
// and counted; one whose thread hardly gets a processor of the host has longer.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <vector>

#include "lab/timing/host_threads.h"

namespace homenode::lab {

class Pace {
 public:
  using CpuTime = std::function<std::optional<std::chrono::nanoseconds>(unsigned vcpu)>;
  /// Longer than a host that is busy with other things keeps a vCPU's thread from running at all.
  static constexpr std::chrono::milliseconds usual_patience{500};
  /// So often as long has one whose thread runs less than half of the time.
  static constexpr unsigned patience_with_starved = 20;

  /// `patience`: real time after which a vCPU that does not move is left behind. `cpu_time`: what a
  /// vCPU's thread has had of the host's processors; empty: asks the host, for those that
  /// runs_here() was called for.
  Pace(unsigned vcpus, std::uint64_t epoch_ps, std::chrono::milliseconds patience = usual_patience,
       CpuTime cpu_time = {});

  /// The calling thread of the host runs this vCPU, to its end.
  void runs_here(unsigned vcpu) { threads_.runs_here(vcpu); }
  /// Everybody is away, at time zero.
  void open();
  /// A vCPU comes back with its own clock, for a thread that may go on from `ready_ps`. Returns the
  /// time that it goes on from; where nobody knows the thread's, not before what the others have
  /// reached.
  std::uint64_t enter(unsigned vcpu, std::uint64_t now_ps,
                      std::optional<std::uint64_t> ready_ps = std::nullopt);
  /// A vCPU is away from here on: idle, or `busy` with something else.
  void leave(unsigned vcpu, std::uint64_t now_ps, bool busy = false);
  /// A vCPU that is idle is about to come back, with a thread that goes on from `time_ps`. The
  /// others wait for it from here on, until it has entered or leaves again.
  void expect(unsigned vcpu, std::uint64_t time_ps);
  /// A vCPU's clock stands still from here on, or goes on: for as long as it handles an interrupt,
  /// or runs a thread of the kernel's own.
  void interrupt(unsigned vcpu, bool interrupted);
  /// Reports a vCPU's clock and waits while it is ahead of the others. Returns the time up to which
  /// it may run without asking again. In the kernel it does not wait for those that are expected or
  /// interrupted: they may need a lock of the kernel that it holds.
  std::uint64_t advance(unsigned vcpu, std::uint64_t now_ps, bool in_kernel = false);
  /// What those that run have all reached.
  [[nodiscard]] std::uint64_t reached_ps() const;
  /// For its lifetime a vCPU that runs only waits for what another one does.
  class Idling {
   public:
    explicit Idling(Pace& pace) : pace_(pace) { ++pace_.idling_; }
    ~Idling() { --pace_.idling_; }
    Idling(const Idling&) = delete;
    Idling& operator=(const Idling&) = delete;

   private:
    Pace& pace_;
  };
  /// Whether some vCPU waits at the epoch's end for others that are all Idling.
  [[nodiscard]] bool waits_for_idling() const { return waiting_ > 0 && running_ <= idling_; }
  /// Nobody waits any more, until open(): QEMU is about to stop all vCPUs.
  void release();

  /// How often a vCPU was left behind.
  [[nodiscard]] std::uint64_t late_waits() const;

 private:
  enum class State { idle, busy, expected, running, waiting, left_behind };
  struct Vcpu {
    State state = State::idle;
    std::uint64_t clock_ps = 0;
    std::uint64_t target = 0;  ///< The epoch that it waits for.
    bool in_kernel = false;    ///< As it waits.
    bool interrupted = false;
  };
  using CpuTimes = std::vector<std::optional<std::chrono::nanoseconds>>;

  static void become(Vcpu& vcpu, State state, std::uint64_t clock_ps);
  [[nodiscard]] static bool is_in_step(const Vcpu& vcpu);
  [[nodiscard]] std::uint64_t reached() const;
  [[nodiscard]] CpuTimes cpu_times() const;
  [[nodiscard]] bool is_starved(unsigned vcpu, const CpuTimes& before) const;
  [[nodiscard]] bool somebody_moves() const;
  void let_go(Vcpu& vcpu);
  void move_on();
  void leave_behind(const CpuTimes& before, bool starved_too);
  void wake_all();
  void give_way(std::unique_lock<std::mutex>& lock) const;
  void wait_for_others(std::unique_lock<std::mutex>& lock, const Vcpu& self);

  mutable std::mutex mutex_;
  std::condition_variable moved_;
  std::uint64_t epoch_ps_;
  std::chrono::milliseconds patience_;
  HostThreads threads_;
  CpuTime cpu_time_;
  std::uint64_t epoch_ = 0;
  std::uint64_t left_ps_ = 0;  ///< The latest clock of one that went away.
  std::uint64_t late_waits_ = 0;
  std::atomic<std::uint64_t> moves_ = 0;  ///< How often those that wait were woken.
  std::atomic<unsigned> running_ = 0;
  std::atomic<unsigned> idling_ = 0;
  std::atomic<unsigned> waiting_ = 0;
  bool released_ = true;
  unsigned expected_ = 0;
  std::vector<Vcpu> vcpus_;
};

}  // namespace homenode::lab
