// Something that passes a limited amount per time: a memory controller, a link. Requests come in
// an order that only roughly follows modelled time, because vCPUs run up to an epoch apart, so
// time is divided into short bins: a request takes room in the bin of its own time, and where that
// is full in the next ones. Everybody who uses it at that time is slowed.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

namespace homenode::lab {

class Capacity {
 public:
  static constexpr std::uint64_t bin_ps = 250'000;

  /// Occupies `service_ps` at `time_ps` or as soon after it as there is room, for a user (a vCPU's
  /// number, below 4094). Returns how long the request waits. While there is room in its own bin,
  /// that is the mean wait of an M/D/1 queue, rho / (2 (1 - rho)) services, where rho is the
  /// utilisation of the bin before; but who was alone there waits for nobody (in a closed system a
  /// customer finds the others, not itself). Else it waits for the bin with room.
  /// Thread safe.
  std::uint64_t reserve(std::uint64_t time_ps, std::uint64_t service_ps, unsigned user);

  /// The time occupied since the last clear().
  [[nodiscard]] std::uint64_t busy_ps() const { return busy_ps_.load(std::memory_order_relaxed); }

  /// pre: nobody reserves at the same time.
  void clear();

 private:
  // Far more than vCPUs run apart plus the longest queue that lines in flight can make.
  static constexpr std::uint64_t bins = 1024;
  // A mean wait holds below saturation only; beyond this the wait for room takes over.
  static constexpr double highest_utilisation = 0.8;

  /// What a bin holds: whose bin of time it is, who used it, and how much of it is taken.
  struct Bin {
    static constexpr unsigned nobody = 0xfff;
    static constexpr unsigned several = 0xffe;
    std::uint32_t number = 0;
    unsigned user = nobody;
    std::uint64_t used_ps = 0;
  };
  static Bin unpack(std::uint64_t bits);
  static std::uint64_t pack(const Bin& bin);
  std::uint64_t take(std::uint64_t number, std::uint64_t wanted_ps, unsigned user,
                     std::uint64_t& used_ps);
  [[nodiscard]] double utilisation_by_others(std::uint64_t number, unsigned user) const;

  std::array<std::atomic<std::uint64_t>, bins> bins_{};
  std::atomic<std::uint64_t> busy_ps_ = 0;
};

}  // namespace homenode::lab
