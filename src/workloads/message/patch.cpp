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

/// Lists of particles with room for as many as a message has.
class Lists {
 public:
  Lists(std::size_t lists, std::size_t room) : particles_(lists * room), room_(room) {}
  [[nodiscard]] ParticleList at(std::size_t list) {
    return {particles_.data() + list * room_, room_, 0};
  }

 private:
  std::vector<Particle> particles_;
  std::size_t room_;
};

class Serial {
 public:
  explicit Serial(const MoleculesShape& shape)
      : shape_(shape),
        rooms_(shape.patches(), shape.room()),
        leaving_(std::size_t{8} * shape.patches(), shape.room()),
        space_(shape.room()),
        forces_(std::size_t{2} * computes_per_patch * shape.patches()),
        potentials_(std::size_t{computes_per_patch} * shape.patches()) {
    for (unsigned i = 0; i < shape.patches(); ++i) patches_.emplace_back(shape, i, rooms_.at(i));
  }

  void step() {
    for (unsigned i = 0; i < potentials_.size(); ++i) compute(i);
    for (unsigned i = 0; i < patches_.size(); ++i) move(i);
    migrate();
  }

  [[nodiscard]] std::vector<std::vector<Particle>> result() const {
    std::vector<std::vector<Particle>> all;
    for (const Patch& patch : patches_) {
      all.emplace_back(patch.particles().begin(), patch.particles().end());
    }
    return all;
  }

 private:
  void compute(unsigned number) {
    const Compute compute = compute_of(shape_, number);
    const auto first = patches_[compute.first].particles();
    const auto second = patches_[compute.second].particles();
    potentials_[number] = space_.compute(compute, law_of(shape_), first, second);
    for (unsigned side = 0; side < (compute.self() ? 1U : 2U); ++side) {
      std::vector<Force>& forces = forces_[2 * number + side];
      forces.resize((side == 0 ? first : second).size());
      space_.copy_forces(side, forces);
    }
  }

  void move(unsigned number) {
    std::array<ForcesOfCompute, computes_of_patch> forces;
    double potential = 0.0;
    for (unsigned place = 0; place < computes_of_patch; ++place) {
      const unsigned compute = patch_compute(shape_, number, place);
      forces[place] = forces_[2 * compute + (place < computes_per_patch ? 0 : 1)];
      if (place < computes_per_patch) potential += potentials_[compute];
    }
    patches_[number].move(forces, potential);
  }

  void migrate() {
    std::vector<std::array<ParticleList, 8>> leavers(patches_.size());
    for (std::size_t i = 0; i < patches_.size(); ++i) {
      for (std::size_t way = 0; way < 8; ++way) leavers[i][way] = leaving_.at(8 * i + way);
      patches_[i].take_leavers(leavers[i]);
    }
    for (unsigned i = 0; i < patches_.size(); ++i) {
      for (unsigned way = 0; way < 8; ++way) {
        patches_[i].take_in(leavers[neighbour_patch(shape_, i, way)][opposite(way)].all());
      }
    }
  }

  const MoleculesShape& shape_;
  Lists rooms_;
  Lists leaving_;
  ComputeSpace space_;
  std::vector<std::vector<Force>> forces_;  // By compute and side.
  std::vector<double> potentials_;          // By compute.
  std::vector<Patch> patches_;
};

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

std::vector<std::vector<Particle>> run_serially(const MoleculesShape& shape) {
  Serial serial(shape);
  for (unsigned step = 0; step < shape.steps; ++step) serial.step();
  return serial.result();
}

}  // namespace homenode::workloads::message
