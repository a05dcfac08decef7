#include "workloads/chase/chase.h"

#include <cassert>
#include <new>

#include "workloads/probe/cycle.h"
#include "workloads/program/program.h"
#include "workloads/program/team.h"

namespace homenode::workloads::chase {
namespace {

using probe::Stop;

/// Steps until the cycle is back where it began, or `limit`.
std::size_t cycle_length(Stop* first, std::size_t limit) {
  std::size_t steps = 0;
  Stop* stop = first;
  do {
    stop = probe::follow(stop, 1);
    steps += 1;
  } while (stop != first && steps < limit);
  return stop == first ? steps : 0;
}

class Chase final : public Program {
 public:
  explicit Chase(const ChaseShape& shape) : shape_(shape) {}

  [[nodiscard]] std::vector<ArrayNeed> arrays() const override {
    return {{"lines", shape_.lines * sizeof(Stop), Sharing::parts}};
  }

  ProgramOutcome run(std::span<void* const> memory, unsigned threads) override {
    assert(memory.size() == 1 && shape_.lines >= threads);
    auto* const lines = static_cast<Stop*>(memory[0]);
    ProgramOutcome outcome;
    TimedPart part;
    std::size_t closed = 0;
    std::size_t visited = 0;
#pragma omp parallel num_threads(static_cast <int>(threads)) reduction(+ : closed, visited)
    {
      const unsigned rank = enter_team();
      const auto [first, count] = part_of(shape_.lines, threads, rank);
      for (std::size_t i = first; i < first + count; ++i) new (&lines[i]) Stop;
      Stop* const start = probe::link_cycle(lines + first, {count, count, 1, shape_.seed + rank});
#pragma omp barrier
      if (rank == 0) part.begin();
#pragma omp barrier
      Stop* const end = probe::follow(start, count * shape_.passes);
#pragma omp barrier
      if (rank == 0) {
        outcome.seconds = part.end();
      }
      closed += end == start ? 1 : 0;
      visited += cycle_length(start, count);
    }
    outcome.operations = static_cast<double>(shape_.lines) * shape_.passes;
    outcome.unit = "Mload/s";
    outcome.checks = {
        {"cycles that closed", static_cast<double>(closed), static_cast<double>(threads), 0.0},
        {"lines visited", static_cast<double>(visited), static_cast<double>(shape_.lines), 0.0}};
    return outcome;
  }

 private:
  ChaseShape shape_;
};

}  // namespace

std::unique_ptr<Program> make_chase(const ChaseShape& shape) {
  return std::make_unique<Chase>(shape);
}

Description describe() {
  Description described = description_of(
      "chase", "chains of dependent loads, one for each thread in its part of the memory",
      "--size, 64 MiB", "equal parts, each load depends on the one before",
      "pointer chase, as lmbench and pChase");
  described.parameters = {
      byte_size("size", "64M", "memory of all threads, in lines of 64 bytes"),
      whole_number("passes", "1", "times around each thread's cycle", 1, most_passes),
      whole_number("seed", "1", "seed of the random order", 0)};
  add_program_parameters(described);
  described.metrics = program_metrics("Mload/s", "loads");
  return described;
}

}  // namespace homenode::workloads::chase
