// The memory of a simulation as its kernels see it, and the zeros that it begins with.
#pragma once

#include <span>
#include <vector>

#include "workloads/seismic/kernels.h"
#include "workloads/seismic/layout.h"
#include "workloads/seismic/scene.h"

namespace homenode::workloads::seismic {

template <class Real>
class Grid {
 public:
  /// pre: fault_of(scene) is empty; memory[i] is arrays_of(scene)[i], of any content. All of them
  /// outlive it. Nothing is touched yet.
  Grid(const Scene& scene, const Layout& layout, std::span<void* const> memory);
  Grid(const Grid&) = delete;  // The domain points into it.
  Grid& operator=(const Grid&) = delete;
  ~Grid() = default;

  [[nodiscard]] const Domain<Real>& domain() const { return domain_; }

  /// Sets planes of the padded grid, and what the faces remember there, to 0.
  void clear(const Slab& padded) const;
  /// Writes what the kernels multiply by; once, by one thread.
  void write_factors() const;

 private:
  Absorber<Real> prepare_faces();

  const Scene& scene_;
  const Layout& layout_;
  Real* starts_[component_count] = {};
  PlaneFactors<Real>* factors_ = nullptr;
  std::vector<Real> profile_;
  Domain<Real> domain_;
};

}  // namespace homenode::workloads::seismic
