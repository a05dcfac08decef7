#include "workloads/seismic/solver.h"

#include <omp.h>
#include <span>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <thread>

#include "workloads/program/program.h"
#include "workloads/seismic/grid.h"
#include "workloads/seismic/layout.h"
#include "workloads/seismic/medium.h"
#include "workloads/seismic/points.h"

namespace homenode::workloads::seismic {
namespace {

/// Kinetic and strain energy in J, added plane by plane. Velocities and stresses are half a step
/// apart, so it sways a little where waves are; it is exact where nothing moves.
double energy_of(const Scene& scene, std::span<const Squares> planes) {
  const auto whole = plane_moduli(scene.layers, scene.planes());
  const auto half = half_plane_moduli(scene.layers, scene.planes());
  double energy = 0.0;
  for (std::size_t k = 0; k < planes.size(); ++k) {
    const Squares& sums = planes[k];
    energy += 0.5 * (whole[k].density * sums.speeds + half[k].density * sums.speeds_half);
    const double bulk = whole[k].lambda + 2.0 / 3.0 * whole[k].mu;
    energy += sums.traces / (18.0 * bulk);
    if (whole[k].mu > 0.0) {
      energy += (sums.normals - sums.traces / 3.0) / (4.0 * whole[k].mu);
      energy += sums.shears / (2.0 * whole[k].mu);
    }
    if (half[k].mu > 0.0) energy += sums.shears_half / (2.0 * half[k].mu);
  }
  return energy * scene.spacing_m * scene.spacing_m * scene.spacing_m;
}

/// Of a second-level cache, that a thread fills with rows.
constexpr std::size_t cache_share_bytes = 1U << 20U;

template <class Real>
struct KernelSet {
  VelocityKernels<Real> velocities;
  StressKernels<Real> stresses;
};
template <class Real>
KernelSet<Real> kernels_here();
template <>
KernelSet<double> kernels_here<double>() {
  return {velocities_double_here(), stresses_double_here()};
}
template <>
KernelSet<float> kernels_here<float>() {
  return {velocities_float_here(), stresses_float_here()};
}

/// How far a tile has come, in a cache line of its own.
struct alignas(64) Progress {
  std::atomic<std::ptrdiff_t> positions{0};
};

template <class Real>
class Simulation {
 public:
  Simulation(const Scene& scene, std::span<void* const> memory, const TimeBlock& block)
      : scene_(scene),
        layout_(layout_of(scene)),
        kernels_(kernels_here<Real>()),
        grid_(scene, layout_, memory),
        domain_(grid_.domain()),
        points_(scene, domain_),
        block_(block),
        sums_(scene.cells[2]) {
    rows_ = static_cast<std::ptrdiff_t>(rows_together(layout_, cache_share_bytes));
    if (block_.steps > 1) {
      progress_ = std::vector<Progress>(static_cast<std::size_t>(tiles_of(block_.steps).count()));
    }
  }

  Recording run(unsigned threads, std::span<const Slice> slices) {
    omp_set_dynamic(0);
#pragma omp parallel num_threads(threads)
    take_part(static_cast<unsigned>(omp_get_thread_num()),
              static_cast<unsigned>(omp_get_num_threads()));
    recording_.traces = points_.traces();
    for (const Slice& slice : slices) recording_.pictures.push_back(picture_of(slice));
    return std::move(recording_);
  }

 private:
  void take_part(unsigned rank, unsigned threads) {
    const Slab padded = slab_of(layout_, rank, threads);
    grid_.clear(padded);
    if (rank == 0) grid_.write_factors();
    const std::size_t first = std::max(padded.first, planes_of_zeros);
    const std::size_t last = std::min(padded.last, layout_.planes - planes_of_zeros);
    const Slab own{first, std::max(first, last)};
#pragma omp barrier
    if (rank == 0) part_.begin();
#pragma omp barrier
    for (std::size_t step = 0; step < scene_.steps;) {
      const std::size_t every = scene_.energy_every > 0 ? scene_.energy_every : scene_.steps;
      const std::size_t stop = std::min(scene_.steps, (step / every + 1) * every);
      if (block_.steps > 1) {
        run_blocks(rank, threads, step, stop);
      } else {
        run_steps(own, step, stop);
      }
      step = stop;
      if (step < scene_.steps) add_energy(rank, own);
    }
    if (rank == 0) recording_.seconds = part_.end();
    add_energy(rank, own);
  }

  /// Each step on all of the grid, the own slab of planes.
  void run_steps(const Slab& own, std::size_t step, std::size_t stop) {
    for (; step < stop; ++step) {
      for (const bool velocities : {true, false}) {
        sweep(velocities, own, step);
#pragma omp barrier
      }
    }
  }

