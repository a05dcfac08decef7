#include "lab/plugin/region_control.h"

#include <utility>

namespace homenode::lab {

bool RegionControl::begin(const Region& wanted) {
  if (next_) {
    if (next_->provisional && !wanted.provisional) next_ = wanted;
    return false;
  }
  if (!open_ || closing_) {
    next_ = wanted;
    return !closing_;
  }
  if (wanted.provisional) return false;
  const bool stays = open_->scope != Scope::process || open_->owner_cr3 == wanted.owner_cr3;
  if (stays && !open_->provisional) return false;
  next_ = wanted;
  closing_ = true;
  drops_ = open_->provisional;
  ended_by_marker_ = false;
  return true;
}

bool RegionControl::end(std::uint64_t cr3) {
  if (next_ && next_->owner_cr3 == cr3) {
    next_.reset();
    return false;
  }
  if (!open_ || closing_ || open_->owner_cr3 != cr3) return false;
  closing_ = true;
  ended_by_marker_ = true;
  return true;
}

bool RegionControl::end_any() {
  next_.reset();
  if (!open_ || closing_) return false;
  closing_ = true;
  ended_by_marker_ = false;
  return true;
}

RegionChange RegionControl::take_change() {
  const RegionChange change{closing_, closing_ && ended_by_marker_, std::exchange(drops_, false),
                            next_};
  if (closing_) open_.reset();
  if (next_) open_ = std::exchange(next_, std::nullopt);
  closing_ = false;
  return change;
}

}  // namespace homenode::lab
