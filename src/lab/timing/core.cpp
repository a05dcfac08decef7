#include "lab/timing/core.h"

#include <algorithm>
#include <bit>

namespace homenode::lab {
namespace {

std::optional<TagCache> second_level(const TimingModel& model) {
  if (!model.l2) return std::nullopt;
  return TagCache(model.l2->bytes, model.l2->ways, model.line_bytes);
}

/// Notes a write to a line that may be written silently. False: somebody was faster.
bool mark_written(Directory::Entry& entry, LineState& state) {
  if (state.dirty()) return true;
  std::uint32_t bits = state.bits();
  const LineState fresh = state.written();
  if (!entry.compare_exchange_strong(bits, fresh.bits(), std::memory_order_relaxed)) return false;
  state = fresh;
  return true;
}

// No line is both shared and modified.
constexpr std::uint32_t never = 3;

}  // namespace

Core::Core(const TimingModel& model, MemorySystem& memory, Pace& pace, unsigned vcpu)
    : line_mask_(model.line_bytes - 1),
      safe_offset_(model.line_bytes - widest_access),
      line_shift_(static_cast<unsigned>(std::countr_zero(model.line_bytes))),
      model_(model),
      memory_(memory),
      pace_(pace),
      vcpu_(vcpu),
      instruction_fs_(model.instruction_fs()),
      pause_fs_(model.pause_ps * 1000),
      stalls_ps_(model.nodes.size() + stall_caches),
      l1_(model.l1.bytes, model.l1.ways, model.line_bytes),
      newest_(l1_.sets()),
      l2_(second_level(model)),
      flights_(model.misses),
      consumed_ps_(model.prefetches),
      written_ps_(model.prefetches),
      pages_(known_pages) {}

void Core::open(std::uint64_t* instructions) {
  instructions_ = instructions;
  *instructions_ = 0;
  counts_ = {};
  charged_ = true;
  running_ = false;
  carry_fs_ = now_ps_ = pace_limit_ps_ = outside_ = 0;
  ready_ = {};
  std::ranges::fill(stalls_ps_, 0U);
  l1_.clear();
  if (l2_) l2_->clear();
  streams_.clear();
  first_flight_ = flights_used_ = 0;
  in_flight_until_ps_ = 0;
  std::ranges::fill(consumed_ps_, 0U);
  std::ranges::fill(written_ps_, 0U);
  combining_ = {};
  forget_translations();
}

void Core::forget_translations() {
  forget_recent();
  if (pages_known_) std::ranges::fill(pages_, Page{});
  pages_known_ = false;
}

void Core::charge(bool charged) {
  if (charged == charged_) return;
  settle(true);
  charged_ = charged;
  pace_.interrupt(vcpu_, !charged);
  forget_recent();
}

void Core::run(bool running, std::optional<std::uint64_t> ready_ps) {
  if (running && running_ && ready_ps.value_or(0) > now_ps_) {
    settle(true);
    now_ps_ = std::max(now_ps_, *ready_ps);
    pace_limit_ps_ = 0;
  }
  if (running == running_) return;
  settle(true);
  running_ = running;
  forget_recent();
  if (!running) return pace_.leave(vcpu_, now_ps_);
  now_ps_ = pace_.enter(vcpu_, now_ps_, ready_ps);
  pace_limit_ps_ = 0;
}

/// Turns the instructions executed so far into time, and keeps in step.
void Core::settle(bool in_kernel) {
  if (instructions_ == nullptr) return;
  const std::uint64_t instructions = *instructions_;
  *instructions_ = 0;
  if (!charged_ || !running_) return;
  counts_.instructions += instructions;
  carry_fs_ += instructions * instruction_fs_;
  now_ps_ += carry_fs_ / 1000;
  counts_.busy_ps += carry_fs_ / 1000;
  carry_fs_ %= 1000;
  if (now_ps_ < pace_limit_ps_) return;
  pace_limit_ps_ = pace_.advance(vcpu_, now_ps_, in_kernel);
  if (step_hook_ != nullptr && now_ps_ < pace_limit_ps_) step_hook_(step_data_);
}

std::uint64_t Core::now_ps(bool in_kernel) {
  settle(in_kernel);
  return now_ps_;
}

void Core::wait_in_kernel(void (*give_way)()) {
  if (!running_) return give_way();
  {
    const Pace::Idling idling(pace_);
    if (!charged_ || !pace_.waits_for_idling()) return give_way();
  }
  settle(true);
  if (now_ps_ < pace_limit_ps_) carry_fs_ += (pace_limit_ps_ - now_ps_) * 1000;
  settle(true);
}

std::uint64_t Core::finish() {
  settle(false);
  make_room();
  for (std::size_t i = 0; i < flights_used_; ++i) {
    const Flight& flight = flights_[(first_flight_ + i) % flights_.size()];
    wait_until(flight.done_ps, flight.from);
  }
  flights_used_ = 0;
  for (const std::uint64_t time_ps : ready_) wait_until(time_ps, touched_from_);
  for (const std::uint64_t time_ps : written_ps_) wait_until(time_ps, touched_from_);
  return now_ps_;
}

void Core::wait_until(std::uint64_t time_ps, unsigned from) {
  if (time_ps <= now_ps_) return;
  stalls_ps_[from] += time_ps - now_ps_;
  counts_.stall_ps += time_ps - now_ps_;
  counts_.busy_ps += time_ps - now_ps_;
  now_ps_ = time_ps;
}

void Core::access_elsewhere(std::uint64_t address, bool store, AccessShape shape,
                            const Translation& translation) {
  settle(shape.is_by_kernel());
  if (!charged_ || !running_) return;
  ++counts_.references[place(shape, store)];
  // Both lines of an access that crosses a line's end are asked for at once.
  const std::uint64_t address_ps = ready_ps(shape);
  Touch first{address, 0, 0, store, shape, address_ps};
  std::uint64_t ready = touch(first, translation);
  if ((address & line_mask_) > safe_offset_) {
    Touch last{address + translation.bytes() - 1, 0, 0, store, shape, address_ps};
    if (last.address >> line_shift_ != address >> line_shift_) {
      ready = std::max(ready, touch(last, translation));
    }
  }
  if (!store) ready_[shape.target()] = ready;
  if (shape.is_ordered()) wait_until(ready, touched_from_);
}

inline const Core::Page& Core::page_of(std::uint64_t address, const Translation& translation) {
  const std::uint64_t number = address >> page_shift;
  Page& page = pages_[number % known_pages];
  if (page.number != number) [[unlikely]]
    learn_page(page, address, translation);
  return page;
}

void Core::learn_page(Page& page, std::uint64_t address, const Translation& translation) {
  page = {};
  const auto physical = translation.physical(address);
  if (!physical) return;
  const auto node = translation.node_of(*physical);
  if (!node || !memory_.knows(*physical >> line_shift_)) return;
  pages_known_ = true;
  page = {address >> page_shift, *physical >> page_shift << page_shift,
          static_cast<std::uint16_t>(*node)};
}

/// A line that neither cache has, the second is about to get: what has to leave it for that will be
/// wanted of the directory.
inline Core::Found Core::look_up(const Tag& tag) {
  if (l1_.find(tag)) return {true, false};
  ++counts_.l1_misses;
  if (!l2_ || l2_->find(tag)) return {false, l2_.has_value()};
  const auto next_out = l2_->oldest_beside(tag);
  if (next_out) memory_.prefetch(next_out->line());
  return {false, false};
}

/// Accounts for one line of an access; says when it is there.
std::uint64_t Core::touch(Touch& touch, const Translation& translation) {
  const Page& page = page_of(touch.address, translation);
  if (page.node == outside_all) {
    ++outside_;
    return now_ps_;
  }
  constexpr std::uint64_t in_page = (std::uint64_t{1} << page_shift) - 1;
  touch.line = (page.physical | (touch.address & in_page)) >> line_shift_;
  touch.node = page.node;
  if (touch.store && touch.shape.is_past_caches()) {
    store_past(touch);
    return now_ps_;
  }
  Directory::Entry& entry = memory_.entry(touch.line);
  LineState state(entry.load(std::memory_order_relaxed));
  const Tag tag(touch.line, state.version());
  const Found found = look_up(tag);
  std::uint64_t ready = std::max(now_ps_, touch.address_ps);
  const bool allowed = !touch.store || (state.writable_by(vcpu_) && mark_written(entry, state));
  if (allowed && (found.in_first || found.in_second)) {
    touched_from_ = place_of(StallIn::own_cache);
    if (found.in_second) {
      ready += model_.l2->latency_ps;
      keep_in_first(tag);
    }
  } else {
    ready = bring(touch, found.in_first || found.in_second, state);
  }
  remember(touch, entry, state, ready);
  return ready;
}

/// Gets a line, or the right to write it, from beyond the private caches. Returns when it is there.
std::uint64_t Core::bring(Touch& touch, bool has_copy, LineState& state) {
  LineRequest request{vcpu_, touch.line, touch.node, touch.store, has_copy, now_ps_};
  LineAnswer answer;
  std::uint64_t since_ps = 0;
  std::uint64_t done_ps = 0;
  touch.prefetched = !has_copy && streams_.follow(touch.address >> line_shift_, now_ps_, since_ps);
  if (touch.prefetched) {
    answer = fetch_ahead(request, since_ps);
    done_ps = now_ps_;
  } else {
    make_room();
    request.time_ps = std::max(now_ps_, touch.address_ps);
    answer = memory_.fetch(request);
    done_ps = request.time_ps + answer.latency_ps;
    if (answer.latency_ps > 0) {
      flights_[(first_flight_ + flights_used_) % flights_.size()] = {done_ps, counts_.instructions,
                                                                     place_of(answer, touch.node)};
      ++flights_used_;
    }
    if (answer.source == Source::memory && !touch.shape.is_by_kernel()) {
      count_in_flight(request.time_ps, answer.latency_ps);
    }
  }
  state = answer.state;
  touched_from_ = place_of(answer, touch.node);
  count(answer, touch);
  keep(Tag(touch.line, state.version()));
  return done_ps;
}

/// A line of a recognised walk: it was asked for when the one that many lines before it was used,
/// but not before the walk was recognised. The core waits for what is still missing of it.
LineAnswer Core::fetch_ahead(LineRequest request, std::uint64_t since_ps) {
  std::uint64_t& slot = consumed_ps_[next_consumed_];
  next_consumed_ = (next_consumed_ + 1) % consumed_ps_.size();
  request.time_ps = std::max(slot, since_ps);
  const LineAnswer answer = memory_.fetch(request);
  wait_until(request.time_ps + answer.latency_ps, place_of(answer, request.home));
  slot = now_ps_;
  return answer;
}

/// Lets finished misses go, and waits for the oldest one where the core could not have run on: the
/// reorder window behind it was full, or too many are in flight.
void Core::make_room() {
  while (flights_used_ > 0) {
    const Flight& oldest = flights_[first_flight_];
    const std::uint64_t since = counts_.instructions - oldest.instruction;
    if (since > model_.window) {
      // What came after the window was executed only once the oldest was done.
      wait_until(oldest.done_ps + (since - model_.window) * instruction_fs_ / 1000, oldest.from);
    } else if (oldest.done_ps > now_ps_) {
      if (flights_used_ < flights_.size()) return;
      wait_until(oldest.done_ps, oldest.from);
    }
    first_flight_ = (first_flight_ + 1) % flights_.size();
    --flights_used_;
  }
}

/// A whole line is gathered in a buffer before it goes out, so only its first part is charged.
void Core::store_past(const Touch& touch) {
  if (std::ranges::find(combining_, touch.line + 1) != combining_.end()) return;
  combining_[next_combining_] = touch.line + 1;
  next_combining_ = (next_combining_ + 1) % combining_.size();
  std::uint64_t& slot = written_ps_[next_written_];
  next_written_ = (next_written_ + 1) % written_ps_.size();
  touched_from_ = touch.node;
  wait_until(slot, touch.node);
  slot = now_ps_ + memory_.write_past({vcpu_, touch.line, touch.node, true, false, now_ps_});
  report_miss(touch, Source::memory);
}

/// pre: the first level does not have it.
void Core::keep_in_first(Tag tag) {
  const auto pushed_out = l1_.insert(tag);
  if (pushed_out && !l2_) memory_.push_out(vcpu_, *pushed_out, now_ps_);
}

/// pre: neither level has it: not this version of it, where the right to write made a new one.
void Core::keep(Tag tag) {
  keep_in_first(tag);
  if (!l2_) return;
  const auto pushed_out = l2_->insert(tag);
  if (!pushed_out) return;
  // The second level includes the first.
  forget_newest(*pushed_out);
  l1_.remove(*pushed_out);
  memory_.push_out(vcpu_, *pushed_out, now_ps_);
}

void Core::remember(const Touch& touch, Directory::Entry& entry, LineState state,
                    std::uint64_t ready_ps) {
  std::uint16_t& newest = newest_[l1_.index_of(Tag(touch.line, 0))];
  // The line that was the newest until now may not be counted past the set any more.
  recent_[newest].start = nowhere;
  Recent& recent = recent_of(touch.address);
  newest = static_cast<std::uint16_t>(&recent - recent_.data());
  const bool silent = state.writable_by(vcpu_) && state.dirty();
  recent = {touch.address & ~line_mask_, &entry, state.bits(), silent ? state.bits() : never,
            ready_ps};
}

/// pre: the first level is about to let go of the tag.
void Core::forget_newest(Tag tag) {
  recent_[newest_[l1_.index_of(tag)]].start = nowhere;
}

void Core::forget_recent() {
  for (Recent& recent : recent_) recent.start = nowhere;
}

}  // namespace homenode::lab
