#include "lab/timing/timekeeper.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace homenode::lab {

Result<std::unique_ptr<Timekeeper>> Timekeeper::create(TimingModel model, const NodeMap& nodes,
                                                       unsigned vcpus, std::uint64_t memory_end) {
  const char* const next = "start the lab through its driver, which writes this file";
  if (model.vcpu_nodes.size() != vcpus) {
    return bad_usage("the timing file has " + std::to_string(model.vcpu_nodes.size()) +
                         " vCPUs, the machine " + std::to_string(vcpus),
                     next);
  }
  for (const NodeId node : nodes.nodes()) {
    const auto at = model.position(node);
    if (!at || model.controllers[*at].read_mibs == 0) {
      return bad_usage("the timing file has no controller for node " + std::to_string(node.value()),
                       next);
    }
  }
  auto directory = Directory::create(memory_end / model.line_bytes);
  if (!directory) return directory.as_unexpected();
  return std::unique_ptr<Timekeeper>(
      new Timekeeper(std::move(model), *std::move(directory), nodes, vcpus));
}

Timekeeper::Timekeeper(TimingModel model, Directory directory, const NodeMap& nodes, unsigned vcpus)
    : model_(std::move(model)),
      map_indexes_(model_.nodes.size()),
      memory_(model_, std::move(directory),
              [this, &nodes, shift = std::countr_zero(model_.line_bytes)](std::uint64_t line) {
                return positions_[nodes.index_of(line << shift).value_or(0)];
              }),
      pace_(vcpus, model_.epoch_ps) {
  for (const NodeId node : nodes.nodes()) {
    const unsigned at = *model_.position(node);
    map_indexes_[at] = static_cast<unsigned>(positions_.size());
    positions_.push_back(at);
  }
  for (unsigned i = 0; i < vcpus; ++i) {
    vcpus_.push_back(std::make_unique<TimedVcpu>(model_, memory_, pace_, wakeups_, i));
  }
}

void Timekeeper::record_timeline() {
  timeline_ = std::make_unique<Timeline>(static_cast<unsigned>(vcpus_.size()));
  for (unsigned i = 0; i < vcpus_.size(); ++i) vcpus_[i]->record(timeline_->track(i));
}

void Timekeeper::open(const Region& region, const std::function<ThreadKey(unsigned)>& thread,
                      const std::function<std::uint64_t*(unsigned)>& instructions) {
  memory_.clear();
  pace_.open();
  wakeups_.clear();
  if (timeline_) timeline_->clear();
  end_ps_ = 0;
  for (unsigned i = 0; i < vcpus_.size(); ++i) vcpus_[i]->open(region, thread(i), instructions(i));
}

void Timekeeper::close() {
  pace_.release();
  for (const auto& vcpu : vcpus_) vcpu->close();
}

void Timekeeper::wake(unsigned waker, Task task, bool is_new) {
  TimedVcpu& vcpu = *vcpus_[waker];
  if (!vcpu.in_region()) return;
  // Devices, timers and the kernel's own threads wake tasks up too, by the host's clock.
  const std::uint64_t time_ps =
      vcpu.core().is_running() ? vcpu.core().now_ps(true) : pace_.reached_ps();
  const std::uint64_t ready_ps = vcpu.has_thread() ? time_ps + model_.wake_up_ps : time_ps;
  wakeups_.wake(task, ready_ps, vcpu.wake(time_ps), is_new);
}

void Timekeeper::kick(unsigned waker, unsigned vcpu) {
  Core& core = vcpus_[waker]->core();
  if (vcpu >= vcpus_.size() || !core.is_running()) return;
  pace_.expect(vcpu, core.now_ps(true) + model_.wake_up_ps);
}

std::uint64_t Timekeeper::end_ps() const {
  if (end_ps_ != 0) return end_ps_;
  std::uint64_t latest_ps = 0;
  for (const auto& vcpu : vcpus_) latest_ps = std::max(latest_ps, vcpu->core().time_ps());
  return latest_ps;
}

std::map<ThreadKey, ThreadTime> Timekeeper::threads() const {
  std::map<ThreadKey, ThreadTime> all;
  for (const auto& vcpu : vcpus_) {
    for (const auto& [key, time] : vcpu->threads()) {
      const auto [found, fresh] = all.try_emplace(key, time);
      if (!fresh) found->second.add(time);
    }
  }
  for (const LastWait& last : last_waits()) {
    const auto found = all.find(last.stop.thread);
    if (found == all.end()) continue;
    const std::uint64_t slept_ps = last.ready_ps - last.stop.time_ps;
    if (slept_ps > 0) {
      found->second.sleep(last.stop.call, slept_ps, last.wake ? &*last.wake : nullptr);
    }
    found->second.ready_ps += end_ps() - last.ready_ps;
  }
  return all;
}

std::vector<Timekeeper::LastWait> Timekeeper::last_waits() const {
  std::vector<LastWait> all;
  const std::uint64_t end = end_ps();
  for (const GoingOn& task : wakeups_.waiting()) {
    const Stop& stop = *task.stop;
    if (stop.call.is_exit() || stop.time_ps >= end) continue;
    std::uint64_t ready_ps = stop.able ? stop.time_ps : end;
    if (task.wake) ready_ps = std::clamp(task.ready_ps.value_or(end), stop.time_ps, end);
    all.push_back({stop, ready_ps, task.wake});
  }
  return all;
}

}  // namespace homenode::lab
