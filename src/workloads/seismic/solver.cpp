#include "workloads/seismic/solver.h"

#include <omp.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>

#include "workloads/seismic/absorbing.h"
#include "workloads/seismic/energy.h"
#include "workloads/seismic/layout.h"

namespace homenode::workloads::seismic {
namespace {

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

/// What one source adds to one element in each step.
template <class Real>
struct Push {
  Real* target = nullptr;
  std::size_t plane = 0;  ///< Of the padded grid.
  double factor = 0;
  const TimeFunction* time = nullptr;
  bool force = false;  ///< On a velocity, by the moment; else on a stress, by its rate.
};

template <class Real>
struct Probe {
  std::size_t receiver = 0;
  bool velocity = false;
  const Real* element = nullptr;
  double weight = 0;
};

template <class Real>
class Simulation {
 public:
  Simulation(const Scene& scene, std::span<void* const> memory)
      : scene_(scene), layout_(layout_of(scene)), kernels_(kernels_here<Real>()) {
    domain_.nx = static_cast<std::ptrdiff_t>(scene.cells[0]);
    domain_.ny = static_cast<std::ptrdiff_t>(scene.cells[1]);
    domain_.nz = static_cast<std::ptrdiff_t>(scene.cells[2]);
    domain_.row = static_cast<std::ptrdiff_t>(layout_.row);
    domain_.plane = static_cast<std::ptrdiff_t>(layout_.plane);
    domain_.width = static_cast<std::ptrdiff_t>(scene.absorbing_cells);
    domain_.free_surface = scene.free_surface;
    for (std::size_t c = 0; c < component_count; ++c) {
      starts_[c] = static_cast<Real*>(memory[c]) + c * layout_.skew;
      domain_.field[c] = starts_[c] + planes_of_zeros * layout_.plane;
    }
    for (std::size_t axis = 0; axis < 3; ++axis) {
      domain_.psi[axis] = static_cast<Real*>(memory[component_count + axis]);
    }
    factors_ = static_cast<PlaneFactors<Real>*>(memory[array_count - 1]);
    domain_.factors = factors_;
    prepare_faces();
    prepare_points();
    rows_ = static_cast<std::ptrdiff_t>(rows_together(layout_, cache_share_bytes));
    sums_.resize(scene.cells[2]);
    recording_.traces.assign(scene.receivers.size(), std::vector<double>(scene.steps));
  }

  Recording run(unsigned threads, std::span<const Slice> slices) {
    omp_set_dynamic(0);
#pragma omp parallel num_threads(threads)
    take_part(static_cast<unsigned>(omp_get_thread_num()),
              static_cast<unsigned>(omp_get_num_threads()));
    for (const Slice& slice : slices) recording_.pictures.push_back(picture_of(slice));
    return std::move(recording_);
  }

 private:
  void prepare_faces() {
    const AbsorbingProfile profile =
        absorbing_profile({scene_.absorbing_cells, scene_.spacing_m, scene_.step_s,
                           fastest_m_s(scene_.layers), scene_.frequency_hz});
    for (const auto* part :
         {&profile.keep, &profile.take, &profile.keep_half, &profile.take_half}) {
      for (const double value : *part) profile_.push_back(static_cast<Real>(value));
    }
    const std::size_t entries = 2 * scene_.absorbing_cells;
    const Real* const at = profile_.data();
    const Absorber<Real> absorber{at, at + entries, at + 2 * entries, at + 3 * entries};
    std::fill_n(domain_.absorber, 3, absorber);
  }

  [[nodiscard]] Real* element(Component component, const Tap& tap) const {
    return domain_.field[static_cast<std::size_t>(component)] + tap.cell[2] * domain_.plane +
           tap.cell[1] * domain_.row + tap.cell[0];
  }

  void prepare_points() {
    const double volume = scene_.spacing_m * scene_.spacing_m * scene_.spacing_m;
    const auto factors = plane_factors(scene_.layers, scene_.planes());
    for (const Source& source : scene_.sources) {
      for (const Injection& injection : injections(source)) {
        const auto k = static_cast<std::size_t>(injection.tap.cell[2]);
        const double light =
            injection.component == Component::vz ? factors[k].light_half : factors[k].light;
        const double factor = source.forces ? light : -scene_.step_s;
        pushes_.push_back({element(injection.component, injection.tap), k + planes_of_zeros,
                           injection.tap.weight * factor / volume, &source.time, source.forces});
      }
    }
    for (std::size_t r = 0; r < scene_.receivers.size(); ++r) {
      const Receiver& receiver = scene_.receivers[r];
      for (const Tap& tap : taps(receiver.component, receiver.point)) {
        probes_.push_back(
            {r, receiver.component <= Component::vz, element(receiver.component, tap), tap.weight});
      }
    }
  }

