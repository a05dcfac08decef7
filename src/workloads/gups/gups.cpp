#include "workloads/gups/gups.h"

#include <atomic>
#include <cassert>

#include "workloads/gups/random_stream.h"
#include "workloads/program/program.h"
#include "workloads/program/team.h"

namespace homenode::workloads::gups {
namespace {

constexpr double allowed_errors = 0.01;

/// The updates [first, first + count) of the sequence.
struct Updates {
  std::uint64_t* table;
  std::uint64_t mask;
  std::uint64_t first;
  std::uint64_t count;
};

void update_fast(const Updates& updates) {
  std::uint64_t number = at(updates.first);
  for (std::uint64_t i = 0; i < updates.count; ++i) {
    number = next(number);
    const std::atomic_ref word(updates.table[number & updates.mask]);
    word.store(word.load(std::memory_order_relaxed) ^ number, std::memory_order_relaxed);
  }
}

/// Losing none, for the check.
void update_exactly(const Updates& updates) {
  std::uint64_t number = at(updates.first);
  for (std::uint64_t i = 0; i < updates.count; ++i) {
    number = next(number);
    std::atomic_ref(updates.table[number & updates.mask])
        .fetch_xor(number, std::memory_order_relaxed);
  }
}

class Gups final : public Program {
 public:
  explicit Gups(const GupsShape& shape)
      : words_(std::uint64_t{1} << shape.log2_words), updates_(words_ * shape.updates_per_word) {}

  [[nodiscard]] std::vector<ArrayNeed> arrays() const override {
    return {{"table", words_ * sizeof(std::uint64_t), Sharing::all}};
  }

  ProgramOutcome run(std::span<void* const> memory, unsigned threads) override {
    assert(memory.size() == 1);
    auto* const table = static_cast<std::uint64_t*>(memory[0]);
    ProgramOutcome outcome;
    TimedPart part;
    std::uint64_t wrong = 0;
#pragma omp parallel num_threads(static_cast <int>(threads)) reduction(+ : wrong)
    {
      const unsigned rank = enter_team();
      const Range words = part_of(words_, threads, rank);
      const Range updates = part_of(updates_, threads, rank);
      const Updates mine{table, words_ - 1, updates.first, updates.count};
      for (std::uint64_t i = words.first; i < words.end(); ++i) table[i] = i;
#pragma omp barrier
      if (rank == 0) part.begin();
#pragma omp barrier
      update_fast(mine);
#pragma omp barrier
      if (rank == 0) {
        outcome.seconds = part.end();
      }
#pragma omp barrier
      // Combined with the same numbers once more, each word is what it was.
      update_exactly(mine);
#pragma omp barrier
      for (std::uint64_t i = words.first; i < words.end(); ++i) wrong += table[i] != i ? 1 : 0;
    }
    outcome.operations = static_cast<double>(updates_);
    outcome.unit = "MUP/s";
    outcome.checks = {{"share of wrong words",
                       static_cast<double>(wrong) / static_cast<double>(words_), 0.0,
                       threads == 1 ? 0.0 : allowed_errors}};
    return outcome;
  }

 private:
  std::uint64_t words_;
  std::uint64_t updates_;
};

}  // namespace

std::unique_ptr<Program> make_gups(const GupsShape& shape) {
  return std::make_unique<Gups>(shape);
}

Description describe() {
  Description described = description_of(
      "gups", "RandomAccess: random updates of one table that all threads share", "--size, 64 MiB",
      "every thread uses all of it, at random", "RandomAccess of HPC Challenge");
  described.parameters = {
      byte_size("size", "64M", "memory of the table, a power of two", 4096),
      whole_number("updates", "4", "updates for each word of the table", 1, most_updates_per_word)};
  add_program_parameters(described);
  described.metrics = program_metrics("MUP/s", "updates");
  return described;
}

}  // namespace homenode::workloads::gups
