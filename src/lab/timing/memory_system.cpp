#include "lab/timing/memory_system.h"

#include <algorithm>
#include <utility>

namespace homenode::lab {

MemorySystem::MemorySystem(const TimingModel& model, Directory directory,
                           std::function<unsigned(std::uint64_t line)> home_of)
    : model_(model), directory_(std::move(directory)), home_of_(std::move(home_of)) {
  const std::size_t nodes = model.nodes.size();
  for (const Bandwidths& speed : model.controllers) {
    // Reads and writes share a controller, each taking its own time there.
    const Way reads = way(speed.read_mibs);
    controller_reads_.push_back(reads);
    controller_writes_.push_back(
        {reads.capacity, speed.write_mibs == 0 ? 0 : model.line_ps(speed.write_mibs)});
  }
  for (const SharedLink& link : model.links) link_ways_.push_back(way(link.mibs));
  paths_.resize(nodes * nodes);
  for (unsigned from = 0; from < nodes; ++from) {
    for (unsigned to = 0; to < nodes; ++to) {
      const PairTiming& pair = model.pair(from, to);
      Path& path = paths_[from * nodes + to];
      path.latency_ps = pair.latency_ps;
      add_route(path, pair);
      path.read.push_back(controller_reads_[to]);
      path.write.push_back(controller_writes_[to]);
    }
  }
  last_level_of_.resize(model.vcpu_nodes.size());
  for (const auto& group : model.l3_groups) {
    if (!model.l3) break;
    SharedCache& cache =
        last_levels_.emplace_back(model.l3->bytes, model.l3->ways, model.line_bytes);
    for (const unsigned vcpu : group) last_level_of_[vcpu] = &cache;
  }
  const std::vector<std::uint64_t> none(nodes);
  traffic_.assign(model.vcpu_nodes.size(), MemoryTraffic{none, none});
}

MemorySystem::Way MemorySystem::way(std::uint64_t mibs) {
  if (mibs == 0) return {};
  const auto users = static_cast<unsigned>(model_.vcpu_nodes.size());
  return {&capacities_.emplace_back(users, model_.epoch_ps), model_.line_ps(mibs)};
}

/// What a pair's lines pass before they reach the controller: the pair's own limit, shared links.
void MemorySystem::add_route(Path& path, const PairTiming& pair) {
  if (pair.bandwidths.read_mibs != 0) {
    path.read.push_back(way(pair.bandwidths.read_mibs));
    path.write.push_back(way(pair.bandwidths.write_mibs));
    path.limited = true;
  }
  for (std::size_t hop = 1; hop < pair.route.size(); ++hop) {
    const unsigned near = pair.route[hop - 1];
    const unsigned far = pair.route[hop];
    for (std::size_t i = 0; i < link_ways_.size(); ++i) {
      // Written data goes out along the route, read data comes back along it.
      if (model_.links[i].from == near && model_.links[i].to == far)
        path.write.push_back(link_ways_[i]);
      if (model_.links[i].from == far && model_.links[i].to == near)
        path.read.push_back(link_ways_[i]);
    }
  }
}

std::uint64_t MemorySystem::pass(const std::vector<Way>& ways, std::uint64_t time_ps,
                                 unsigned vcpu) {
  std::uint64_t delay_ps = 0;
  for (const Way& way : ways) {
    if (way.capacity == nullptr) continue;
    delay_ps += way.capacity->reserve(time_ps + delay_ps, way.line_ps, vcpu);
  }
  return delay_ps;
}

LineAnswer MemorySystem::fetch(const LineRequest& request) {
  Directory::Entry& entry = directory_[request.line];
  std::uint32_t bits = entry.load(std::memory_order_relaxed);
  LineState old;
  LineState fresh;
  do {
    old = LineState(bits);
    if (request.exclusive) {
      fresh = old.writable_by(request.vcpu) ? old.written() : old.taken_by(request.vcpu);
    } else if (old.holder() == request.vcpu) {
      fresh = old;
    } else if (old.holder() == LineState::nobody && !old.shared()) {
      fresh = old.held_by(request.vcpu);
    } else {
      fresh = old.with_sharers();
    }
  } while (!entry.compare_exchange_weak(bits, fresh.bits(), std::memory_order_relaxed));

  const bool elsewhere = old.holder() != LineState::nobody && old.holder() != request.vcpu;
  if (elsewhere && old.dirty()) {
    const std::uint64_t latency_ps = from_other_cache(request, old.holder());
    if (!request.exclusive) {
      keep(request.vcpu, Tag(request.line, fresh.version()), false, request.time_ps);
    }
    return {latency_ps, Source::other_cache, fresh};
  }
  if (request.has_copy) {
    // Only the right to write is missing; others' copies have to go.
    const bool others = old.shared() || elsewhere;
    return {others ? model_.cache_to_cache_ps : 0, Source::own_copy, fresh};
  }
  if (look_in_last_level(request, old)) {
    return {model_.l3->latency_ps, Source::last_level, fresh};
  }
  Path& way = path(request.vcpu, request.home);
  ++traffic_[request.vcpu].reads[request.home];
  const std::uint64_t delay_ps = pass(way.read, request.time_ps, request.vcpu);
  return {way.latency_ps + delay_ps, Source::memory, fresh};
}

/// Whether the last level has the line. One that is only read, and so stays unchanged, is in it
/// from then on.
bool MemorySystem::look_in_last_level(const LineRequest& request, LineState old) {
  SharedCache* const last_level = last_level_of_[request.vcpu];
  if (last_level == nullptr) return false;
  const Tag tag(request.line, old.version());
  if (request.exclusive) return last_level->find(tag);
  const SharedCache::Lookup lookup = last_level->find_or_insert(tag);
  if (lookup.written_back) {
    write_memory(request.vcpu, lookup.written_back->line(), request.time_ps);
  }
  return lookup.found;
}

/// The line comes from the cache of a vCPU that has modified it; a reader leaves memory up to date.
std::uint64_t MemorySystem::from_other_cache(const LineRequest& request, unsigned holder) {
  if (!request.exclusive) write_memory(request.vcpu, request.line, request.time_ps);
  const unsigned from = model_.vcpu_nodes[request.vcpu];
  const unsigned other = model_.vcpu_nodes[holder];
  if (from == other) return model_.cache_to_cache_ps;
  return std::max(model_.cache_to_cache_ps, model_.pair(from, other).latency_ps);
}

void MemorySystem::write_memory(unsigned vcpu, std::uint64_t line, std::uint64_t time_ps) {
  const unsigned home = home_of_(line);
  ++traffic_[vcpu].writes[home];
  pass(path(vcpu, home).write, time_ps, vcpu);
}

void MemorySystem::keep(unsigned vcpu, Tag tag, bool modified, std::uint64_t time_ps) {
  SharedCache* const last_level = last_level_of_[vcpu];
  if (last_level == nullptr) {
    if (modified) write_memory(vcpu, tag.line(), time_ps);
    return;
  }
  const auto victim = last_level->insert(tag, modified);
  if (victim) write_memory(vcpu, victim->line(), time_ps);
}

void MemorySystem::push_out(unsigned vcpu, Tag tag, std::uint64_t time_ps) {
  Directory::Entry& entry = directory_[tag.line()];
  std::uint32_t bits = entry.load(std::memory_order_relaxed);
  const LineState old(bits);
  if (old.version() != tag.version() || old.holder() != vcpu || !old.dirty()) return;
  if (!entry.compare_exchange_strong(bits, old.let_go().bits(), std::memory_order_relaxed)) return;
  keep(vcpu, tag, true, time_ps);
}

std::uint64_t MemorySystem::write_past(const LineRequest& request) {
  Directory::Entry& entry = directory_[request.line];
  std::uint32_t bits = entry.load(std::memory_order_relaxed);
  while (!entry.compare_exchange_weak(bits, LineState(bits).bypassed().bits(),
                                      std::memory_order_relaxed)) {
  }
  Path& way = path(request.vcpu, request.home);
  ++traffic_[request.vcpu].writes[request.home];
  return way.latency_ps + pass(way.write, request.time_ps, request.vcpu);
}

MemorySystem::ControllerUse MemorySystem::controller(unsigned node) const {
  ControllerUse use;
  for (const MemoryTraffic& traffic : traffic_) {
    use.read_lines += traffic.reads[node];
    use.written_lines += traffic.writes[node];
  }
  const Capacity* const capacity = controller_reads_[node].capacity;
  if (capacity != nullptr) use.busy_ps = capacity->busy_ps();
  return use;
}

std::vector<MemorySystem::LinkUse> MemorySystem::links() const {
  std::vector<LinkUse> uses;
  const auto add = [&](unsigned from, unsigned to, const Way& way, bool shared) {
    if (way.capacity == nullptr || way.capacity->busy_ps() == 0) return;
    const std::uint64_t busy_ps = way.capacity->busy_ps();
    uses.push_back({from, to, busy_ps / way.line_ps, busy_ps, shared});
  };
  const auto nodes = static_cast<unsigned>(model_.nodes.size());
  for (unsigned from = 0; from < nodes; ++from) {
    for (unsigned to = 0; to < nodes; ++to) {
      const Path& path = paths_[from * nodes + to];
      // Data that is read flows from the memory to the CPUs.
      if (!path.limited) continue;
      add(to, from, path.read.front(), false);
      add(from, to, path.write.front(), false);
    }
  }
  for (std::size_t i = 0; i < link_ways_.size(); ++i) {
    add(model_.links[i].from, model_.links[i].to, link_ways_[i], true);
  }
  return uses;
}

void MemorySystem::clear() {
  directory_.clear();
  for (Capacity& capacity : capacities_) capacity.clear();
  for (SharedCache& cache : last_levels_) cache.clear();
  for (MemoryTraffic& traffic : traffic_) {
    std::ranges::fill(traffic.reads, 0U);
    std::ranges::fill(traffic.writes, 0U);
  }
}

}  // namespace homenode::lab
