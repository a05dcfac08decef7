#include "measure/latency.h"

#include <algorithm>

#include "measure/statistics.h"
#include "workloads/probe/kernels.h"

namespace homenode::measure {
namespace {

using workloads::probe::injected_elements;
using workloads::probe::Injection;
using workloads::probe::Stop;

using Chase = Stop* (*)(Stop* from, std::size_t steps);

constexpr std::size_t least_steps = 2000;
constexpr std::size_t most_steps = 400'000;
/// On a modelled clock every step takes what the model says: a few thousand are an exact mean.
constexpr std::size_t modelled_steps = 4000;

/// One run of a chain and of those that read beside it.
struct Run {
  double latency_ns = 0.0;
  double injected_mibs = 0.0;
};

/// Who injects, and what each of them does.
struct Load {
  std::vector<std::size_t> members;
  std::vector<Injection> injections;
};

/// The first member chases; the others inject until it has finished.
Run run_once(Session& session, std::size_t chaser, NodeMemory& memory, Chase chase,
             std::size_t steps, const Load& load) {
  std::vector<std::size_t> members{chaser};
  members.insert(members.end(), load.members.begin(), load.members.end());
  std::vector<Interval> intervals(members.size());
  std::vector<std::uint64_t> elements(members.size());
  std::atomic<bool> finished{false};
  session.team.run(members, [&](std::size_t place) {
    const std::size_t slot = members[place];
    Interval interval;
    interval.begin_ps = session.clock.now_ps(slot);
    if (place == 0) {
      memory.next_stop = chase(memory.next_stop, steps);
    } else {
      elements[place] = workloads::probe::inject(load.injections[place - 1], finished);
    }
    interval.end_ps = session.clock.now_ps(slot);
    if (place == 0) finished.store(true, std::memory_order_relaxed);
    intervals[place] = interval;
  });
  Run run;
  run.latency_ns = elapsed_s({intervals.data(), 1}) * 1e9 / static_cast<double>(steps);
  for (std::size_t place = 1; place < members.size(); ++place) {
    const double seconds = elapsed_s({intervals.data() + place, 1});
    if (seconds <= 0) continue;
    run.injected_mibs += static_cast<double>(elements[place] * 8) / seconds / (1U << 20U);
  }
  return run;
}

/// All runs of a figure. Errors: the clock stands still.
Result<std::vector<Run>> run_all(Session& session, const Pair& pair, Chase chase,
                                 const Load& load) {
  NodeMemory& memory = session.memory.at(pair.to);
  const std::size_t chaser = session.members_of(pair.from).front();
  const auto seconds = session.next_run_seconds();
  std::size_t steps = seconds ? least_steps : modelled_steps;
  const Run warm_up = run_once(session, chaser, memory, chase, steps, load);
  if (seconds) {
    steps =
        units_for(*seconds, static_cast<double>(steps),
                  warm_up.latency_ns * 1e-9 * static_cast<double>(steps), least_steps, most_steps);
  }
  std::vector<Run> runs;
  for (unsigned i = 0; i < session.plan.runs; ++i) {
    runs.push_back(run_once(session, chaser, memory, chase, steps, load));
    if (runs.back().latency_ns <= 0) return Unexpected(clock_stands_still());
  }
  return runs;
}

Summary latency_of(const std::vector<Run>& runs) {
  std::vector<double> values;
  values.reserve(runs.size());
  for (const Run& run : runs) values.push_back(run.latency_ns);
  return summarise(values);
}

Summary injected_of(const std::vector<Run>& runs) {
  std::vector<double> values;
  values.reserve(runs.size());
  for (const Run& run : runs) values.push_back(run.injected_mibs);
  return summarise(values);
}

/// The other members of the source, spread over the stream array of the target.
Load load_on(const Session& session, const Pair& pair) {
  Load load;
  load.members = session.members_of(pair.from);
  load.members.erase(load.members.begin());
  const NodeMemory& memory = session.memory.at(pair.to);
  const std::size_t blocks = memory.stream_elements() / injected_elements;
  for (std::size_t i = 0; i < load.members.size(); ++i) {
    load.injections.push_back({session.kernels.streams[static_cast<std::size_t>(Kernel::read)],
                               memory.stream(), blocks * injected_elements,
                               blocks * i / load.members.size() * injected_elements, 0});
  }
  return load;
}

}  // namespace

Result<LatencyFigure> measure_latency(Session& session, const LatencyItem& item) {
  const Chase chase = item.write ? workloads::probe::own_and_follow : workloads::probe::follow;
  const auto runs = run_all(session, item.pair, chase, {});
  if (!runs) return runs.as_unexpected();
  return LatencyFigure{item, latency_of(*runs)};
}

Result<LoadedCurve> measure_loaded(Session& session, const Pair& pair) {
  Load load = load_on(session, pair);
  LoadedCurve curve{pair, load.members.size(), {}};
  if (load.members.empty()) return curve;
  for (std::size_t rounds : session.plan.idle_rounds) {
    for (Injection& injection : load.injections) injection.idle_rounds = rounds;
    const auto runs = run_all(session, pair, workloads::probe::follow, load);
    if (!runs) return runs.as_unexpected();
    curve.points.push_back({rounds, injected_of(*runs), latency_of(*runs)});
    session.figure_done("latency under load");
  }
  return curve;
}

}  // namespace homenode::measure
