#include "lab/timing/capacity.h"

#include <algorithm>

namespace homenode::lab {
namespace {

// A packed bin: 32 bits of its number, 12 of its user (plus one, so that zero is an empty bin),
// 20 of the picoseconds taken.
constexpr unsigned number_shift = 32;
constexpr unsigned user_shift = 20;
constexpr std::uint64_t user_mask = 0xfff;
constexpr std::uint64_t used_mask = 0xfffff;

}  // namespace

static_assert(Capacity::bin_ps <= used_mask);

Capacity::Bin Capacity::unpack(std::uint64_t bits) {
  return {static_cast<std::uint32_t>(bits >> number_shift),
          static_cast<unsigned>(((bits >> user_shift) - 1) & user_mask), bits & used_mask};
}

std::uint64_t Capacity::pack(const Bin& bin) {
  return std::uint64_t{bin.number} << number_shift |
         ((std::uint64_t{bin.user} + 1) & user_mask) << user_shift | bin.used_ps;
}

/// Takes up to `wanted_ps` of a bin; returns what it got, and in `used_ps` what was taken before.
std::uint64_t Capacity::take(std::uint64_t number, std::uint64_t wanted_ps, unsigned user,
                             std::uint64_t& used_ps) {
  std::atomic<std::uint64_t>& place = bins_[number % bins];
  std::uint64_t bits = place.load(std::memory_order_relaxed);
  for (;;) {
    Bin bin = unpack(bits);
    const auto wanted = static_cast<std::uint32_t>(number);
    const auto ahead = static_cast<std::int32_t>(bin.number - wanted);
    // The ring has come round since: whatever happened then is over.
    if (ahead > 0) return wanted_ps;
    if (ahead < 0) bin = {wanted, Bin::nobody, 0};
    used_ps = bin.used_ps;
    const std::uint64_t taken = std::min(wanted_ps, bin_ps - used_ps);
    if (taken == 0) return 0;
    bin.user = bin.user == Bin::nobody || bin.user == user ? user : Bin::several;
    bin.used_ps += taken;
    if (place.compare_exchange_weak(bits, pack(bin), std::memory_order_relaxed)) return taken;
  }
}

double Capacity::utilisation_by_others(std::uint64_t number, unsigned user) const {
  const Bin bin = unpack(bins_[number % bins].load(std::memory_order_relaxed));
  if (bin.number != static_cast<std::uint32_t>(number) || bin.user == user) return 0;
  return static_cast<double>(bin.used_ps) / static_cast<double>(bin_ps);
}

std::uint64_t Capacity::reserve(std::uint64_t time_ps, std::uint64_t service_ps, unsigned user) {
  busy_ps_.fetch_add(service_ps, std::memory_order_relaxed);
  // Bins count from one: the one before the first is empty.
  const std::uint64_t first = time_ps / bin_ps + 1;
  std::uint64_t number = first;
  std::uint64_t start_ps = time_ps;
  for (std::uint64_t left = service_ps; number < first + bins; ++number) {
    std::uint64_t used_ps = 0;
    const std::uint64_t taken = take(number, left, user, used_ps);
    if (taken > 0 && left == service_ps) start_ps = (number - 1) * bin_ps + used_ps;
    left -= taken;
    if (left == 0) break;
  }
  if (number > first) return std::max(start_ps, time_ps) - time_ps;
  const double utilisation = std::min(utilisation_by_others(first - 1, user), highest_utilisation);
  return static_cast<std::uint64_t>(static_cast<double>(service_ps) * utilisation /
                                    (2 * (1 - utilisation)));
}

void Capacity::clear() {
  for (auto& bin : bins_) bin.store(0, std::memory_order_relaxed);
  busy_ps_.store(0, std::memory_order_relaxed);
}

}  // namespace homenode::lab
