// Something that passes a limited amount per time and is shared: a memory controller, a link.
//
// vCPUs do not ask in the order of modelled time (they run up to an epoch apart), so a queue in
// order of arrival would favour whoever the host lets run first. Instead each user has a share of
// its own, by which its requests are spaced, and the shares follow the use that everybody made of
// the epochs before: who is alone has everything, who wants less leaves the rest to the others,
// and who wants more gets an equal part (max-min fairness, which is what a first-come-first-served
// queue gives users with equally many requests in flight). Where the users together took more than
// there was, the excess is paid back, so throughput at saturation is exactly what was declared.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <vector>

namespace homenode::lab {

class Capacity {
 public:
  /// Users are numbered from 0. A user's own requests may come out of order by up to `slack_ps`: a
  /// prefetched line was asked for earlier than the write-back that it follows. pre: epoch_ps > 0.
  Capacity(unsigned users, std::uint64_t epoch_ps, std::uint64_t slack_ps);

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
  static constexpr std::uint64_t epochs_kept = 16;
  // A mean wait holds below saturation only; beyond this the users' own queues take over.
  static constexpr double highest_utilisation = 0.8;

  struct alignas(64) User {
    // Its own thread's alone.
    std::uint64_t epoch = 0;    ///< The one that what follows is computed for.
    std::uint64_t next_ps = 0;  ///< When its next request may begin.
    double share = 1;           ///< Of the whole.
    double others = 0;          ///< Their utilisation.
    std::uint64_t others_wait_ps = 0;
    // Read by all. A use is the low half of an epoch's number above the picoseconds used in it.
    std::array<std::atomic<std::uint64_t>, epochs_kept> uses{};
    std::atomic<std::uint64_t> wait_ps = 0;
    std::atomic<std::uint64_t> busy_ps = 0;
  };

  void begin_epoch(User& user, std::uint64_t epoch);
  [[nodiscard]] static std::uint64_t use(const User& user, std::uint64_t epoch);
  static void add_use(User& user, std::uint64_t epoch, std::uint64_t service_ps);

  std::uint64_t epoch_ps_;
  std::uint64_t slack_ps_;
  std::vector<User> users_;
};

}  // namespace homenode::lab
