#include "lab/timing/capacity.h"

#include <algorithm>

namespace homenode::lab {
namespace {

constexpr std::uint64_t low_half = 0xffffffff;
constexpr unsigned number_shift = 32;
// Bins further ahead than this are those of an empty ring, seen across the wrap of their numbers.
constexpr std::int32_t recent = 1 << 20;
// Shares together exceed the whole a little, so that what one leaves is never lost: bins are full.
constexpr double generosity = 1.05;
// How much more than it got somebody who waited may want in the next epoch.
constexpr double growth = 2;

}  // namespace

Capacity::Capacity(unsigned users, std::uint64_t epoch_ps) : epoch_ps_(epoch_ps), users_(users) {}

std::uint64_t Capacity::PerEpoch::at(std::uint64_t epoch) const {
  const std::uint64_t bits = sums_[epoch % epochs_kept].load(std::memory_order_relaxed);
  return bits >> number_shift == (epoch & low_half) ? bits & low_half : 0;
}

void Capacity::PerEpoch::add(std::uint64_t epoch, std::uint64_t amount) {
  const std::uint64_t sum = std::min(at(epoch) + amount, low_half);
  sums_[epoch % epochs_kept].store((epoch & low_half) << number_shift | sum,
                                   std::memory_order_relaxed);
}

void Capacity::PerEpoch::clear() {
  for (auto& sum : sums_) sum.store(0, std::memory_order_relaxed);
}

/// Computes a user's share from the two epochs before: one alone would make shares swing. Those who
/// had to wait may want more than they got, but not without bound: one line in flight waits too.
void Capacity::begin_epoch(User& user, std::uint64_t epoch) {
  const double whole = 2 * static_cast<double>(epoch_ps_);
  std::uint64_t all_ps = 0;
  std::uint64_t waits_ns = 0;
  std::uint64_t requests = 0;
  std::size_t wanting = 1;
  user.wishes.clear();
  for (const User& other : users_) {
    if (&other == &user) continue;
    const std::uint64_t both_ps = other.uses.before(epoch);
    const std::uint64_t asked = other.requests.before(epoch);
    if (asked == 0) continue;
    const std::uint64_t waited_ns = other.waits.before(epoch);
    all_ps += both_ps;
    waits_ns += waited_ns;
    requests += asked;
    ++wanting;
    const double used = static_cast<double>(both_ps) / whole;
    user.wishes.push_back(waited_ns == 0 ? used : used * growth);
  }
  user.others = static_cast<double>(all_ps) / whole;
  user.others_wait_ps = requests == 0 ? 0 : waits_ns * 1000 / requests;
  // Who wants less than an equal part has what it wants; what it leaves is divided anew.
  std::ranges::sort(user.wishes);
  double left = 1;
  for (const double wish : user.wishes) {
    if (wish > left / static_cast<double>(wanting)) break;
    left -= wish;
    --wanting;
  }
  user.spacing = std::max(1.0, static_cast<double>(wanting) / (left * generosity));
  user.epoch = epoch;
  user.end_ps = (epoch - 1) * epoch_ps_;
}

/// Takes up to `wanted_ps` of a bin; returns what it got, and in `used_ps` what was taken before.
std::uint64_t Capacity::take(std::uint64_t number, std::uint64_t wanted_ps,
                             std::uint64_t& used_ps) {
  std::atomic<std::uint64_t>& bin = bins_[number % bins];
  std::uint64_t bits = bin.load(std::memory_order_relaxed);
  for (;;) {
    const auto ahead = static_cast<std::int32_t>((bits >> number_shift) - number);
    // The ring has come round since: whatever happened then is over.
    if (ahead > 0 && ahead < recent) return wanted_ps;
    used_ps = ahead == 0 ? bits & low_half : 0;
    const std::uint64_t taken = std::min(wanted_ps, bin_ps - used_ps);
    if (taken == 0) return 0;
    const std::uint64_t fresh = (number & low_half) << number_shift | (used_ps + taken);
    if (bin.compare_exchange_weak(bits, fresh, std::memory_order_relaxed)) return taken;
  }
}

/// When a request that would begin at `time_ps` finds room.
std::uint64_t Capacity::find_room(std::uint64_t time_ps, std::uint64_t service_ps) {
  // Bins count from one, so that the first one is not taken for one of an empty ring.
  const std::uint64_t first = time_ps / bin_ps + 1;
  std::uint64_t start_ps = time_ps;
  std::uint64_t left = service_ps;
  for (std::uint64_t number = first; left > 0 && number < first + bins; ++number) {
    std::uint64_t used_ps = 0;
    const std::uint64_t taken = take(number, left, used_ps);
    if (left == service_ps && number > first) start_ps = (number - 1) * bin_ps + used_ps;
    left -= taken;
  }
  return start_ps;
}

std::uint64_t Capacity::reserve(std::uint64_t time_ps, std::uint64_t service_ps, unsigned number) {
  User& user = users_[number];
  if (time_ps >= user.end_ps) begin_epoch(user, epoch_of(time_ps));
  const std::uint64_t start_ps = find_room(std::max(user.next_ps, time_ps), service_ps);
  const std::uint64_t wait_ps = start_ps - time_ps;
  const std::uint64_t from_ps = std::max(user.next_ps, time_ps - std::min(time_ps, epoch_ps_));
  user.next_ps =
      from_ps + static_cast<std::uint64_t>(static_cast<double>(service_ps) * user.spacing);
  const bool now = start_ps < user.end_ps && start_ps + epoch_ps_ >= user.end_ps;
  user.uses.add(now ? user.epoch : epoch_of(start_ps), service_ps);
  user.waits.add(user.epoch, wait_ps / 1000);
  user.requests.add(user.epoch, 1);
  user.busy_ps.store(user.busy_ps.load(std::memory_order_relaxed) + service_ps,
                     std::memory_order_relaxed);
  const double rho = std::min(user.others, highest_utilisation);
  const double mean_ps = static_cast<double>(service_ps) * rho / (2 * (1 - rho));
  return std::max({wait_ps, user.others_wait_ps, static_cast<std::uint64_t>(mean_ps)});
}

std::uint64_t Capacity::busy_ps() const {
  std::uint64_t total_ps = 0;
  for (const User& user : users_) total_ps += user.busy_ps.load(std::memory_order_relaxed);
  return total_ps;
}

void Capacity::clear() {
  for (auto& bin : bins_) bin.store(0, std::memory_order_relaxed);
  for (User& user : users_) {
    user.epoch = user.end_ps = user.next_ps = user.others_wait_ps = 0;
    user.spacing = 1;
    user.others = 0;
    user.uses.clear();
    user.waits.clear();
    user.requests.clear();
    user.busy_ps.store(0, std::memory_order_relaxed);
  }
}

}  // namespace homenode::lab
