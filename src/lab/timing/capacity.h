// Something that passes a limited amount per time and is shared: a memory controller, a link.
//
// vCPUs do not ask in the order of modelled time (they run up to an epoch apart), so two rules
// share it out. Time is divided into short bins, and a request takes room in the bin of its own
// time or, where that is full, in the next ones: throughput never exceeds what was declared. And
// each user's requests are spaced by a share of its own, which follows the use that everybody made
// of the epochs before: who is alone has everything, who wants less leaves the rest to the others,
// and those who want more get equal parts (max-min fairness, which is what a first-come-first-
// served queue gives users with equally many requests in flight). Without it, whoever the host
// lets run first would take the bins.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <vector>

namespace homenode::lab {

class Capacity {
 public:
  /// Users are numbered from 0. pre: epoch_ps > 0. A user's own requests may come out of order by
  /// up to an epoch: a prefetched line was asked for earlier than the write-back that it follows,
  /// and the end of a chain of loads is asked for ahead of time.
  Capacity(unsigned users, std::uint64_t epoch_ps);

  /// Occupies `service_ps` at `time_ps` or as soon after it as there is room. Returns how long the
  /// request waits: for its user's own requests before it; and for those of others, the longer of
  /// the mean wait of an M/D/1 queue, rho / (2 (1 - rho)) services at their utilisation rho, and
  /// of what they themselves wait once they fill the queue.
  /// Thread safe for different users.
  std::uint64_t reserve(std::uint64_t time_ps, std::uint64_t service_ps, unsigned user);

  /// The time occupied since the last clear(), by all users.
  [[nodiscard]] std::uint64_t busy_ps() const;

  /// pre: nobody reserves at the same time.
  void clear();

 private:
  static constexpr std::uint64_t bin_ps = 250'000;
  // Far more than vCPUs run apart plus the longest queue that lines in flight can make.
  static constexpr std::uint64_t bins = 1024;
  static constexpr std::uint64_t epochs_kept = 16;
  // A mean wait holds below saturation only; beyond this the users' own queues take over.
  static constexpr double highest_utilisation = 0.8;

  /// Sums of the last epochs. Written by one thread, read by all.
  class PerEpoch {
   public:
    void add(std::uint64_t epoch, std::uint64_t amount);
    [[nodiscard]] std::uint64_t at(std::uint64_t epoch) const;
    /// Of the two epochs before this one.
    [[nodiscard]] std::uint64_t before(std::uint64_t epoch) const {
      return at(epoch - 1) + at(epoch - 2);
    }
    void clear();

   private:
    /// Each the low half of an epoch's number above the low half of its sum.
    std::array<std::atomic<std::uint64_t>, epochs_kept> sums_{};
  };
  struct alignas(64) User {
    // Its own thread's alone.
    std::uint64_t epoch = 0;    ///< The one that what follows is computed for.
    std::uint64_t end_ps = 0;   ///< Of that epoch.
    std::uint64_t next_ps = 0;  ///< When its next request may begin.
    double spacing = 1;         ///< Of its requests, in services: one over its share.
    double others = 0;          ///< Their utilisation.
    std::uint64_t others_wait_ps = 0;
    std::vector<double> wishes;  ///< Scratch: what the others want of the whole.
    // Read by all.
    PerEpoch uses;   ///< Picoseconds occupied, by the epoch in which they begin.
    PerEpoch waits;  ///< Nanoseconds waited, by the epoch of the request, as the next.
    PerEpoch requests;
    std::atomic<std::uint64_t> busy_ps = 0;
  };

  /// Epochs count from two: the two before the first are empty.
  [[nodiscard]] std::uint64_t epoch_of(std::uint64_t time_ps) const {
    return time_ps / epoch_ps_ + 2;
  }
  std::uint64_t find_room(std::uint64_t time_ps, std::uint64_t service_ps);
  std::uint64_t take(std::uint64_t number, std::uint64_t wanted_ps, std::uint64_t& used_ps);
  void begin_epoch(User& user, std::uint64_t epoch);

  std::uint64_t epoch_ps_;
  std::vector<User> users_;
  /// Each the low half of a bin's number above the picoseconds that are taken in it.
  std::array<std::atomic<std::uint64_t>, bins> bins_{};
};

}  // namespace homenode::lab
