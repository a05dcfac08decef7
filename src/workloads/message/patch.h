// Molecular2D's patches: what happens to the particles of one in a step, apart from forces, and
// what is known of them at the end. Shared by the message-driven program and the serial one.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "workloads/message/molecules.h"

namespace homenode::workloads::message {

/// Particles one after the other in a room of fixed size, which is the caller's.
struct ParticleList {
  Particle* first = nullptr;
  std::size_t room = 0;
  std::size_t count = 0;

  /// False where there is no room.
  bool add(const Particle& particle) {
    if (count == room) return false;
    first[count++] = particle;
    return true;
  }
  [[nodiscard]] std::span<Particle> all() const { return {first, count}; }
};

/// What a patch did and saw.
struct PatchAccount {
  std::uint64_t clipped = 0;       ///< Speeds.
  std::uint64_t without_room = 0;  ///< Particles that were lost for want of room.
  std::vector<double> kinetic;     ///< Energy of its particles in each step, when forces are known.
  std::vector<double> potential;   ///< Of the pairs of its own computes.
};

/// Where a patch's forces from one compute are.
using ForcesOfCompute = std::span<const Force>;

class Patch {
 public:
  /// Fills the room with the patch's first particles.
  Patch(const MoleculesShape& shape, unsigned number, ParticleList room);

  /// Adds up the forces of all computes in their order, then moves the particles by a step.
  void move(std::span<const ForcesOfCompute, computes_of_patch> forces, double potential);
  /// Takes out those that have left, into the list of the neighbour.
  void take_leavers(std::array<ParticleList, 8>& leavers);
  /// Takes in those of one neighbour; called in the order of directions.
  void take_in(std::span<const Particle> arrivals);

  [[nodiscard]] std::span<const Particle> particles() const { return particles_.all(); }
  [[nodiscard]] const PatchAccount& account() const { return account_; }

 private:
  [[nodiscard]] int leaves_to(const Particle& particle) const;
  Particle wrapped(Particle particle) const;

  const MoleculesShape& shape_;
  double left_;
  double below_;
  ParticleList particles_;
  PatchAccount account_;
};

/// Space for the arrays of a compute's two sides.
class ComputeSpace {
 public:
  /// For this many particles a side.
  explicit ComputeSpace(std::size_t room) : words_(8 * room), room_(room) {}

  /// The forces on the particles of both patches (one, where they are the same), and the potential.
  double compute(const Compute& compute, const ForceLaw& law, std::span<const Particle> first,
                 std::span<const Particle> second);
  /// Those on the particles of a side, 0 or 1, after compute().
  void copy_forces(unsigned side, std::span<Force> to) const;

 private:
  ForceSide fill(unsigned side, std::span<const Particle> particles, double shift_x,
                 double shift_y);

  std::vector<double> words_;
  std::size_t room_;
  double scale_ = 1.0;
};

/// Molecular2D without messages, which the message-driven program must equal bit for bit: the
/// particles of each patch after all steps, in order.
std::vector<std::vector<Particle>> run_serially(const MoleculesShape& shape);

}  // namespace homenode::workloads::message
