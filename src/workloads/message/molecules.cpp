#include "workloads/message/molecules.h"

#include <cmath>

#include "base/shuffle.h"

namespace homenode::workloads::message {
namespace {

constexpr double well_depth = 0.01;  // Of the law of force, in units of the particles' mass.
constexpr double first_speed = 0.3;
constexpr double published_speed = 3.0;

unsigned wrap(int place, unsigned count) {
  return static_cast<unsigned>(place + static_cast<int>(count)) % count;
}

/// Ids [first, first + count) are a patch's at the start.
struct Share {
  std::uint64_t first = 0;
  std::uint64_t count = 0;
};
Share share_of(const MoleculesShape& shape, std::uint64_t patch) {
  const auto bound = [&](std::uint64_t n) { return n * shape.particles / shape.patches(); };
  return {bound(patch), bound(patch + 1) - bound(patch)};
}

/// So many particles in a row of a patch, where they start in rows.
unsigned in_a_row(const MoleculesShape& shape) {
  const double average = std::ceil(static_cast<double>(shape.particles) / shape.patches());
  return static_cast<unsigned>(std::ceil(std::sqrt(average)));
}

/// Even over [-1, 1).
double even(SplitMix& chance) {
  return static_cast<double>(chance.next() >> 11U) * 0x1p-52 - 1.0;
}

void rest(std::vector<Particle>& particles) {
  double x = 0.0;
  double y = 0.0;
  for (const Particle& particle : particles) {
    x += particle.vx;
    y += particle.vy;
  }
  const auto count = static_cast<double>(particles.size());
  for (Particle& particle : particles) {
    particle.vx -= x / count;
    particle.vy -= y / count;
  }
}

}  // namespace

std::size_t MoleculesShape::room() const {
  const std::size_t average = particles / patches() + 1;
  return average + average / 2 + 64;
}

unsigned neighbour_patch(const MoleculesShape& shape, unsigned patch, unsigned direction) {
  const auto column = static_cast<int>(patch % shape.columns);
  const auto row = static_cast<int>(patch / shape.columns);
  return wrap(row + directions[direction].y, shape.rows) * shape.columns +
         wrap(column + directions[direction].x, shape.columns);
}

Compute compute_of(const MoleculesShape& shape, unsigned number) {
  Compute compute{number / computes_per_patch, number / computes_per_patch};
  const unsigned place = number % computes_per_patch;
  if (place == 0) return compute;
  compute.second = neighbour_patch(shape, compute.first, place - 1);
  const auto lies = [&](unsigned at, int towards, unsigned count) {
    const int there = static_cast<int>(at) + towards;
    if (there < 0) return -static_cast<double>(count);
    return there == static_cast<int>(count) ? static_cast<double>(count) : 0.0;
  };
  const Direction way = directions[place - 1];
  compute.shift_x = lies(compute.first % shape.columns, way.x, shape.columns);
  compute.shift_y = lies(compute.first / shape.columns, way.y, shape.rows);
  return compute;
}

unsigned patch_compute(const MoleculesShape& shape, unsigned patch, unsigned place) {
  if (place < computes_per_patch) return patch * computes_per_patch + place;
  // It is the second where its neighbour backward, which this direction leads to, is the first.
  const unsigned backward = place - 1;
  return neighbour_patch(shape, patch, backward) * computes_per_patch + opposite(backward) + 1;
}

ForceLaw law_of(const MoleculesShape& shape) {
  ForceLaw law;
  law.published = shape.as_published;
  if (shape.as_published) {
    law.repulsion = 2.0;
    law.attraction = 1.0;
    return law;
  }
  // The potential 4 e ((s/r)^12 - (s/r)^6), with its minimum near the distance at the start.
  const double size = 0.85 / in_a_row(shape);
  const double s6 = std::pow(size, 6);
  law.repulsion = 48.0 * well_depth * s6 * s6;
  law.attraction = 24.0 * well_depth * s6;
  law.offset = law.repulsion / 12 - law.attraction / 6;  // So that it ends in zero.
  return law;
}

std::vector<Particle> first_particles(const MoleculesShape& shape, unsigned patch) {
  const Share share = share_of(shape, patch);
  const unsigned row = in_a_row(shape);
  const double column_left = patch % shape.columns;
  const double row_below = patch / shape.columns;  // NOLINT(bugprone-integer-division)
  SplitMix chance((shape.seed << 32U) + patch);
  const double speed = shape.as_published ? published_speed : first_speed;
  std::vector<Particle> particles;
  for (std::uint64_t i = 0; i < share.count; ++i) {
    Particle particle;
    if (shape.as_published) {
      particle.x = column_left + (even(chance) + 1.0) / 2;
      particle.y = row_below + (even(chance) + 1.0) / 2;
    } else {
      // In rows, the first near the edge, so that some cross it soon.
      const auto place = [row](std::uint64_t n, double shake) {
        return (static_cast<double>(n) + 0.1 + 0.05 * shake) / row;
      };
      particle.x = column_left + place(i % row, even(chance));
      particle.y = row_below + place(i / row, even(chance));
    }
    particle.vx = speed * even(chance);
    particle.vy = speed * even(chance);
    particle.id = share.first + i;
    particles.push_back(particle);
  }
  if (!particles.empty()) rest(particles);
  return particles;
}

}  // namespace homenode::workloads::message
