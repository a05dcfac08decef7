#include "workloads/seismic/points.h"

namespace homenode::workloads::seismic {
namespace {

bool is_velocity(Component component) {
  return component <= Component::vz;
}

template <class Real>
Real* element_of(const Domain<Real>& domain, Component component, const Tap& tap) {
  return domain.field[static_cast<std::size_t>(component)] + tap.cell[2] * domain.plane +
         tap.cell[1] * domain.row + tap.cell[0];
}

}  // namespace

template <class Real>
typename Points<Real>::Plane& Points<Real>::plane_of(Component component, const Tap& tap) {
  return (is_velocity(component) ? velocities_ : stresses_)[static_cast<std::size_t>(tap.cell[2])];
}

template <class Real>
Points<Real>::Points(const Scene& scene, const Domain<Real>& domain)
    : scene_(scene), velocities_(scene.cells[2]), stresses_(scene.cells[2]) {
  const double volume = scene.spacing_m * scene.spacing_m * scene.spacing_m;
  const auto factors = plane_factors(scene.layers, scene.planes());
  for (const Source& source : scene.sources) {
    for (const Injection& injection : injections(source)) {
      const Tap& tap = injection.tap;
      const PlaneFactors<double>& plane = factors[static_cast<std::size_t>(tap.cell[2])];
      const double light = injection.component == Component::vz ? plane.light_half : plane.light;
      const double factor = is_velocity(injection.component) ? light : -scene.step_s;
      plane_of(injection.component, tap)
          .pushes.push_back({element_of(domain, injection.component, tap), tap.cell[1],
                             tap.weight * factor / volume, &source.time});
    }
  }
  const auto highest = static_cast<std::ptrdiff_t>(scene.cells[2]) - 1;
  for (std::size_t r = 0; r < scene.receivers.size(); ++r) {
    const auto [component, point] = scene.receivers[r];
    for (const Tap& tap : taps(component, point)) {
      // Half a cell above a free surface are mirror images, which the plane below writes.
      const bool image = scene.free_surface && tap.cell[2] == highest &&
                         (component == Component::sxz || component == Component::syz);
      Tap writer = tap;
      if (image) writer.cell[2] -= 1;
      plane_of(component, writer)
          .probes.push_back({element_of(domain, component, tap), tap.cell[1], samples_.size()});
      samples_.push_back({r, tap.weight, std::vector<Real>(scene.steps)});
    }
  }
}

template <class Real>
void Points<Real>::visit(bool velocities, const Rows& rows, std::size_t step) {
  const auto inside = [&](std::ptrdiff_t row) { return row >= rows.first && row < rows.last; };
  const auto n = static_cast<double>(step);
  Plane& plane = (velocities ? velocities_ : stresses_)[static_cast<std::size_t>(rows.plane)];
  for (const Push& push : plane.pushes) {
    if (!inside(push.row)) continue;
    const double amount = velocities ? push.time->moment(n * scene_.step_s)
                                     : push.time->rate((n + 0.5) * scene_.step_s);
    *push.target += static_cast<Real>(push.factor * amount);
  }
  for (const Probe& probe : plane.probes) {
    if (inside(probe.row)) samples_[probe.sample].values[step] = *probe.element;
  }
}

template <class Real>
std::vector<std::vector<double>> Points<Real>::traces() const {
  std::vector<std::vector<double>> traces(scene_.receivers.size(),
                                          std::vector<double>(scene_.steps));
  for (const Sample& sample : samples_) {
    std::vector<double>& trace = traces[sample.receiver];
    for (std::size_t n = 0; n < trace.size(); ++n) {
      trace[n] += sample.weight * static_cast<double>(sample.values[n]);
    }
  }
  return traces;
}

template class Points<double>;
template class Points<float>;

}  // namespace homenode::workloads::seismic
