// What each thread did when, as intervals of modelled time: recorded where somebody wants to see
// it. A track belongs to one vCPU's host thread; others read it only while every vCPU stands still.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "lab/timing/time_spent.h"

namespace homenode::lab {

/// A thread runs user code, and waits for memory as it does; is in a system call or a page fault;
/// executes a loop that waits for another thread; sleeps until it is woken and the wake-up is over;
/// or could run, but waits for a CPU.
enum class Activity : std::uint8_t { user, kernel, spinning, sleeping, ready };

struct Interval {
  ThreadKey thread;
  Activity activity = Activity::user;
  std::uint64_t from_ps = 0;
  std::uint64_t to_ps = 0;
  std::uint64_t stall_ps = 0;           ///< Of user: the part in which it waited for memory.
  std::uint64_t woken_ps = 0;           ///< Of sleeping: when it was woken up,
  std::optional<ThreadKey> waker = {};  ///< and by whom; nothing: by no thread, or not yet.
};

class Timeline {
 public:
  /// Intervals that are kept in all; those beyond are only counted.
  static constexpr std::size_t usual_limit = std::size_t{1} << 20;

  class Track {
   public:
    explicit Track(Timeline& whole) : whole_(whole) {}
    /// What follows the last interval without a gap and is alike is joined to it. User code is cut
    /// every 10 us, or a thousandth of the time so far where that is more, so that it shows when
    /// memory was waited for.
    void add(const Interval& interval);
    [[nodiscard]] const std::vector<Interval>& intervals() const { return intervals_; }

   private:
    friend class Timeline;
    Timeline& whole_;
    std::vector<Interval> intervals_;
  };

  explicit Timeline(unsigned vcpus, std::size_t limit = usual_limit);

  [[nodiscard]] Track& track(unsigned vcpu) { return tracks_[vcpu]; }
  [[nodiscard]] const std::deque<Track>& tracks() const { return tracks_; }
  /// Intervals that found no room.
  [[nodiscard]] std::uint64_t dropped() const { return dropped_; }
  /// pre: no vCPU runs.
  void clear();

 private:
  std::size_t limit_;
  std::atomic<std::size_t> kept_ = 0;
  std::atomic<std::uint64_t> dropped_ = 0;
  std::deque<Track> tracks_;
};

}  // namespace homenode::lab