  void take_part(unsigned rank, unsigned threads) {
    const Slab padded = slab_of(layout_, rank, threads);
    clear(padded);
    if (rank == 0) write_factors();
    const std::size_t first = std::max(padded.first, planes_of_zeros);
    const std::size_t last = std::min(padded.last, layout_.planes - planes_of_zeros);
    const Slab own{first, std::max(first, last)};
#pragma omp barrier
    const auto begin = std::chrono::steady_clock::now();
    for (std::size_t step = 0; step < scene_.steps; ++step) {
      sweep(kernels_.velocities.rows, own);
      push(own, step, true);
#pragma omp barrier
      if (rank == 0) record(true, step);  // The others only read velocities until the barrier.
      sweep(kernels_.stresses.rows, own);
      push(own, step, false);
#pragma omp barrier
      if (rank == 0) record(false, step);
      const bool wanted = scene_.energy_every > 0 && (step + 1) % scene_.energy_every == 0;
      if (wanted && step + 1 < scene_.steps) add_energy(rank, own);
    }
#pragma omp barrier
    if (rank == 0) {
      const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
      recording_.seconds = taken.count();
    }
    add_energy(rank, own);
  }

  void clear(const Slab& padded) const {
    for (Real* const start : starts_) {
      std::fill(start + padded.first * layout_.plane, start + padded.last * layout_.plane, Real(0));
    }
    const std::size_t planes = scene_.cells[2];
    for (std::size_t p = padded.first; p < padded.last; ++p) {
      if (p < planes_of_zeros || p >= planes + planes_of_zeros) continue;
      const std::size_t k = p - planes_of_zeros;
      for (std::size_t axis = 0; axis < 3; ++axis) {
        std::size_t n = k;
        if (axis == 2 && k >= scene_.absorbing_cells) n = k + 2 * scene_.absorbing_cells - planes;
        // Planes between the faces along z wrap to numbers beyond the last.
        const bool between =
            axis == 2 && k >= scene_.absorbing_cells && k < planes - scene_.absorbing_cells;
        if (between || n >= layout_.psi_planes[axis]) continue;
        std::fill_n(domain_.psi[axis] + n * layout_.psi_plane[axis], layout_.psi_plane[axis],
                    Real(0));
      }
    }
  }

  void write_factors() {
    const auto exact = plane_factors(scene_.layers, scene_.planes());
    for (std::size_t k = 0; k < exact.size(); ++k) {
      const PlaneFactors<double>& f = exact[k];
      const auto real = [](double value) { return static_cast<Real>(value); };
      factors_[k] = {real(f.light),      real(f.light_half), real(f.along),    real(f.across),
                     real(f.upward),     real(f.sideward),   real(f.vertical), real(f.shear),
                     real(f.shear_half), real(f.near_z),     real(f.far_z)};
    }
  }

  /// All planes of some rows before the next rows, so that neighbouring planes are still in a
  /// cache.
  template <class RowsKernel>
  void sweep(RowsKernel kernel, const Slab& own) const {
    for (std::ptrdiff_t j = 0; j < domain_.ny; j += rows_) {
      const std::ptrdiff_t end = std::min(j + rows_, domain_.ny);
      for (std::size_t p = own.first; p < own.last; ++p) {
        kernel(domain_, {static_cast<std::ptrdiff_t>(p - planes_of_zeros), j, end});
      }
    }
  }

  void push(const Slab& own, std::size_t step, bool forces) const {
    const auto n = static_cast<double>(step);
    for (const Push<Real>& push : pushes_) {
      if (push.force != forces || push.plane < own.first || push.plane >= own.last) continue;
      const double amount = forces ? push.time->moment(n * scene_.step_s)
                                   : push.time->rate((n + 0.5) * scene_.step_s);
      *push.target += static_cast<Real>(push.factor * amount);
    }
  }

  void record(bool velocity, std::size_t step) {
    for (const Probe<Real>& probe : probes_) {
      if (probe.velocity != velocity) continue;
      recording_.traces[probe.receiver][step] += probe.weight * static_cast<double>(*probe.element);
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
  Domain<Real> domain_;
  Real* starts_[component_count] = {};
  PlaneFactors<Real>* factors_ = nullptr;
  std::vector<Real> profile_;
  std::vector<Push<Real>> pushes_;
  std::vector<Probe<Real>> probes_;
  std::ptrdiff_t rows_ = 1;
  std::vector<Squares> sums_;  ///< One for each plane, so that they are added in one order.
  Recording recording_;
};

}  // namespace

Recording simulate(const Scene& scene, std::span<void* const> memory, unsigned threads,
                   std::span<const Slice> slices) {
  if (scene.single_precision) return Simulation<float>(scene, memory).run(threads, slices);
  return Simulation<double>(scene, memory).run(threads, slices);
}

}  // namespace homenode::workloads::seismic
