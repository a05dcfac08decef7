#include "workloads/npb/mg_charges.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "workloads/npb/random.h"

namespace homenode::workloads::npb {
namespace {

using Entry = std::pair<std::uint64_t, std::size_t>;  // A number of the sequence, and its cell.

/// The ten that come first in an order, the first of all at the front.
template <class Before>
class First {
 public:
  void offer(Entry entry) {
    if (kept_.size() == mg_charge_count && !Before()(entry.first, kept_.back().first)) return;
    if (kept_.size() == mg_charge_count) kept_.pop_back();
    const auto later = [](const Entry& a, const Entry& b) { return Before()(a.first, b.first); };
    kept_.insert(std::ranges::upper_bound(kept_, entry, later), entry);
  }
  void offer_all(const First& other) {
    for (const Entry& entry : other.kept_) offer(entry);
  }
  [[nodiscard]] std::array<std::size_t, mg_charge_count> cells() const {
    std::array<std::size_t, mg_charge_count> cells{};
    std::ranges::transform(kept_, cells.begin(), &Entry::second);
    return cells;
  }

 private:
  std::vector<Entry> kept_;
};

}  // namespace

MgCharges find_charges(std::size_t n, unsigned threads) {
  First<std::greater<>> largest;
  First<std::less<>> smallest;
  const std::size_t plane = n * n;
#pragma omp parallel num_threads(threads)
  {
    First<std::greater<>> own_largest;
    First<std::less<>> own_smallest;
#pragma omp for schedule(static) nowait
    for (std::size_t z = 0; z < n; ++z) {
      std::uint64_t state = random_after(random_seed, z * plane);
      for (std::size_t cell = z * plane; cell < (z + 1) * plane; ++cell) {
        state = (state * random_multiplier) & random_mask;
        own_largest.offer({state, cell});
        own_smallest.offer({state, cell});
      }
    }
#pragma omp critical(mg_charges)
    {
      largest.offer_all(own_largest);
      smallest.offer_all(own_smallest);
    }
  }
  return {largest.cells(), smallest.cells()};
}

}  // namespace homenode::workloads::npb
