// Molecular2D's problem: particles in square patches of side 1 that repeat in both directions,
// which attract and repel each other up to a distance of 1. Every patch is paired with itself and
// with half of its neighbours. Pure; the message-driven program and the serial one share it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "workloads/message/force_kernel.h"
#include "workloads/message/program.h"

namespace homenode::workloads::message {

struct MoleculesShape {
  Layout layout;
  unsigned columns = 5;  ///< Of patches; three at least, so that all neighbours are different.
  unsigned rows = 5;
  unsigned particles = 5000;
  unsigned steps = 51;
  std::uint64_t seed = 1;
  /// The published example's ways: f = 2/r^12 - 1/r^6 with r in sides of a patch, whatever the
  /// density; particles anywhere at first; the pairs within a patch counted twice; and the particle
  /// behind one that leaves a patch overlooked. Nothing is conserved then but particles.
  bool as_published = false;

  [[nodiscard]] unsigned patches() const { return columns * rows; }
  /// The room in a patch or a message: half as many again as on average, and 64.
  [[nodiscard]] std::size_t room() const;
};

/// As large as the published one: 80 bytes.
struct Particle {
  double x = 0.0;  ///< In patch sides from the lower left corner of all patches.
  double y = 0.0;
  double vx = 0.0;
  double vy = 0.0;
  double fx = 0.0;
  double fy = 0.0;
  double mass = 1.0;
  double kinetic = 0.0;  ///< In the last step.
  std::uint64_t id = 0;
  std::uint64_t moves = 0;  ///< From patch to patch.
};
static_assert(sizeof(Particle) == 80);

struct Force {
  double x = 0.0;
  double y = 0.0;
};

inline constexpr double step_time = 0.005;
inline constexpr double most_speed = 30.0;  ///< Along each axis: faster ones are clipped to it.

/// The neighbours of a patch: the first four are those that it is paired with as the first of two.
struct Direction {
  int x = 0;
  int y = 0;
};
inline constexpr std::array<Direction, 8> directions{
    {{1, 0}, {-1, 1}, {0, 1}, {1, 1}, {-1, 0}, {1, -1}, {0, -1}, {-1, -1}}};
inline constexpr unsigned forward = 4;
constexpr unsigned opposite(unsigned direction) {
  return (direction + forward) % 8;
}

/// The patch beside `patch`.
unsigned neighbour_patch(const MoleculesShape& shape, unsigned patch, unsigned direction);

/// A compute works on a patch (k = 0) or on it and its neighbour in direction k - 1: forward + 1
/// for each patch, numbered patch by patch.
inline constexpr unsigned computes_per_patch = forward + 1;
struct Compute {
  unsigned first = 0;
  unsigned second = 0;   ///< The same patch for k = 0.
  double shift_x = 0.0;  ///< Added to the second's places, so that it lies beside the first.
  double shift_y = 0.0;
  [[nodiscard]] bool self() const { return first == second; }
};
Compute compute_of(const MoleculesShape& shape, unsigned number);

/// The computes of a patch, in the order in which it adds up their forces: its own five, then those
/// in which it is the second.
inline constexpr unsigned computes_of_patch = 9;
unsigned patch_compute(const MoleculesShape& shape, unsigned patch, unsigned place);

/// The law of force for this number of particles.
ForceLaw law_of(const MoleculesShape& shape);

/// The particles of one patch at the start, in the order of their ids; momenta add up to zero.
std::vector<Particle> first_particles(const MoleculesShape& shape, unsigned patch);

}  // namespace homenode::workloads::message
