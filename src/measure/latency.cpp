#include "measure/latency.h"

#include <algorithm>
#include <atomic>
#include <span>
#include <thread>

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
  double latency_away = 0.0;  ///< The share of other work on the chain's CPU,
  double injected_mibs = 0.0;
  double injected_away = 0.0;  ///< and on those that read beside it.
};

/// Who injects, and what each of them does.
struct Load {
  std::vector<std::size_t> members;
  std::vector<Injection> injections;
};

/// Reads what the injection would begin with.
void read_first(const Injection& injection) {
  (void)injection.read({nullptr, injection.source + injection.first, nullptr, injected_elements});
}

/// The first member chases, from when all the others have begun to inject until it has finished: a
/// load that begins after the chain has ended would be none.
Run run_once(Session& session, std::size_t chaser, NodeMemory& memory, Chase chase,
             std::size_t steps, const Load& load) {
  std::vector<std::size_t> members{chaser};
  members.insert(members.end(), load.members.begin(), load.members.end());
  std::vector<Interval> intervals(members.size());
  std::vector<std::uint64_t> elements(members.size());
  std::atomic<bool> finished{false};
  std::atomic<std::size_t> begun{0};
  session.team.run(members, [&](std::size_t place) {
    if (place > 0) {
      read_first(load.injections[place - 1]);
      begun.fetch_add(1, std::memory_order_release);
    } else {
      while (begun.load(std::memory_order_acquire) + 1 < members.size()) std::this_thread::yield();
    }
    intervals[place] = timed(session.clock, members[place], [&] {
      if (place == 0) {
        memory.next_stop = chase(memory.next_stop, steps);
        finished.store(true, std::memory_order_relaxed);
      } else {
        elements[place] = workloads::probe::inject(load.injections[place - 1], finished);
      }
    });
  });
  Run run;
  const std::span<const Interval> all(intervals);
  run.latency_ns = elapsed_s(all.first(1)) * 1e9 / static_cast<double>(steps);
  run.latency_away = away_share(all.first(1));
  run.injected_away = away_share(all.subspan(1));
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

Summary summary_of(const std::vector<Run>& runs, double Run::*value, double Run::*away_of) {
  std::vector<double> values;
  std::vector<double> away;
  for (const Run& run : runs) {
    values.push_back(run.*value);
    away.push_back(run.*away_of);
  }
  return summarise(values, away);
}

Summary latency_of(const std::vector<Run>& runs) {
  return summary_of(runs, &Run::latency_ns, &Run::latency_away);
}

Summary injected_of(const std::vector<Run>& runs) {
  return summary_of(runs, &Run::injected_mibs, &Run::injected_away);
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
