#include "workloads/gather/gather.h"

#include <algorithm>
#include <atomic>
#include <cassert>

#include "workloads/program/program.h"
#include "workloads/program/team.h"

namespace homenode::workloads::gather {
namespace {

/// A thread's share of the repetitions.
struct Repetitions {
  std::uint64_t first;
  std::uint64_t end;
};

/// Gathers into a dense buffer, as Spatter does, and gives the sum of all that passed through.
std::uint64_t gather_all(const std::uint64_t* source, const IndexPattern& pattern, Repetitions mine,
                         std::vector<std::uint64_t>& dense) {
  const std::size_t length = pattern.indices.size();
  const std::uint64_t* const indices = pattern.indices.data();
  std::uint64_t sum = 0;
  for (std::uint64_t i = mine.first; i < mine.end; ++i) {
    const std::uint64_t* const base = source + pattern.delta * i;
    for (std::size_t j = 0; j < length; ++j) {
      dense[j] = base[indices[j]];
      sum += dense[j];
    }
  }
  return sum;
}

/// Scatters a dense buffer; threads may write the same word, and then write the same value.
void scatter_all(std::uint64_t* target, const IndexPattern& pattern, Repetitions mine,
                 const std::vector<std::uint64_t>& dense) {
  const std::size_t length = pattern.indices.size();
  const std::uint64_t* const indices = pattern.indices.data();
  for (std::uint64_t i = mine.first; i < mine.end; ++i) {
    std::uint64_t* const base = target + pattern.delta * i;
    for (std::size_t j = 0; j < length; ++j) {
      std::atomic_ref(base[indices[j]]).store(dense[j], std::memory_order_relaxed);
    }
  }
}

/// Words that are 1 where the pattern reaches and 0 elsewhere; it clears them.
std::uint64_t wrongly_scattered(std::uint64_t* words, std::uint64_t count,
                                const IndexPattern& pattern) {
  std::uint64_t wrong = 0;
  for (std::uint64_t i = 0; i < pattern.count; ++i) {
    for (const std::uint64_t index : pattern.indices) {
      std::uint64_t& word = words[pattern.delta * i + index];
      if (word != 1 && word != 2) wrong += 1;
      word = 2;  // Seen; it may come again.
    }
  }
  for (std::uint64_t i = 0; i < count; ++i) wrong += words[i] == 1 ? 1 : 0;
  return wrong;
}

class Gather final : public Program {
 public:
  Gather(const IndexPattern& pattern, unsigned passes)
      : pattern_(pattern), words_(*pattern.reach()), passes_(passes) {}

  [[nodiscard]] std::vector<ArrayNeed> arrays() const override {
    return {{"sparse", words_ * sizeof(std::uint64_t), Sharing::parts}};
  }

  ProgramOutcome run(std::span<void* const> memory, unsigned threads) override {
    assert(memory.size() == 1);
    auto* const words = static_cast<std::uint64_t*>(memory[0]);
    const bool gathers = pattern_.direction == Direction::gather;
    ProgramOutcome outcome;
    TimedPart part;
    std::uint64_t sum = 0;
#pragma omp parallel num_threads(static_cast <int>(threads)) reduction(+ : sum)
    {
      const unsigned rank = enter_team();
      const Range filled = part_of(words_, threads, rank);
      for (std::uint64_t i = filled.first; i < filled.end(); ++i) words[i] = gathers ? i : 0;
      const Range repeated = part_of(pattern_.count, threads, rank);
      const Repetitions mine{repeated.first, repeated.end()};
      std::vector<std::uint64_t> dense(pattern_.indices.size(), 1);
#pragma omp barrier
      if (rank == 0) part.begin();
#pragma omp barrier
      for (unsigned pass = 0; pass < passes_; ++pass) {
        if (gathers) sum += gather_all(words, pattern_, mine, dense);
        if (!gathers) scatter_all(words, pattern_, mine, dense);
      }
#pragma omp barrier
      if (rank == 0) {
        outcome.seconds = part.end();
      }
    }
    outcome.operations = 8.0 * static_cast<double>(pattern_.indices.size()) *
                         static_cast<double>(pattern_.count) * passes_;
    outcome.unit = "MB/s";
    // Differences, because sums of 64 bits are more than a number of the check can hold.
    const std::uint64_t error = gathers ? sum - sum_of_indices(pattern_) * passes_
                                        : wrongly_scattered(words, words_, pattern_);
    outcome.checks = {
        {gathers ? "error of the sum" : "wrong words", static_cast<double>(error), 0.0, 0.0}};
    return outcome;
  }

 private:
  IndexPattern pattern_;
  std::uint64_t words_;
  unsigned passes_;
};

}  // namespace

std::uint64_t sum_of_indices(const IndexPattern& pattern) {
  std::uint64_t sum = 0;
  for (const std::uint64_t index : pattern.indices) sum += index;
  const std::uint64_t n = pattern.count;
  const std::uint64_t pairs = n % 2 == 0 ? n / 2 * (n - 1) : (n - 1) / 2 * n;
  return sum * n + pattern.delta * pairs * pattern.indices.size();
}

std::unique_ptr<Program> make_gather(const IndexPattern& pattern, unsigned passes) {
  return std::make_unique<Gather>(pattern, passes);
}

Description describe() {
  Description described = description_of(
      "gather", "gather and scatter by an index pattern or a Spatter file",
      "by pattern, delta and count", "by an index pattern, equal parts of the repetitions",
      "Spatter: Lavin et al., MEMSYS 2020");
  described.parameters = {
      free_text("pattern", "UNIFORM:8:1",
                "indices: UNIFORM:8:2, MS1:8:4:20 (steps of 1, but of 20 to index 4) or a list"),
      one_of("kernel", "gather", "what to do with the words",
             {{"gather", "gather", "The words are read."},
              {"scatter", "scatter", "The words are written."}}),
      whole_number("delta", "8", "words from one repetition to the next", 0),
      whole_number("count", "1048576", "repetitions in a pass", 1),
      free_text("file", "", "run every pattern of this Spatter JSON file instead"),
      whole_number("entry", "", "run only this pattern of the file, counting from 0", 0),
      whole_number("passes", "1", "passes over all repetitions", 1, most_passes)};
  add_program_parameters(described);
  described.metrics = program_metrics("MB/s", "bytes, 8 for each index,");
  return described;
}

}  // namespace homenode::workloads::gather
