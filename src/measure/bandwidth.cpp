#include "measure/bandwidth.h"

#include <algorithm>
#include <cassert>

#include "measure/statistics.h"
#include "workloads/probe/kernels.h"

namespace homenode::measure {
namespace {

using workloads::probe::array_distance;
using workloads::probe::block_elements;
using workloads::probe::Slice;
using workloads::probe::StreamKernel;
using workloads::probe::Traffic;
using workloads::probe::Variant;

/// What a member moves in the first run, and at least in any.
constexpr std::size_t least_bytes = std::size_t{256} << 10U;
/// What it moves at least in each run on a modelled clock, and for how long that clock is to run:
/// far longer than members begin and end apart. More would mean more waiting, not more precision.
/// A run starts where the last one ended, so that no cache holds what it reads.
constexpr std::size_t modelled_bytes = std::size_t{2} << 20U;
constexpr double modelled_seconds = 500e-6;
/// How long a form of a kernel is tried for at once.
constexpr double trial_seconds = 2e-3;
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

struct Walked {
  double seconds = 0.0;
  double away = 0.0;  ///< The share of other work.
};

/// One run: every member walks `elements` of each of its arrays.
Walked run_once(Session& session, Walkers& walkers, StreamKernel kernel, std::size_t elements) {
  std::vector<Interval> intervals(walkers.members.size());
  session.team.run(walkers.members, [&](std::size_t place) {
    const auto slices = walkers.walks[place].next(elements);
    intervals[place] = timed(session.clock, walkers.members[place], [&] {
      for (const auto& slice : slices) (void)kernel(slice);
    });
  });
  return {elapsed_s(intervals), away_share(intervals)};
}

/// The most that all can walk of each array before they come back.
std::size_t most_elements(const Walkers& walkers) {
  std::size_t most = walkers.walks.front().elements();
  for (const Walk& walk : walkers.walks) most = std::min(most, walk.elements());
  return most;
}

/// The fastest form of a kernel, by a trial where it is first measured on so many CPUs; nothing
/// where this CPU has none. On a modelled clock the plainest: the model counts lines, so that no
/// form is faster than another.
std::optional<Variant> variant_for(Session& session, Walkers& walkers, Kernel kernel, Scope scope) {
  const auto known = session.chosen.find({kernel, scope});
  if (known != session.chosen.end()) return known->second;
  const auto variants = workloads::probe::variants_of(kernel, session.plan.request.isa);
  if (variants.empty()) return std::nullopt;
  std::size_t best = 0;
  if (!session.clock.modelled()) {
    const std::size_t bytes_each = 8 * workloads::probe::traffic(kernel).arrays();
    const std::size_t most = most_elements(walkers);
    const std::size_t least = std::min(whole_blocks(least_bytes / bytes_each), most);
    const double elapsed = run_once(session, walkers, variants.front().form->run, least).seconds;
    const std::size_t elements =
        whole_blocks(units_for(trial_seconds, static_cast<double>(least), elapsed, least, most));
    best = workloads::probe::fastest(variants.size(), [&](std::size_t i) {
      return run_once(session, walkers, variants[i].form->run, elements).seconds;
    });
  }
  session.chosen.emplace(std::pair{kernel, scope}, variants[best]);
  return variants[best];
}

/// All runs of a figure, in MiB/s of counted bytes, and the form of the kernel.
struct Runs {
  Summary mibs;
  KernelForm form;
};

Result<Runs> run_all(Session& session, Walkers& walkers, Kernel kernel, Scope scope) {
  const auto variant = variant_for(session, walkers, kernel, scope);
  if (!variant) return Runs{};
  const StreamKernel stream = variant->form->run;
  const Traffic& traffic = workloads::probe::traffic(kernel);
  const std::size_t bytes_each = 8 * traffic.arrays();
  const std::size_t most = most_elements(walkers);

  const auto seconds = session.next_run_seconds();
  std::size_t elements =
      std::min(whole_blocks((seconds ? least_bytes : modelled_bytes) / bytes_each), most);
  double elapsed = run_once(session, walkers, stream, elements).seconds;
  const std::size_t least = elements;
  if (!seconds) {
    elements = whole_blocks(
        units_for(modelled_seconds, static_cast<double>(elements), elapsed, least, most));
  } else {
    // Twice, because the first run finds cold TLBs and sleeping CPUs, and is short.
    for (std::size_t warm_up = 0; warm_up < 2; ++warm_up) {
      elements =
          whole_blocks(units_for(*seconds, static_cast<double>(elements), elapsed, least, most));
      if (warm_up == 0) elapsed = run_once(session, walkers, stream, elements).seconds;
    }
  }
  const double bytes = static_cast<double>(elements * traffic.counted_bytes()) *
                       static_cast<double>(walkers.members.size());
  std::vector<double> values;
  std::vector<double> away;
  for (unsigned i = 0; i < session.plan.runs; ++i) {
    const Walked run = run_once(session, walkers, stream, elements);
    if (run.seconds <= 0) return Unexpected(clock_stands_still());
    values.push_back(bytes / run.seconds / (1U << 20U));
    away.push_back(run.away);
  }
  return Runs{summarise(values, away), {variant->name(), variant->form->past_caches}};
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
  const auto runs = run_all(session, walkers, item.kernel, item.scope);
  if (!runs) return runs.as_unexpected();
  return BandwidthFigure{item, walkers.members.size(), runs->mibs, runs->form};
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
  if (walkers.members.empty()) return TogetherFigure{item, 0, {}, {}};
  const auto runs = run_all(session, walkers, item.kernel, Scope::all_cpus);
  if (!runs) return runs.as_unexpected();
  return TogetherFigure{item, walkers.members.size(), runs->mibs, runs->form};
}

Walk::Walk(std::vector<Array> memories, const Shape& shape)
    : arrays_(shape.arrays),
      turn_elements_(shape.turn_elements),
      now_(shape.first_memory % memories.size()) {
  assert(!memories.empty() && shape.part < shape.parts);
  for (const Array& memory : memories) {
    const std::size_t room = memory.elements / shape.arrays;
    const std::size_t apart = shape.arrays > 1 ? array_distance(room) : room;
    const std::size_t part_distance = shape.parts > 1 ? array_distance(apart / shape.parts) : apart;
    const std::size_t part_elements = part_distance / block_elements * block_elements;
    assert(part_elements > 0);
    places_.push_back({memory.first + shape.part * part_distance, apart, part_elements, 0});
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
    const auto array = [&](std::size_t number) {
      return first + std::min(number, arrays_ - 1) * place.array_elements;
    };
    slices.push_back({first, array(1), array(2), count, array(3)});
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
