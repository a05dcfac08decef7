#include "measure/bandwidth.h"

#include <algorithm>
#include <cassert>

#include "measure/statistics.h"

namespace homenode::measure {
namespace {

using workloads::probe::block_elements;
using workloads::probe::Slice;
using workloads::probe::StreamKernel;
using workloads::probe::Traffic;

/// What a member moves in the first run, and at least in any.
constexpr std::size_t least_bytes = std::size_t{256} << 10U;
/// What it moves at least in each run on a modelled clock, and for how long that clock is to run:
/// far longer than members begin and end apart. More would mean more waiting, not more precision.
/// A run starts where the last one ended, so that no cache holds what it reads.
constexpr std::size_t modelled_bytes = std::size_t{2} << 20U;
constexpr double modelled_seconds = 500e-6;
/// How much of one node's memory everybody walks before the next node's when it is interleaved.
constexpr std::size_t turn_bytes = std::size_t{64} << 10U;

/// Those who take part, and where each of them walks.
struct Walkers {
  std::vector<std::size_t> members;
  std::vector<Walk> walks;
};

std::size_t whole_blocks(std::size_t elements) {
  return std::max(elements / block_elements, std::size_t{1}) * block_elements;
}

/// One run: every member walks `elements` of each of its arrays. Its seconds.
double run_once(Session& session, Walkers& walkers, StreamKernel kernel, std::size_t elements) {
  std::vector<Interval> intervals(walkers.members.size());
  session.team.run(walkers.members, [&](std::size_t place) {
    const auto slices = walkers.walks[place].next(elements);
    const std::size_t slot = walkers.members[place];
    Interval interval;
    interval.begin_ps = session.clock.now_ps(slot);
    for (const auto& slice : slices) (void)kernel(slice);
    interval.end_ps = session.clock.now_ps(slot);
    intervals[place] = interval;
  });
  return elapsed_s(intervals);
}

/// All runs of a figure, in MiB/s of counted bytes.
Result<Summary> run_all(Session& session, Walkers& walkers, Kernel kernel) {
  const StreamKernel stream = session.kernels.streams[static_cast<std::size_t>(kernel)];
  if (stream == nullptr) return Summary{};
  const Traffic& traffic = workloads::probe::traffic(kernel);
  const std::size_t bytes_each = 8 * traffic.arrays();
  std::size_t most = walkers.walks.front().elements();
  for (const Walk& walk : walkers.walks) most = std::min(most, walk.elements());

  const auto seconds = session.next_run_seconds();
  std::size_t elements =
      std::min(whole_blocks((seconds ? least_bytes : modelled_bytes) / bytes_each), most);
  double elapsed = run_once(session, walkers, stream, elements);
  const std::size_t least = elements;
  if (!seconds) {
    elements = whole_blocks(
        units_for(modelled_seconds, static_cast<double>(elements), elapsed, least, most));
  } else {
    // Twice, because the first run finds cold TLBs and sleeping CPUs, and is short.
    for (std::size_t warm_up = 0; warm_up < 2; ++warm_up) {
      elements =
          whole_blocks(units_for(*seconds, static_cast<double>(elements), elapsed, least, most));
      if (warm_up == 0) elapsed = run_once(session, walkers, stream, elements);
    }
  }
  const double bytes = static_cast<double>(elements * traffic.counted_bytes()) *
                       static_cast<double>(walkers.members.size());
  std::vector<double> values;
  for (unsigned i = 0; i < session.plan.runs; ++i) {
    elapsed = run_once(session, walkers, stream, elements);
    if (elapsed <= 0) return Unexpected(clock_stands_still());
    values.push_back(bytes / elapsed / (1U << 20U));
  }
  return summarise(values);
}

Walk::Array array_of(const Session& session, NodeId node) {
  const NodeMemory& memory = session.memory.at(node);
  return {memory.stream(), memory.stream_elements()};
}

/// The members of a node, each with its part of one memory.
void add_walkers(const Session& session, Walkers& walkers, NodeId from, NodeId to, Kernel kernel,
                 Scope scope) {
  std::vector<std::size_t> members = session.members_of(from);
  if (scope == Scope::one_cpu) members.resize(1);
  Walk::Shape shape;
  shape.arrays = workloads::probe::traffic(kernel).arrays();
  shape.parts = members.size();
  for (std::size_t i = 0; i < members.size(); ++i) {
    shape.part = i;
    walkers.members.push_back(members[i]);
    walkers.walks.emplace_back(std::vector{array_of(session, to)}, shape);
  }
}

/// Everybody over all memories, each beginning at another one.
void add_interleaved_walkers(const Session& session, Walkers& walkers, Kernel kernel) {
  std::vector<Walk::Array> arrays;
  for (NodeId to : session.plan.targets) arrays.push_back(array_of(session, to));
  for (NodeId from : session.plan.sources) {
    for (std::size_t member : session.members_of(from)) walkers.members.push_back(member);
  }
  Walk::Shape shape;
  shape.arrays = workloads::probe::traffic(kernel).arrays();
  shape.parts = walkers.members.size();
  shape.turn_elements = whole_blocks(turn_bytes / 8);
  for (std::size_t i = 0; i < walkers.members.size(); ++i) {
    shape.part = i;
    shape.first_memory = i;
    walkers.walks.emplace_back(arrays, shape);
  }
}

}  // namespace

Result<BandwidthFigure> measure_bandwidth(Session& session, const BandwidthItem& item) {
  Walkers walkers;
  add_walkers(session, walkers, item.pair.from, item.pair.to, item.kernel, item.scope);
  const auto summary = run_all(session, walkers, item.kernel);
  if (!summary) return summary.as_unexpected();
  return BandwidthFigure{item, walkers.members.size(), *summary};
}

Result<TogetherFigure> measure_together(Session& session, const TogetherItem& item) {
  Walkers walkers;
  if (item.kind == Together::interleaved) {
    add_interleaved_walkers(session, walkers, item.kernel);
  } else {
    for (NodeId node : session.plan.sources) {
      if (!session.memory.contains(node)) continue;
      add_walkers(session, walkers, node, node, item.kernel, Scope::all_cpus);
    }
  }
  // No node has both CPUs and memory: there is nothing local.
  if (walkers.members.empty()) return TogetherFigure{item, 0, {}};
  const auto summary = run_all(session, walkers, item.kernel);
  if (!summary) return summary.as_unexpected();
  return TogetherFigure{item, walkers.members.size(), *summary};
}

Walk::Walk(std::vector<Array> memories, const Shape& shape)
    : arrays_(shape.arrays),
      turn_elements_(shape.turn_elements),
      now_(shape.first_memory % memories.size()) {
  assert(!memories.empty() && shape.part < shape.parts);
  for (const Array& memory : memories) {
    const std::size_t blocks = memory.elements / block_elements / shape.arrays / shape.parts;
    assert(blocks > 0);
    const std::size_t part_elements = blocks * block_elements;
    places_.push_back(
        {memory.first + shape.part * part_elements, shape.parts * part_elements, part_elements, 0});
  }
}

std::vector<Slice> Walk::next(std::size_t elements) {
  assert(elements % block_elements == 0);
  std::vector<Slice> slices;
  while (elements > 0) {
    Place& place = places_[now_];
    std::size_t count = std::min(elements, place.part_elements - place.at);
    if (turn_elements_ > 0) count = std::min(count, turn_elements_);
    // A kernel that has no source writes the first array; one that has writes it from the others.
    double* const first = place.first + place.at;
    slices.push_back({first, arrays_ > 1 ? first + place.array_elements : first,
                      first + (arrays_ - 1) * place.array_elements, count});
    place.at = (place.at + count) % place.part_elements;
    elements -= count;
    if (turn_elements_ > 0) now_ = (now_ + 1) % places_.size();
  }
  return slices;
}

std::size_t Walk::elements() const {
  std::size_t sum = 0;
  for (const Place& place : places_) sum += place.part_elements;
  return turn_elements_ > 0 ? sum : places_[now_].part_elements;
}

}  // namespace homenode::measure
