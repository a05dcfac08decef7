#include "workloads/message/patch.h"

#include <algorithm>
#include <cmath>

namespace homenode::workloads::message {
namespace {

double clip(double speed, std::uint64_t& clipped) {
  const double allowed = std::clamp(speed, -most_speed, most_speed);
  if (allowed != speed) ++clipped;
  return allowed;
}

double halved_square(double a, double b) {
  const double mean = (a + b) / 2;
  return mean * mean / 2;
}

}  // namespace

Patch::Patch(const MoleculesShape& shape, unsigned number, ParticleList room)
    : shape_(shape),
      left_(number % shape.columns),
      below_(number / shape.columns),  // NOLINT(bugprone-integer-division)
      particles_(room) {
  for (const Particle& particle : first_particles(shape, number)) {
    if (!particles_.add(particle)) ++account_.without_room;
  }
  account_.kinetic.reserve(shape.steps);
  account_.potential.reserve(shape.steps);
}

void Patch::move(std::span<const ForcesOfCompute, computes_of_patch> forces, double potential) {
  double kinetic = 0.0;
  for (std::size_t i = 0; i < particles_.count; ++i) {
    Particle& particle = particles_.first[i];
    Force sum;
    for (const ForcesOfCompute of_compute : forces) {
      sum.x += of_compute[i].x;
      sum.y += of_compute[i].y;
    }
    particle.fx = sum.x;
    particle.fy = sum.y;
    // Speeds are those of the middles of steps, places those of their ends (leapfrog).
    const double vx = clip(particle.vx + sum.x / particle.mass * step_time, account_.clipped);
    const double vy = clip(particle.vy + sum.y / particle.mass * step_time, account_.clipped);
    particle.kinetic =
        particle.mass * (halved_square(particle.vx, vx) + halved_square(particle.vy, vy));
    kinetic += particle.kinetic;
    particle.vx = vx;
    particle.vy = vy;
    particle.x += vx * step_time;
    particle.y += vy * step_time;
  }
  account_.kinetic.push_back(kinetic);
  account_.potential.push_back(potential);
}

int Patch::leaves_to(const Particle& particle) const {
  const auto way = [](double at, double from) { return at < from ? -1 : (at >= from + 1 ? 1 : 0); };
  const int x = way(particle.x, left_);
  const int y = way(particle.y, below_);
  for (unsigned direction = 0; direction < directions.size(); ++direction) {
    if (directions[direction].x == x && directions[direction].y == y) {
      return static_cast<int>(direction);
    }
  }
  return -1;
}

Particle Patch::wrapped(Particle particle) const {
  const auto wrap = [](double at, double length) {
    return at < 0 ? at + length : (at >= length ? at - length : at);
  };
  particle.x = wrap(particle.x, shape_.columns);
  particle.y = wrap(particle.y, shape_.rows);
  return particle;
}

void Patch::take_leavers(std::array<ParticleList, 8>& leavers) {
  std::size_t kept = 0;
  bool overlook = false;
  for (std::size_t i = 0; i < particles_.count; ++i) {
    Particle& particle = particles_.first[i];
    const int way = overlook ? -1 : leaves_to(particle);
    overlook = shape_.as_published && way >= 0;
    if (way < 0) {
      particles_.first[kept++] = particle;
      continue;
    }
    ++particle.moves;
    if (!leavers[static_cast<std::size_t>(way)].add(wrapped(particle))) ++account_.without_room;
  }
  particles_.count = kept;
}

void Patch::take_in(std::span<const Particle> arrivals) {
  for (const Particle& particle : arrivals) {
    if (!particles_.add(particle)) ++account_.without_room;
  }
}

ForceSide ComputeSpace::fill(unsigned side, std::span<const Particle> particles, double shift_x,
                             double shift_y) {
  double* const x = words_.data() + std::size_t{side} * 4 * room_;
  double* const y = x + room_;
  for (std::size_t i = 0; i < particles.size(); ++i) {
    x[i] = particles[i].x + shift_x;
    y[i] = particles[i].y + shift_y;
  }
  return {x, y, y + room_, y + 2 * room_, particles.size()};
}

double ComputeSpace::compute(const Compute& compute, const ForceLaw& law,
                             std::span<const Particle> first, std::span<const Particle> second) {
  const ForceKernel& kernel = force_kernel_here();
  const ForceSide a = fill(0, first, 0.0, 0.0);
  if (compute.self()) {
    scale_ = law.published ? 2.0 : 1.0;  // As published, from both ends.
    return kernel.within(a, law);
  }
  scale_ = 1.0;
  return kernel.between(a, fill(1, second, compute.shift_x, compute.shift_y), law);
}

void ComputeSpace::copy_forces(unsigned side, std::span<Force> to) const {
  const double* const fx = words_.data() + (std::size_t{side} * 4 + 2) * room_;
  const double* const fy = fx + room_;
  for (std::size_t i = 0; i < to.size(); ++i) to[i] = {scale_ * fx[i], scale_ * fy[i]};
}

}  // namespace homenode::workloads::message