  [[nodiscard]] Tiles tiles_of(std::size_t steps) const {
    return {static_cast<std::ptrdiff_t>(block_.rows), 2 * static_cast<std::ptrdiff_t>(steps),
            domain_.ny, domain_.nz};
  }

  /// Several steps together (time_block.h): threads take tiles in turn and follow one another.
  void run_blocks(unsigned rank, unsigned threads, std::size_t step, std::size_t stop) {
    for (std::size_t steps = 0; step < stop; step += steps) {
      steps = std::min(block_.steps, stop - step);
      const Tiles tiles = tiles_of(steps);
      for (std::ptrdiff_t tile = rank; tile < tiles.count(); tile += threads) {
        walk(tiles, tile, step);
      }
#pragma omp barrier
      for (std::ptrdiff_t tile = rank; tile < tiles.count(); tile += threads) {
        progress_[static_cast<std::size_t>(tile)].positions.store(0, std::memory_order_relaxed);
      }
#pragma omp barrier
    }
  }

  void walk(const Tiles& tiles, std::ptrdiff_t tile, std::size_t step) {
    Progress* const own = &progress_[static_cast<std::size_t>(tile)];
    for (std::ptrdiff_t position = 0; position < tiles.positions(); ++position) {
      while (tile > 0 && (own - 1)->positions.load(std::memory_order_acquire) <= position) {
        std::this_thread::yield();
      }
      for (std::ptrdiff_t half = 0; half < tiles.halves; ++half) {
        const Rows rows = tiles.at(tile, position, half);
        if (rows.first >= rows.last) continue;
        advance(half % 2 == 0, rows, step + static_cast<std::size_t>(half / 2));
      }
      own->positions.store(position + 1, std::memory_order_release);
    }
  }

  /// Half a step of some rows.
  void advance(bool velocities, const Rows& rows, std::size_t step) {
    (velocities ? kernels_.velocities.rows : kernels_.stresses.rows)(domain_, rows);
    points_.visit(velocities, rows, step);
  }

  /// All planes of some rows before the next rows, so that neighbouring planes are still in a
  /// cache.
  void sweep(bool velocities, const Slab& own, std::size_t step) {
    for (std::ptrdiff_t j = 0; j < domain_.ny; j += rows_) {
      const std::ptrdiff_t end = std::min(j + rows_, domain_.ny);
      for (std::size_t p = own.first; p < own.last; ++p) {
        advance(velocities, {static_cast<std::ptrdiff_t>(p - planes_of_zeros), j, end}, step);
      }
    }
  }

  /// Called by all threads.
  void add_energy(unsigned rank, const Slab& own) {
    for (std::size_t p = own.first; p < own.last; ++p) {
      const std::size_t k = p - planes_of_zeros;
      kernels_.velocities.squares(domain_, static_cast<std::ptrdiff_t>(k), sums_[k]);
    }
#pragma omp barrier
    if (rank == 0) recording_.energy_j.push_back(energy_of(scene_, sums_));
#pragma omp barrier
  }

  [[nodiscard]] Picture picture_of(const Slice& slice) const {
    const std::ptrdiff_t strides[3] = {1, domain_.row, domain_.plane};
    const std::size_t across = slice.axis == 0 ? 1 : 0;
    const std::size_t up = slice.axis == 2 ? 1 : 2;
    Picture picture{scene_.cells[across], scene_.cells[up]};
    const std::ptrdiff_t start = static_cast<std::ptrdiff_t>(slice.cell) * strides[slice.axis];
    for (std::size_t row = 0; row < picture.height; ++row) {
      for (std::size_t n = 0; n < picture.width; ++n) {
        const std::ptrdiff_t at = start + static_cast<std::ptrdiff_t>(row) * strides[up] +
                                  static_cast<std::ptrdiff_t>(n) * strides[across];
        const auto value = [&](std::size_t c) { return static_cast<float>(domain_.field[c][at]); };
        picture.values.push_back(slice.component < 0
                                     ? std::hypot(value(0), value(1), value(2))
                                     : value(static_cast<std::size_t>(slice.component)));
      }
    }
    return picture;
  }

  const Scene& scene_;
  Layout layout_;
  KernelSet<Real> kernels_;
  Grid<Real> grid_;
  const Domain<Real>& domain_;
  Points<Real> points_;
  TimeBlock block_;
  std::vector<Progress> progress_;  ///< Of each tile.
  std::ptrdiff_t rows_ = 1;
  std::vector<Squares> sums_;  ///< One for each plane, so that they are added in one order.
  TimedPart part_;
  Recording recording_;
};

}  // namespace

Recording simulate(const Scene& scene, std::span<void* const> memory, unsigned threads,
                   std::span<const Slice> slices, const TimeBlock& block) {
  if (scene.single_precision) return Simulation<float>(scene, memory, block).run(threads, slices);
  return Simulation<double>(scene, memory, block).run(threads, slices);
}

}  // namespace homenode::workloads::seismic
