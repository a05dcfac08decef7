// Where a simulation is pushed and listened to: its sources' and receivers' nodes, found by plane.
#pragma once

#include <cstddef>
#include <vector>

#include "workloads/seismic/kernels.h"
#include "workloads/seismic/scene.h"

namespace homenode::workloads::seismic {

template <class Real>
class Points {
 public:
  /// pre: fault_of(scene) is empty; scene and the domain's fields outlive it.
  Points(const Scene& scene, const Domain<Real>& domain);

  /// Pushes what sources push of rows whose velocities, or else stresses, are new in this step,
  /// then records them. Threads may do so at the same time, each for other rows.
  void visit(bool velocities, const Rows& rows, std::size_t step);

  /// [receiver][step]: each receiver's nodes, added in one order whatever order they came in.
  [[nodiscard]] std::vector<std::vector<double>> traces() const;

 private:
  /// What one source adds to one element in each step.
  struct Push {
    Real* target = nullptr;
    std::ptrdiff_t row = 0;
    double factor = 0;
    const TimeFunction* time = nullptr;
  };
  struct Probe {
    const Real* element = nullptr;
    std::ptrdiff_t row = 0;
    std::size_t sample = 0;
  };
  struct Plane {
    std::vector<Push> pushes;
    std::vector<Probe> probes;
  };
  /// One node of a receiver.
  struct Sample {
    std::size_t receiver = 0;
    double weight = 0;
    std::vector<Real> values;  ///< One for each step.
  };

  Plane& plane_of(Component component, const Tap& tap);

  const Scene& scene_;
  std::vector<Plane> velocities_;
  std::vector<Plane> stresses_;
  std::vector<Sample> samples_;
};

}  // namespace homenode::workloads::seismic
