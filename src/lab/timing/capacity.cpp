#include "lab/timing/capacity.h"

#include <algorithm>

namespace homenode::lab {
namespace {

constexpr std::uint64_t low_half = 0xffffffff;
constexpr unsigned epoch_shift = 32;

}  // namespace

Capacity::Capacity(unsigned users, std::uint64_t epoch_ps, std::uint64_t slack_ps)
    : epoch_ps_(epoch_ps), slack_ps_(slack_ps), users_(users) {}

std::uint64_t Capacity::use(const User& user, std::uint64_t epoch) {
  const std::uint64_t bits = user.uses[epoch % epochs_kept].load(std::memory_order_relaxed);
  return bits >> epoch_shift == (epoch & low_half) ? bits & low_half : 0;
}

void Capacity::add_use(User& user, std::uint64_t epoch, std::uint64_t service_ps) {
  const std::uint64_t used_ps = std::min(use(user, epoch) + service_ps, low_half);
  user.uses[epoch % epochs_kept].store((epoch & low_half) << epoch_shift | used_ps,
                                       std::memory_order_relaxed);
}

/// Computes a user's share from the two epochs before: one alone would make shares swing.
void Capacity::begin_epoch(User& user, std::uint64_t epoch) {
  std::uint64_t last_ps = 0;
  std::uint64_t both_ps = 0;
  std::uint64_t waits = 0;
  unsigned active = 1;
  unsigned hungry = 1;
  for (const User& other : users_) {
    if (&other == &user) continue;
    const std::uint64_t one_ps = use(other, epoch - 1);
    const std::uint64_t two_ps = use(other, epoch - 2);
    if (one_ps + two_ps == 0) continue;
    last_ps += one_ps;
    both_ps += one_ps + two_ps;
    const std::uint64_t wait_ps = other.wait_ps.load(std::memory_order_relaxed);
    waits += (one_ps + two_ps) * (wait_ps / 1000);
    if (wait_ps > 0) ++hungry;
    if (one_ps + two_ps > epoch_ps_ / 50) ++active;
  }
  const auto whole = static_cast<double>(epoch_ps_);
  user.others = static_cast<double>(both_ps) / (2 * whole);
  user.others_wait_ps = both_ps == 0 ? 0 : waits / both_ps * 1000;
  const std::uint64_t own_ps = use(user, epoch - 1);
  const double own = static_cast<double>(own_ps + use(user, epoch - 2)) / (2 * whole);
  // What nobody used goes to those who had to wait.
  const double left = std::max(0.0, 1 - own - user.others);
  user.share = std::max(1.0 / active, own + left / hungry);
  // What was taken beyond the whole has yet to be passed: each pays back its part.
  const auto together = static_cast<double>(own_ps + last_ps);
  if (user.epoch + 1 == epoch && together > whole) {
    const double excess = static_cast<double>(own_ps) * (1 - whole / together);
    user.next_ps += static_cast<std::uint64_t>(excess / user.share);
  }
  user.epoch = epoch;
}

std::uint64_t Capacity::reserve(std::uint64_t time_ps, std::uint64_t service_ps, unsigned number) {
  User& user = users_[number];
  // Epochs count from two: the two before the first are empty.
  const std::uint64_t epoch = time_ps / epoch_ps_ + 2;
  if (epoch > user.epoch) begin_epoch(user, epoch);
  const std::uint64_t start_ps = std::max(user.next_ps, time_ps);
  const std::uint64_t wait_ps = start_ps - time_ps;
  const std::uint64_t from_ps = std::max(user.next_ps, time_ps - std::min(time_ps, slack_ps_));
  user.next_ps = from_ps + static_cast<std::uint64_t>(static_cast<double>(service_ps) / user.share);
  add_use(user, start_ps / epoch_ps_ + 2, service_ps);
  user.wait_ps.store(wait_ps, std::memory_order_relaxed);
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
  for (User& user : users_) {
    user.epoch = user.next_ps = user.others_wait_ps = 0;
    user.share = 1;
    user.others = 0;
    for (auto& use : user.uses) use.store(0, std::memory_order_relaxed);
    user.wait_ps.store(0, std::memory_order_relaxed);
    user.busy_ps.store(0, std::memory_order_relaxed);
  }
}

}  // namespace homenode::lab
