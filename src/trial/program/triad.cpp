#include "trial/program/triad.h"

#include <omp.h>

#include <algorithm>

#include "actuation/aligned_memory.h"
#include "trial/memory.h"
#include "workloads/probe/kernels.h"
#include "workloads/program/program.h"

namespace homenode::trial {
namespace {

namespace probe = workloads::probe;

constexpr std::size_t huge_page_bytes = std::size_t{2} << 20U;
constexpr std::size_t arrays = 3;

/// Three arrays, and the part that each thread has of them.
struct Arrays {
  double* first = nullptr;
  std::size_t distance = 0;       ///< From array to array,
  std::size_t part_distance = 0;  ///< from part to part,
  std::size_t part = 0;           ///< and how much of it is used: whole blocks.

  [[nodiscard]] probe::Slice slice(std::size_t rank, std::size_t at, std::size_t count) const {
    double* const begin = first + rank * part_distance + at;
    return {begin, begin + distance, begin + 2 * distance, count};
  }
};

class Team {
 public:
  Team(const Arrays& memory, unsigned threads) : memory_(memory), threads_(threads) {
    omp_set_dynamic(0);
#pragma omp parallel num_threads(threads_)
    for (std::size_t array = 0; array < arrays; ++array) {
      const auto rank = static_cast<std::size_t>(omp_get_thread_num());
      std::fill_n(memory_.slice(rank, 0, 0).target + array * memory_.distance, memory_.part, 1.0);
    }
  }

  /// Seconds of a walk by all threads over `count` elements of each part, from where the last
  /// ended.
  double walk(const probe::Form& form, std::size_t count) {
    if (at_ + count > memory_.part) at_ = 0;
    double seconds = 0.0;
#pragma omp parallel num_threads(threads_)
    {
      const auto rank = static_cast<std::size_t>(omp_get_thread_num());
#pragma omp barrier
      const workloads::Stopwatch stopwatch;
      form.run(memory_.slice(rank, at_, count));
#pragma omp barrier
      if (rank == 0) seconds = stopwatch.seconds();
    }
    at_ += count;
    return seconds;
  }

 private:
  Arrays memory_;
  unsigned threads_;
  std::size_t at_ = 0;
};

double bus_bytes(const probe::Form& form) {
  return static_cast<double>(probe::traffic(form.kernel).moved_bytes(form.past_caches));
}

}  // namespace

TriadRate triad_rate(os::Os& os, Bytes bytes, unsigned threads) {
  const std::size_t wanted = std::max(bytes.value, huge_page_bytes * arrays * threads);
  const std::size_t whole = round_up(wanted, huge_page_bytes);
  const auto memory = actuation::AlignedMemory::map(os, whole, huge_page_bytes);
  if (!memory) return {};
  // A kernel without huge pages refuses, and has small ones.
  (void)choose_pages(os, memory->region(), PageKind::huge);
  Arrays shape;
  shape.first = static_cast<double*>(memory->region().address);
  shape.distance = probe::array_distance(whole / sizeof(double) / arrays);
  shape.part_distance = probe::array_distance(shape.distance / threads);
  shape.part = shape.part_distance / probe::block_elements * probe::block_elements;

  Team team(shape, threads);
  const auto variants = probe::variants_of(probe::Kernel::triad);
  const std::size_t tried = std::min(shape.part, triad_tried_elements);
  const std::size_t best = probe::fastest(variants.size(), [&](std::size_t i) {
    return team.walk(*variants[i].form, tried) / bus_bytes(*variants[i].form);
  });
  const probe::Form& form = *variants[best].form;
  double least_s = team.walk(form, shape.part);
  for (unsigned pass = 1; pass < triad_passes; ++pass) {
    least_s = std::min(least_s, team.walk(form, shape.part));
  }
  const double elements = static_cast<double>(shape.part) * threads;
  return {bus_bytes(form) * elements / least_s, variants[best].name()};
}

}  // namespace homenode::trial
