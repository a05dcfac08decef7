#include "measure/cores.h"

#include <array>
#include <atomic>
#include <new>
#include <thread>
#include <vector>

#include "measure/statistics.h"
#include "workloads/probe/cycle.h"

namespace homenode::measure {
namespace {

using workloads::probe::Stop;

/// 16 KiB, of which every second line is used: CPUs fetch lines in pairs.
constexpr workloads::probe::CycleShape chain{256, 256, 2, 1};
constexpr std::size_t stops = chain.lines / chain.stride;
constexpr unsigned measured_rounds = 16;
/// Looks at the other one this often before it lets another thread have the CPU.
constexpr unsigned looks_before_yielding = 100'000;

/// Whose turn it is, on a line of its own.
struct alignas(128) Turn {
  std::atomic<unsigned> round{0};

  void give(unsigned number) { round.store(number, std::memory_order_release); }
  void wait_for(unsigned number) const {
    for (unsigned looks = 1; round.load(std::memory_order_acquire) < number; ++looks) {
      if (looks % looks_before_yielding == 0) std::this_thread::yield();
    }
  }
};

struct CoreRun {
  double latency_ns = 0.0;
  double away = 0.0;  ///< The share of other work on the reader's CPU.
};

CoreRun run_once(Session& session, const CorePair& pair, Stop* first, unsigned rounds) {
  const std::array members{session.team.member_on(pair.owner), session.team.member_on(pair.reader)};
  std::vector<Interval> intervals(rounds);
  Turn owned;
  Turn read;
  session.team.run(members, [&](std::size_t place) {
    for (unsigned round = 1; round <= rounds; ++round) {
      if (place == 0) {
        (void)workloads::probe::own_and_follow(first, stops);
        owned.give(round);
        read.wait_for(round);
      } else {
        owned.wait_for(round);
        intervals[round - 1] =
            timed(session.clock, members[1], [&] { (void)workloads::probe::follow(first, stops); });
        read.give(round);
      }
    }
  });
  CoreRun run;
  for (const Interval& interval : intervals) run.latency_ns += elapsed_s({&interval, 1}) * 1e9;
  run.latency_ns /= static_cast<double>(rounds * stops);
  run.away = away_share(intervals);
  return run;
}

NodeMemory& memory_near(Session& session, CpuId cpu) {
  for (auto& [node, memory] : session.memory) {
    const auto cpus = session.plan.cpus_of.find(node);
    if (cpus != session.plan.cpus_of.end() && cpus->second.contains(cpu)) return memory;
  }
  return session.memory.begin()->second;
}

}  // namespace

Result<CoreFigure> measure_cores(Session& session, const CorePair& pair) {
  auto* const lines = new (memory_near(session, pair.owner).stream()) Stop[chain.lines];
  Stop* const first = workloads::probe::link_cycle(lines, chain);
  const unsigned rounds = session.clock.modelled() ? 1 : measured_rounds;
  (void)run_once(session, pair, first, rounds);
  std::vector<double> values;
  std::vector<double> away;
  for (unsigned i = 0; i < session.plan.runs; ++i) {
    const CoreRun run = run_once(session, pair, first, rounds);
    if (run.latency_ns <= 0) return Unexpected(clock_stands_still());
    values.push_back(run.latency_ns);
    away.push_back(run.away);
  }
  return CoreFigure{pair, summarise(values, away)};
}

}  // namespace homenode::measure
